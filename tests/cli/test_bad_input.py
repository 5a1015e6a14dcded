"""Bad input of every command: one line, exit code 2, nothing written, and words that help.

`test_options` tries every option beside every way of asking; here are values and what is missing.
"""

import numpy as np
import pytest

from lccmodel.reading.options import stated
from tests.choosing import sampled
from tests.cli.calling import EXAMPLES, FILES, refused, typed

REFUSED = """
catalog --output catalog.pdf => output file: must end in .txt, .md, .markdown, .tex
catalog --output none/catalog.csv => none/catalog.csv: must be in a folder that exists
catalog -f pdf => json ... lccmodel catalog --help
catalog bit-revers => did you mean 'bit-reverse'?
catalog shift --plot no.png => needs the parameters of shift
check missing.json => cannot read the file
collective allreduce -N torus:4 => --alpha and --tau, or --machine, are required
collective allreduce -N torus:4 --alpha 0 --tau 0 => cannot both be 0
collective allreduce -N torus:4 --alpha 5 => --tau is required
collective allreduce -N torus:4 --default ompi => are required
collective allreduce -N torus:4 --machine tau.toml => must have alpha
collective allreduce -N torus:4 TIMES --all --algorithm ring => not both
collective allreduce -N torus:4 TIMES --bytes 2:1 => --bytes: the first size must not
collective allreduce -N torus:4 TIMES --bytes many => --bytes: must be a size
collective allreduce -N torus:4 TIMES --bytes=-5 => --bytes: must not be negative
collective allreduce -N torus:4 TIMES --default ompi --all => --all changes nothing
collective allreduce -N torus:4 TIMES --ranks 5 => --ranks: must be at most 4
collective allreduce -N torus:4 TIMES --root 4 => --root is only for broadcast, reduce
collective allreduce -N torus:4 TIMES --rules lam:x => --rules: must be ompi:FILE
collective allreduce -N torus:4 TIMES --rules mpich:x => requires --base
collective allreduce -N torus:4 TIMES --rules no/x => no/x
collective allreduce -N torus:4 TIMES --rules x.json => --rules: must be ompi:FILE
collective allreduce TIMES => --network is required
collective allreduce,broadcast -N torus:4 TIMES => --rules
collective allreduce,broadcast -N torus:4 TIMES --rules x.txt --algorithm ring => several
collective allreduce,broadcast -N torus:4 TIMES --rules x.txt --all => several
contention 'y0 = x1; y1 = x0' -N cube:2 --volume b => --volume: changes nothing here
contention bit-reverse -N cube:4 --decimal , => --decimal: changes nothing here: no input is a file
contention bit-reverse -N cube:4 --method formula --channels => --method: must be walk or auto with
contention bit-reverse -N cube:4 --order 0,1,2,2 => must name each of the bits 0 to 3 once
contention bit-reverse -N cube:4 --order 0,1,2,3 --channels => cannot be combined with --order
contention bit-reverse -N cube:4 --order 0,1,2,3 --method formula => takes no --method
contention bit-reverse -N cube:4 --order a => must name each of the bits 0 to 3 once
contention examples/trace.csv --matrix-ranks => y = Ax + b
contention grid:14:rings -N slurm:topology.conf => *4 after the file gives every host 4 slots
contention matrix-transpose -N cube:4 --channels --matrix-ranks => --channels does not go
contention matrix-transpose -N cube:4 --routing descending --matrix-ranks => --routing does not go
contention matrix-transpose -N mesh:4x4 --matrix-ranks => must be cube:4 or origin:4
contention none.csv --nodes 0-1 => must have a size
contention pairs.json -N cube:2 --first-rank 1 => --first-rank: changes nothing here
contention scale2 -N cube:8 --matrix-ranks => must not be a scatter
contention uniform -N torus:128x128 => simulate draws destinations of more
exchange => --network is required: mesh:16x16, torus:8x8x8 or
exchange -N mesh:128x128 --run => d: must be at most 12: there are 4^d blocks
exchange -N mesh:4x4 --block 8 --machine speed.toml => speed.toml
exchange -N mesh:4x4 --block 8 --run --machine speed.toml => speed.toml
exchange -N mesh:64x64 --run --block 2 => blocks: at most 16,777,216 items are moved
exchange -N mesh:8x8 => --alpha is required: the start-up time of a message
exchange -N mesh:8x8 --run --alpha 1 => --tau is required: the time per item, in the same unit
exchange -N mesh:8x8 --run --degree 33 => Q: must be at most N = 32: a packet has at least one
exchange -N mesh:8x8 --run --methods direct => --methods cannot be combined with --run
exchange -N mesh:8x8 TIMES --block 0 => --block: must be a whole number, at least 1
exchange -N mesh:8x8 TIMES --methods cyclic => without saying how
exchange -N mesh:8x8 TIMES --order natural => --order requires --run
exchange -N torus:8x8 TIMES => --network: must be a mesh, unless with --run
exchange tornado -N mesh:4x4 => must be uniform or left out
fft --latency -1 => --latency: must not be negative
fft --per-byte 0 => --per-byte: must be positive
fft --points 0 => --points: must be a whole number, at least 1
fft --points 256 -f json => --table: must be one of times, speedup, adaptive
fft --points 512 => points: must be 2^(n + 2d) ... 2^8, 2^10
fft -N cube:2 --points 16 --table speedup --machine seconds.toml => unit us
fft -N cube:2 --points 16 --table speedup --machine segments.toml => one alpha and one tau
fft -N cube:2 --points 16 --table speedup --machine speed.toml => speed.toml
fft -N cube:27 --points 134217728 => every channel is simulated
fft -N cube:2 --points 16 --table times --tie random => --tie requires --table barriers
fft -N cube:64 --points 16 => every channel is simulated
fft -N mesh:4x4 => --network: must be cube:N or origin:N, for which
formula => NAME: must be given, or --list
formula --list -N cube:n => --network: cannot be combined with --list
formula bit-revers => did you mean 'bit-reverse'?
formula bit-reverse --list => NAME: cannot be combined with --list
formula bit-reverse -N 'mesh:2^0 x 2^b' => --network: must have sides of at least 2
formula bit-reverse -N 'mesh:2^a x 2^b' --check 13 => --check: must be at most 12
formula border:c=1 --check 5 => is a formula of the papers, not a family
formula border:c=1 -N cube:n => is a formula of the papers, not a family
formula bordr:c=1 => did you mean 'border'?
formula qqq => NAME: no communication or formula has this name
formula time:c => must have arguments such as c=2
formula time:c=0 => c: must be at least 1
formula uniform --check 11 => must be at most 10 for a traffic pattern
map => Missing argument 'COMMUNICATION...'
map 'y0 = x9' => x9 ... n = 1
map bit-revers -N cube:4 => did you mean 'bit-reverse'?
map bit-reverse => --network: is required, e.g. cube:8 ... for any n
map bit-reverse -N cube:21 --count => n: orders are counted up to 20 bits (21! passes 2^64)
map bit-reverse -N cube:3 --plot loads.jpg => --plot: must end in .png, .pdf
map bit-reverse -N cube:4 --linear --over orders => --over: must be linear
map bit-reverse -N cube:4 --coordinates places.csv => --coordinates changes nothing
map bit-reverse -N cube:4 --objective least => objective: must be one of max-max, max-sum, sum-sum
map bit-reverse -N cube:4 --rankfile ranks --hosts h:99999999999999 => slots must be at most
map bit-reverse -N cube:4 --rankfile ranks --hosts h[1-99999999999999] => must
map bit-reverse -N cube:4 --rankfile ranks --launcher slurm => --hosts: is required
map bit-reverse -N cube:4 --rankfile ranks.txt => --hosts: is required: the network's nodes have no
map bit-reverse -N cube:4 --rankfile ranks.txt --hosts ./none => none: cannot read the file: No
map bit-reverse -N cube:4 --rankfile ranks.txt --hosts a:1 => --hosts: must have at least 16 slots
map bit-reverse -N cube:4 --rankfile ranks.txt --hosts a:x => --hosts: must be a file, or a list
map bit-reverse -N cube:4 --seed 7 => --seed changes nothing over orders, which need no
map bit-reverse -N cube:4 --spmd a.md --output ./a.md => output file: must not be named twice
map bit-reverse -N cube:4 --spmd p.py --output none/a.md => none/a.md: must be in a folder that
map bit-reverse -N cube:4 --weights 1,2 => --weights: must be 1 positive numbers
map bit-reverse -N cube:4 --weights 1/0 => --weights: must be 1 positive numbers
map bit-reverse -N cube:4 --weights nan => --weights: must be 1 positive numbers
map bit-reverse -N cube:40 --spmd x.c => listed up to n = 28
map bit-reverse -N mesh:4x4 --count => --count: counts orders ... mesh:4x4
map bit-reverse -N origin:4 --linear --count => --count: counts orders ... linear on origin:4
map broken.cvs => did you mean 'broken.csv'?
map grid:4x4 -N torus:4x4 --cluster nowhere => --cluster: must be a Dask cluster
map grid:4x4:rngs -N torus:4x4 => pattern: must be one of rings ... did you mean 'rings'?
map grid:6x6 -N torus:6x6 --over orders => --network: orders of bits need a network with 2^n
map grid:8x8 -N torus:4x4 => --network: must have at least 64 nodes, for the ranks
map missing.csv => missing.csv: cannot read the file: No such file or
map program.toml -N cube:3 => program.toml:3: the network must have at least 16
map ring.txt -N cube:2 => at least 8 nodes ... 'ring'
mapp => Did you mean 'map'? ... lccmodel --help
pipeline => --network is required: mesh:16x16, torus:8x8x8 or
pipeline -N cube:4 TIMES --items 9 => --network: must be a Mesh or Torus, or a word
pipeline -N mesh:12x17 TIMES --items 9 => --network ... powers of two ... mesh:8x16
pipeline -N mesh:16x32 TIMES --items 9 --model paper => model: the paper's schedules
pipeline -N mesh:1x1 TIMES --items 9 => --network: must be a name such as mesh:8x16
pipeline -N mesh:2x2 TIMES --items 1e999999999 => must
pipeline -N mesh:32x32 => --alpha is required: the start-up time of a message
pipeline -N mesh:32x32 TIMES => --items is required: items exchanged in each dimension
pipeline -N mesh:4x4 --items 8 --machine speed.toml => speed.toml ... speed
pipeline -N mesh:4x4 --machine m.toml --alpha 1 --items 8 => --machine cannot be combined with
pipeline -N mesh:4x4 --machine m.toml --items 8 --item-bytes 0 => --item-bytes
pipeline -N mesh:4x4 --machine none.toml --items 8 => none.toml
pipeline -N mesh:4x4 --map N=1:9 --tau 1 => must be N=LOW:HIGH,alpha=LOW:HIGH
pipeline -N mesh:4x4 --map N=1:9,alpha=0:2 --tau 1 => alpha: must be a range above 0
pipeline -N mesh:4x4 --map N=1:9,alpha=1:2 => --tau is required
pipeline -N mesh:4x4 --map N=1:9,alpha=1:2 --alpha 1 => --alpha cannot be combined with --map
pipeline -N mesh:4x4 --map N=1:9,alpha=1:2 --tau 1 --items 4 => --items cannot be combined
pipeline -N mesh:4x4 --map N=1:9,alpha=1:2 --tau 1 --model all => --model all cannot
pipeline -N mesh:4x4 --map N=9:1,alpha=1:2 --tau 1 => N: must be a range of at least 1
pipeline -N mesh:4x4 TIMES --items 8 --item-bytes 4 => --item-bytes requires
pipeline -N mesh:8x8 --alpha '5 µs' --tau 1 --items 9 => --alpha: must be a number ... 5.5 or 11/2
pipeline -N mesh:8x8 --alpha -1 --tau 1 --items 9 => --alpha: must not be negative
pipeline -N mesh:8x8 --alpha 0 --tau 0 --items 9 => --alpha, --tau: cannot both be 0: no message
pipeline -N mesh:8x8 --alpha 1/0 --tau 1 --items 9 => --alpha: must be a finite number
pipeline -N mesh:8x8 --alpha 1e9999999 --tau 1 --items 9 => --alpha: must be a number such as 500
pipeline -N mesh:8x8 --alpha nan --tau 1 --items 9 => --alpha: must be a number such as 500, 5.5 or
pipeline -N mesh:8x8 TIMES --items 0 => --items: must be a whole number, at least 1
pipeline -N mesh:8x8 TIMES --items 1.5 => --items: must be a whole number, at least 1
pipeline -N mesh:8x8 TIMES --items 9 --barrier x => --barrier: must be a number such as
pipeline -N mesh:8x8 TIMES --items 9 --columns P,nothing => --columns: must be
pipeline -N mesh:8x8 TIMES --items 9 --columns Q,Q => --columns: must name each
pipeline -N mesh:8x8 TIMES --items 9 --degree 0 => --degree: must be a whole number, at
pipeline -N mesh:8x8 TIMES --items 9 --degree 10 => Q: must be in 1..9: a packet holds
pipeline -N mesh:8x8 TIMES --items 9 --plot a.png -o ./a.png => output file: must end
pipeline -N mesh:8x8 TIMES --items 9 --sensitivity --formula => --alpha changes nothing
pipeline -N mesh:8x8 TIMES --items 9 -f csv --no-notes => --no-notes: changes
pipeline -N mesh:8x8 TIMES --items 9 -f json --columns Q => --columns: changes
pipeline -N mesh:8x8 TIMES --items 9 -f latex --label 'a b' => --label: must be letters
pipeline -N mesh:8x8 TIMES --items many => --items: must be a number such as 500, 5.5
pipeline -N mesh:wide TIMES --items 9 => --network: must be a name such as mesh:8x16
recognise bit-reverse --n 4 --idle stay => --idle changes nothing: equations say what every node
recognise broken.csv => broken.csv:2 ... 'zero'
report => give a PATH, or --papers
report --papers nobody => Invalid value for '--papers': 'nobody' is not one of
report empty => empty: must contain files with communications (.toml
report missing => missing: cannot read the file or folder: no such file
report program.toml --output ring.txt => Invalid value for '--output' / '-o': Directory
route astray.npy -a exchange => y = Ax + b ... mode mimd
route astray.npy -a hl --mode m-simd --partition low => bits such as
route astray.npy -a hl --mode m-simd --partition tree => mode mimd
route bit-reverse => --network ... cube:4
route bit-reverse -N cube:17 => n <= 16
route bit-reverse -N cube:4 --plot a.png -o a.png -f csv => twice
route bit-reverse -N cube:4 -a e-cube --order 0,x => 0,2,1
route bit-reverse -N cube:4 -a hl --partition tree => m-simd
route bit-reverse -N cube:4 -a hl --reading tag => 'agree'
route bit-reverse -N cube:4 -a hl --skip => --skip ... simd-mesh
route bit-reverse -N cube:4 -a simd-mesh => mesh:4x4
route bit-reverse -N cube:40 => n <=
route bit-reverse -N cube:7 -a hl --tags => up to n = 6
route bit-reverse -N mesh:512x512 -a hl => n <= 16 on a mesh
route bit-reverse -N origin:4 => cube:N, mesh:AxB
route bit-reverse -N torus:4x4 -a simd-mesh => wrap-around
route program.toml => --name ... transpose, scatter
route program.toml --name scatter => must be a permutation
route program.toml --name x => must be "transpose" or "scatter"
route swap.csv -N cube => swap.csv
route twice.csv => --as matrix
schedule => Missing option '--task'
schedule --task 0 -N mesh:4x4 => --task: must be two integers, such as 0,7
schedule --task 0,4 => --network is required: mesh:16x16, torus:8x8x8 or
schedule --task 0,4 -N mesh:4x4 --step 4 => step: must be in 0..3
schedule --task 0,4 -N mesh:4x4x4 --plot a.png => --plot: draws steps on three axes or more plane
schedule --task 0,4 -N mesh:4x4x4 --plot a.png --plane 2 => --plane: must be AXIS=K, such as 2=0
schedule --task 0,4 -N mesh:4x4x4 --plot a.png --plane 2=4 => plane: must have coordinates in 0..3
schedule --task 0,4 -N mesh:64x64 --plot a.png => schedule: steps are drawn on at most 256 nodes
schedule --task 0,4 -N mesh:65536x65536 => d: must be at most 24: all 2^d processes are listed
schedule --task 0,4 -N torus:4x4 --rule paper => task: the paper's rules are for one port and a
schedule -N mesh:4x4 --task 0,3 --items 8 --machine speed.toml => speed.toml
schedule -N torus:8x8,ties=split --task 0,6 => use torus:8x8
schedule bit-reverse => takes --task I,M and no communication; contention
schedule hotspot:1,1 --task 0,2 -N mesh:4x4 => and no traffic: a CALMANT schedule
schedule uniform -N mesh:4x4 => takes --task I,M and no traffic: a CALMANT schedule
simulate => give a COMMUNICATION, or --deadlock
simulate --deadlock -N cube => --network: must have a size, as cube:8
simulate --deadlock -N cube:12 => cube:12: all pairs of routers are tried, so at most
simulate -N fattree:4x4 --routing dimension-order --deadlock => --routing has no order of
simulate -N fattree:4x4 --routing dimension-order --recorded recorded.csv => --routing has no order
simulate bit-reverse -N cube:27 => every channel is simulated
simulate bit-reverse -N cube:4 --deadlock --plot a.png => --plot changes nothing with --deadlock
simulate bit-reverse -N cube:4 --flits x => --flits: must be a length, or lengths and how often
simulate bit-reverse -N cube:4 --load 0 => --load: must be in (0, 1]
simulate bit-reverse -N cube:4 --load 0.1:0.2 => --load: must be a load, a list such as 0.05,0.1
simulate bit-reverse -N cube:4 --mapping 0,1,2,2 => --mapping: must be optimal, or an order of the
simulate bit-reverse -N cube:4 --mapping best => --mapping: must be optimal, or an order such as
simulate bit-reverse -N cube:4 --plot a.png --heatmap a.png => output file: must not be named twice
simulate bit-reverse -N cube:4 --routing e-cube,no => must be one of e-cube
simulate bit-reverse -N cube:4 --routing e-cube,romm --heatmap x.png => draws one routing function
simulate bit-reverse -N cube:4 --routing p-cub => must be one of e-cube ... did you mean 'p-cube'?
simulate bit-reverse -N cube:4 --warm-up -2 => --warm-up: must be a number of cycles, or mser-5
simulate bit-reverse -N cube:4 --warm-up 100000 => warm_up: must be in 0..99999, below cycles
simulate bit-reverse -N cube:4 fft --heatmap a.png => --heatmap draws one communication
simulate bit-reverse -N mesh:4x4,bandwidth=2:1 --engine message => engine: must be flit (or auto)
simulate bit-reverse -N torus:4x4,hosts=2 => a simulated port carries a flit per cycle
simulate traffic.csv -N graph:links.txt --routing e-cube --program => --routing has no order of
trace => Missing argument 'COMMUNICATION'
trace bit-reverse -N cube:27 => every channel is simulated
trace bit-reverse -N cube:4 --flits 5000 => messages: at most 4096 cycles are traced
trace bit-reverse -N cube:4 --message -1 => --message: must be a rank, 0..15
trace bit-reverse -N cube:4 --message 0 => --message: must be a node that sends to another one
trace bit-reverse -N cube:4 --message 16 => --message: must be a rank, 0..15
trace bit-reverse -N cube:4 --plot a.jpg => --plot: must end in .png, .pdf, .svg, .gif or .html
trace bit-reverse -N cube:6 --show chart => --show chart: shows at most 26 messages; follow fewer
trace examples/trace.csv => --name: is required, since ... holds 9: row-exchange-2
trace examples/trace.csv --name x => must be one of row-exchange-2
trace traffic.csv -N fattree:4x4 --routing dimension-order => --routing has no order of dimensions
warm-up catalog => nothing is compiled for 'catalog'
collective allreduce --formula --algorithm nosuch => closed forms for no such algorithm
schedule --task 3,3 -N mesh:4x4 => must have 0 <= I, 0 <= M and I + M <= d = 4
exchange -N mesh:8x4 TIMES --methods quadrant => is known for meshes of equal sides only
route bit-reverse => is required, e.g. cube:4 or mesh:4x4
contention ring.txt -N graph:bad.gml => bad.gml ... must be GML
calibrate times.csv --save new.toml --columns x => --columns: must be among
catalog bit-reverse --plot a.png --columns x => --columns: must be among
collective allreduce -N torus:4 TIMES --algorithm ring --plan x.csv --columns x => --columns: must
contention bit-reverse -N cube:4 --plot a.png --columns x => --columns: must be among
contention bit-reverse -N torus:4x4 --split hops --plot a.png --columns x => --columns: must be
exchange -N mesh:8x8 TIMES --plot a.png --columns x => --columns: must be among
map bit-reverse -N cube:4 --certificate c.json --columns x => --columns: must be among
pipeline -N mesh:4x4 TIMES --items 9 --certificate c.json --columns x => --columns: must be among
recognise cyclic.csv --plot a.png --columns x => --columns: must be among
route bit-reverse -N cube:3 --plot a.png --columns x => --columns: must be among
schedule --task 0,2 -N mesh:2x2 --certificate c.json --columns x => --columns: must be among
simulate bit-reverse -N cube:3 --load 0.1 --cycles 200 --plot a.png --columns x => --columns: must
trace bit-reverse -N cube:3 --plot a.png --columns x => --columns: must be among
"""
"""A command a line, and after `=>` words of its refusal, parted by `...`; TIMES: α and τ are 1."""

SEGMENTS = "[[machine.segment]]\nup_to = 9\nalpha = 1\ntau = 1\n[[machine.segment]]\nalpha = 9\n"
MORE = {
    "broken.csv": "0 1\n1 zero\n",
    "twice.csv": "0 1\n1 1\n",
    "none.csv": "0,1\n",
    "pairs.json": '[{"n": 2, "pairs": [[0, 1], [1, 0]]}]',
    "bad.gml": "graph [ node [\n",
    "topology.conf": "SwitchName=s Nodes=a[1-4]\n",
    "links.txt": "0 5\n" + "".join(f"{x} {x + 1}\n" for x in range(12)),
    "speed.toml": FILES["m.toml"] + "speed = 3\n",
    "tau.toml": "[machine]\ntau = 1\n",
    "segments.toml": "[machine]\n" + SEGMENTS + "tau = 1\n",
    "seconds.toml": '[machine]\nunit = "s"\nalpha = 9\ntau = 1\n',
}


@pytest.mark.parametrize("line", sampled(REFUSED.strip().splitlines(), 2))
def test_bad_input_is_one_line_exit_2_and_nothing_written(line, folder):
    for name, text in MORE.items():
        (folder / name).write_text(text)
    np.save("astray.npy", [0, 1, 2, 4, 3, 7, 5, 6])
    (folder / "empty").mkdir()
    (folder / "examples").symlink_to(EXAMPLES)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    command, words = line.replace("TIMES", "--alpha 1 --tau 1").split(" => ")
    message = refused(typed(command))
    assert all(word in message for word in words.split(" ... ")), message
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_a_refused_word_leaves_no_option_of_reading_behind(folder):
    """In one process: `--volume` held for the files of later calls, as in a notebook."""
    before = stated()
    refused(typed("contention pairs.csv --volume x -N cube:2 --format nosuch"))
    assert stated() is before

"""One right file of every form that the library reads, small; the fuzz tests spoil them."""

import io
import json

import numpy as np
from scipy import sparse

from tests.reading.files import samples

TEXTS: dict[str, str | bytes] = {
    "program.toml": 'n = 2\nnetwork = "cube:2"\n\n[[communication]]\nname = "a"\nweight = 2\n'
    'catalog = "bit-reverse"\n\n[[communication]]\nmatrix = ["10", "11"]\nvector = "01"\n',
    "messages.toml": "n = 2\npairs = [[0, 1], [1, 0], [2, 3], [3, 2]]\n",
    "program.json": '{"n": 2, "communication": [{"name": "a", "kind": "scatter", "weight": 1.5, '
    '"matrix": ["00", "01"]}, {"order": [1, 0]}]}',
    "messages.json": '{"n": 2, "pairs": [[0, 1], [1, 0], [2, 3], [3, 2]]}',
    "trace.csv": "source,destination,volume\n0,1,8\n1,0,8\n2,3,1.5\n3,2,8\n",
    "trace.tsv": "source\tdestination\n0\t1\n1\t0\n2\t3\n3\t2\n",
    "pairs.txt": "# pairs\n0 1\n1 0\n2 3\n3 2\n",
    "skew.eq": "# skewed\ny0 = x1 + 1\ny1 = x0 + x1\n",
    "matrix.mtx": "%%MatrixMarket matrix coordinate integer general\n4 4 4\n1 2 8\n2 1 8\n"
    "3 4 1\n4 3 1\n",
    "report.mpip": "@ mpiP\n@ MPI Task Assignment      : 0 vm\n@ MPI Task Assignment      : 1 vm\n"
    "@--- Aggregate Point-To-Point Stats (bytes, milliseconds) ---\n-----\nSrc-Rank  Dest-Rank\n"
    "   0  1   4   0.005\n   1  0   4   0.005\n",
    "trace.prv": "#Paraver (26/01/04 at 16:35):260199:2:1:2(1:1,1:2),1\nc:1:91:2:1:2\n"
    "2:2:1:2:1:0:40000001:1\n3:2:1:2:1:73135:73236:1:1:1:1:73520:73639:32:11\n"
    "3:1:1:1:1:73735:73836:2:1:2:1:73820:73839:8:11\n4:2:1:2:1:73107:91:32:0:10:0\n",
}
TRAFFIC: dict[str, str | bytes] = {
    "halo.graphml": '<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    '<key id="d0" for="edge" attr.name="weight" attr.type="long"/>\n<graph edgedefault="directed">'
    '<node id="n0"/><node id="n1"/><edge source="n0" target="n1"><data key="d0">4</data></edge>'
    "</graph></graphml>\n",
    "matrix.csv": "0,1,0\n1,0,2\n0,3,0\n",
    **{
        f"{path.parent.name}-{path.name}": path.read_text()
        for path in (sample.values[0] for sample in samples("traffic"))
        if path.is_file()
    },
}
"""Those of `tests/reading/samples`, and two that stand in none."""


def _saved(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _saved_sparse() -> bytes:
    file = io.BytesIO()
    sparse.save_npz(file, sparse.csr_matrix(np.eye(4, dtype=np.int64)[::-1]), compressed=False)
    return file.getvalue()


BINARY: dict[str, str | bytes] = {
    "pairs.npy": _saved(np.array([[0, 1], [1, 0], [2, 3], [3, 2]])),
    "destinations.npy": _saved(np.array([1, 0, 3, 2], dtype=np.int32)),
    "volumes.npy": _saved(np.eye(4)[::-1]),
    "matrix.npz": _saved_sparse(),
}
MACHINES: dict[str, str | bytes] = {
    "straight.toml": '[machine]\nname = "mine"\nunit = "us"\nalpha = 1.2\ntau = 0.0004\n'
    "alpha_interval = [1.1, 1.3]\ntau_interval = [0.0003, 0.0005]\n"
    "ratio_interval = [2600, 3400]\nconfidence = 0.95\n",
    "segments.toml": "[machine]\nrepeated = [[[1.1, 0.0005], [2.9, 0.0003]]]\n"
    "[[machine.segment]]\nup_to = 8192\nalpha = 1.1\ntau = 0.0005\n"
    "[[machine.segment]]\nalpha = 3\ntau = 0.0003\n",
    "loggp.toml": "[machine]\nloggp = { L = 5, o = 1, g = 6, G = 0.001 }\n",
    "table.toml": "[machine]\ntable = [[8, 1.2], [1024, 1.9], [4096, 5]]\n",
}
CERTIFICATES: dict[str, str | bytes] = {
    "skew.json": '{"format": "lccmodel-certificate 1", "kind": "linear", "problem": {"network": '
    '"cube:2", "sends": "gather", "A": ["01", "11"], "b": "00"}, "answer": {"degree": 1, "order": '
    '[0, 1]}, "proof": {"steps": [{"left": [], "right": []}, {"left": ["01"], "right": ["1"]}]}, '
    '"digest": "10603537f1eb124ea0c2e1733ffe810cf1c434d470fc5d5447b610212d00056a"}\n',
}
RECORDED: dict[str, str | bytes] = {
    "recorded.csv": "# sent\nsource,destination,cycle,flits\n0,3,0,4\n1,3,7,20\n",
}
MEASUREMENTS: dict[str, str | bytes] = {
    "osu_latency": "# OSU MPI Latency Test v5.6\n# Size          Latency (us)\n1  0.9\n8  1.0\n"
    "1024  2.1\n4096  4.0\n",
    "osu_bw": "# OSU MPI Bandwidth Test v5.6\n# Size      Bandwidth (MB/s)\n1   1.5\n8   12.0\n"
    "1024  900.5\n",
    "imb": "# Benchmarking PingPong\n# #processes = 2\n  #bytes #repetitions t[usec] Mbytes/sec\n"
    "  0   1000   0.50   0.00\n  8   1000   0.60   13.0\n  1024  1000   1.20   853.0\n",
    "netpipe": "  0:       1 bytes   2000 times -->      0.50 Mbps in      15.26 usec\n"
    "  1:    1024 bytes   2000 times -->     90.00 Mbps in      87.00 usec\n",
    "times.csv": "size,time_ms\n1,0.001\n8,0.001\n64,0.0012\n1024,0.002\n4096,0.004\n",
    "times.tsv": "bytes\ttime [us]\n8\t1.5\n1024\t2\n",
}
NETWORKS: dict[str, str | bytes] = {
    "cluster.links": "# two leaves\nrouters: leaf[1-2] top\nn1 leaf1\nn2 leaf2\nleaf1 top 2.5\n"
    "leaf2 top 5/2\nleaf1 leaf2\n",
    "cluster.graphml": '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    '<key id="d0" for="node" attr.name="hosts" attr.type="int"/><key id="d1" for="edge" '
    'attr.name="bandwidth" attr.type="double"/><graph edgedefault="undirected"><node id="a">'
    '<data key="d0">2</data></node><node id="b"><data key="d0">1</data></node><edge source="a" '
    'target="b"><data key="d1">2.0</data></edge></graph></graphml>',
    "fabric.ibnetdiscover": 'Switch\t8 "S-0002"\t# "leaf" base port 0 lid 2 lmc 0\n'
    '[1]\t"H-0001"[1](1) \t# "n1 mlx5_0" lid 1 4xSDR\n[7]\t"S-0003"[1]\t# "top" lid 3 4xSDR\n\n'
    'Switch\t8 "S-0003"\t# "top" base port 0 lid 3 lmc 0\n[1]\t"S-0002"[7]\t# "leaf" lid 2 4xSDR\n'
    '[2]\t"H-0004"[1](4) \t# "n2 mlx5_0" lid 4 4xSDR\n\nCa\t1 "H-0001"\t# "n1 mlx5_0"\n'
    '[1](1) \t"S-0002"[1]\t# lid 1 lmc 0 "leaf" lid 2 4xSDR\n',
}
TABLES: dict[str, str | bytes] = {
    "fabric.dump_fts": "Unicast lids [0x0-0x4] of switch Lid 2 guid 0x0000000000000002 (leaf):\n"
    "  Lid  Out   Destination\n       Port     Info \n0x0001 001 : (Channel Adapter)\n"
    "0x0004 007 : (Channel Adapter)\nUnicast lids [0x0-0x4] of switch Lid 3 guid "
    "0x0000000000000003 (top):\n0x0001 001 : (Channel Adapter)\n0x0004 002 : (Channel)\n",
}
LEVELS = {
    "node.toml": 'network = "torus:4x4"\n[[level]]\nname = "socket"\ncount = 2\nbandwidth = 50\n'
    "[[level]]\ncount = 2\n",
}
TOPOLOGIES: dict[str, str | bytes] = {
    "topology.conf": "SwitchName=s0 Nodes=a[0-2]\nSwitchName=s1 Nodes=b \\\n LinkSpeed=4\n"
    "SwitchName=s2 Switches=s[0-1]\n",
}
JOBS: dict[str, str | bytes] = {
    "job.nodes": "0\n3-5\n",
    "coordinates.nodes": "cn1 0 0\ncn2 3 1\n",
}
HOSTS: dict[str, str | bytes] = {
    "hostfile": "# hosts\na slots=4 max_slots=8\nnode[01-04,07]:2\nlogin\n",
}
TUNING: dict[str, str | bytes] = {
    "tuning.json": json.dumps(
        {f"collective={name}": {"algorithm=auto": {}} for name in
         ("allreduce", "bcast", "barrier", "ibarrier")}
    )
}  # fmt: skip
BOOKSIM: dict[str, str | bytes] = {
    "mesh.cfg": "topology = mesh; k = 4; n = 2; routing_function = dor; num_vcs = 1;\n"
    "traffic = hotspot({0,5},{3,1}); packet_size = {4,8}; packet_size_rate = {3,1};\n"
    "injection_process = on_off; burst_alpha = 0.2; injection_rate = 0.03; // slow\n"
}

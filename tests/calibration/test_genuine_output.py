"""Every reader on output that a run of the tool has printed, as it was published.

Where a page shows only some of the lines, those are here. Sizes and times that the tests expect are
read off the page by eye: the first and the last in µs. IMB's messages of 0 bytes do not count.
"""
# ruff: noqa: E501, W291  (lines are as the tools print them)

from __future__ import annotations

from pathlib import Path

import pytest

from lccmodel.calibration import fit, read_measurements
from lccmodel.errors import InputError

# libfabric-cray, pull request 859 (2016), Cray Aries
OSU_LATENCY_5 = """\
###
### Running: srun -n2 -N2 -t00:8:00 --exclusive --cpu_bind=none -c2 osu_latency
###
# OSU MPI Latency Test v5.0
# Size          Latency (us)
0                       1.84
1                       1.85
2                       1.85
4                       1.87
8                       1.86
16                      1.87
32                      1.87
64                      1.86
128                     1.88
256                     1.88
512                     1.92
1024                    2.18
2048                    2.47
4096                    3.16
8192                    4.68
16384                  13.62
32768                  15.28
65536                  18.49
131072                 25.06
262144                 38.38
524288                 64.72
1048576               117.07
2097152               255.69
4194304               497.37
"""

# Documentation of the Alps system (CSCS), OMB 7.5 in a container, with a warning of the linker
OSU_BIBW_75 = """\
/usr/local/libexec/osu-micro-benchmarks/mpi/./pt2pt/osu_bibw: \
/usr/lib/aarch64-linux-gnu/libnl-3.so.200: no version information available \
(required by /usr/lib64/libcxi.so.1)

# OSU MPI Bi-Directional Bandwidth Test v7.5
# Datatype: MPI_CHAR.
# Size      Bandwidth (MB/s)        Validation
1                       0.93              Pass
2                       1.94              Pass
4                       3.89              Pass
8                       7.77              Pass
16                     15.61              Pass
32                     30.94              Pass
64                     62.10              Pass
128                   123.73              Pass
256                   247.77              Pass
512                   495.33              Pass
1024                  988.33              Pass
2048                 1977.44              Pass
"""

# ARCHER2 (EPCC), OMB 5.9 by srun
OSU_BW_59 = """\
# OSU MPI Bandwidth Test v5.9
# Size      Bandwidth (MB/s)
1                       2.05
2                       4.07
4                       8.60
8                      17.15
16                     34.65
32                     69.44
64                    139.06
128                   263.36
256                   493.64
512                  1051.25
1024                 2097.47
2048                 4196.75
4096                 8326.25
8192                16320.55
16384               19975.33
32768               19271.78
65536               21507.91
131072              22239.16
262144              22489.53
524288              22707.80
1048576             22771.54
2097152             22803.64
4194304             23286.54
"""

# A course at Trieste, 128 processes of one EPYC node, OMB 7.3
OSU_BCAST_73 = """\
# OSU MPI Broadcast Latency Test v7.3
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
1                       2.42
2                       3.41
4                       3.44
8                       3.43
16                      3.51
32                      4.06
64                      4.24
128                     5.67
256                     5.66
512                     6.09
1024                    6.70
2048                   10.54
4096                   19.47
8192                   35.75
16384                 116.96
"""

# Oracle's tutorial of HPC clusters (2023), ConnectX-5
IMB_PINGPONG_2018 = """\
#------------------------------------------------------------
#    Intel (R) MPI Benchmarks 2018, MPI-1 part    
#------------------------------------------------------------
# Date                  : Fri Jan 27 17:14:26 2023
# Machine               : x86_64
# System                : Linux
# Release               : 4.18.0-372.26.1.0.1.el8_6.x86_64
# Version               : #1 SMP Tue Sep 13 21:44:27 PDT 2022
# MPI Version           : 3.1
# MPI Thread Environment: 


# Calling sequence was: 

# /usr/mpi/gcc/openmpi-4.1.2a1/tests/imb/IMB-MPI1 -msglog 3:28 PingPong

# Minimum message length in bytes:   0
# Maximum message length in bytes:   268435456
#
# MPI_Datatype                   :   MPI_BYTE 
# MPI_Datatype for reductions    :   MPI_FLOAT
# MPI_Op                         :   MPI_SUM  
#
#

# List of Benchmarks to run:

# PingPong

#---------------------------------------------------
# Benchmarking PingPong 
# #processes = 2 
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         1.66         0.00
            8         1000         1.66         4.81
           16         1000         1.67         9.59
           32         1000         1.70        18.77
           64         1000         1.84        34.86
          128         1000         1.88        68.01
          256         1000         2.14       119.52
          512         1000         2.86       178.76
         1024         1000         2.34       438.04
         2048         1000         2.97       689.33
         4096         1000         3.46      1184.22
         8192         1000         4.47      1831.97
        16384         1000         6.28      2610.75
        32768         1000         8.16      4018.05
        65536          640        10.27      6383.12
       131072          320        15.51      8449.89
"""

# The mailing list of Open MPI (2007), whose mail program had broken the rows in two
IMB_SENDRECV_23 = """\
#---------------------------------------------------
#    Intel (R) MPI Benchmark Suite V2.3, MPI-1 part    
#---------------------------------------------------
# Date       : Fri May 18 13:56:36 2007
# Machine    : x86_64# System     : Linux
# Release    : 2.6.9-42.0.10.EL_lustre.1.4.10smp
# Version    : #1 SMP Tue May 15 19:56:35 MDT 2007
#
# Minimum message length in bytes:   0
# Maximum message length in bytes:   4194304
#
# MPI_Datatype                   :   MPI_BYTE 
# MPI_Datatype for reductions    :   MPI_FLOAT
# MPI_Op                         :   MPI_SUM  
#
#
# List of Benchmarks to run:
# Sendrecv
#-----------------------------------------------------------------------------
# Benchmarking Sendrecv 
# #processes = 2 
#-----------------------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec
            0         1000         4.06         4.06         4.06         0.00
            1         1000         4.22         4.22         4.22         0.45
            2         1000         4.40         4.40         4.40         0.87
            4         1000         4.36         4.36         4.36         1.75
            8         1000         4.35         4.35         4.35         3.50
           16         1000         4.42         4.42         4.42         6.90
           32         1000         4.59         4.59         4.59        13.29
           64         1000         4.70         4.71         4.71        25.93
          128         1000         5.17         5.17         5.17        47.18
          256         1000         7.24         7.25         7.24        67.38
          512         1000         8.90         8.91         8.91       109.63
"""

# IMB, issue 37 (2021): its excerpt of Sendrecv and Exchange, without the lines above
IMB_EXCHANGE = """\
#-----------------------------------------------------------------------------
# Benchmarking Exchange 
#-----------------------------------------------------------------------------
#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec] Mbytes/sec
262144 160 82.66 92.93 87.85 11283.53
524288 80 149.78 169.20 157.50 12394.29
1048576 40 581.32 797.35 711.64 5260.33
2097152 20 1880.77 2131.25 1996.31 3936.01
4194304 10 4011.95 4440.56 4226.54 3778.18
"""

# A run of IMB 2021.11 for these tests, by Open MPI on two busy cores, without its lines of the kernel
IMB_2021 = """\
#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part
#----------------------------------------------------------------
# Date                  : Mon Nov 23 08:06:23 2026
# Machine               : x86_64
# System                : Linux
# MPI Version           : 3.1
# MPI Thread Environment: 


# Calling sequence was: 

# ./IMB-MPI1 -msglog 3:12 PingPong PingPing Exchange 

# Minimum message length in bytes:   0
# Maximum message length in bytes:   4096
#
# MPI_Datatype                   :   MPI_BYTE 
# MPI_Datatype for reductions    :   MPI_FLOAT 
# MPI_Op                         :   MPI_SUM  
# 
# 

# List of Benchmarks to run:

# PingPong
# PingPing
# Exchange

#---------------------------------------------------
# Benchmarking PingPong 
# #processes = 2 
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0          343         0.21         0.00
            8          343         0.23        34.40
           16          343         0.28        56.15
           32          343         0.28       114.62
           64          343         0.30       210.51
          128          343         0.29       440.21
          256          343         0.32       790.86
          512          343         0.54       948.66
         1024          343         0.73      1401.85
         2048          343         1.13      1814.88
         4096          343         1.20      3423.72

#---------------------------------------------------
# Benchmarking PingPing 
# #processes = 2 
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.24         0.00
            8         1000         0.26        30.22
           16         1000       132.37         0.12
           32         1000         0.30       106.35
           64         1000         0.32       199.70
          128         1000         0.35       368.65
          256         1000         0.39       648.40
          512         1000       144.81         3.54
         1024         1000         0.94      1090.57
         2048         1000        29.36        69.76
         4096         1000        73.79        55.51

#-----------------------------------------------------------------------------
# Benchmarking Exchange 
# #processes = 2 
#-----------------------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec
            0         1000         0.34         0.35         0.35         0.00
            8         1000         0.44         0.44         0.44        73.30
           16         1000         0.42         0.42         0.42       153.22
           32         1000         0.42         0.42         0.42       303.97
           64         1000         0.48         0.49         0.48       527.82
          128         1000         0.47         0.47         0.47      1081.41
          256         1000         0.51         0.51         0.51      2009.49
          512          300         1.25         1.25         1.25      1634.13
         1024          300       566.68       566.68       566.68         7.23
         2048          300         2.26         2.27         2.27      3616.61
         4096          300         3.07         3.07         3.07      5334.98


# All processes entering MPI_Finalize
"""

# The documentation of a script for Grid'5000, NetPIPE 3.7.1 over InfiniBand
NETPIPE_37 = """\
0: adonis-9
1: adonis-10
Now starting the main loop
  0:       1 bytes  32103 times -->      4.58 Mbps in       1.67 usec
  1:       2 bytes  59994 times -->      9.22 Mbps in       1.65 usec
  2:       3 bytes  60440 times -->     13.79 Mbps in       1.66 usec
  3:       4 bytes  40180 times -->     18.34 Mbps in       1.66 usec
  4:       6 bytes  45076 times -->     27.07 Mbps in       1.69 usec
  5:       8 bytes  29563 times -->     36.16 Mbps in       1.69 usec
  6:      12 bytes  37023 times -->     53.84 Mbps in       1.70 usec
  7:      13 bytes  24500 times -->     57.97 Mbps in       1.71 usec
  8:      16 bytes  26977 times -->     71.61 Mbps in       1.70 usec
  9:      19 bytes  32995 times -->     84.65 Mbps in       1.71 usec
"""

# UCX, issue 2329 (2018): a build that prints seconds, in two pieces with mpirun's stamps
NETPIPE_SECONDS = """\
Mon Feb 19 15:13:08 2018[1,0]<stdout>: 67:     16380 bytes 17050 times --> \
Mon Feb 19 15:13:08 2018[1,0]<stdout>: 21774.40 Mbps in 0.000005739 sec
Mon Feb 19 15:13:08 2018[1,0]<stdout>: 68:     16383 bytes 21777 times --> \
Mon Feb 19 15:13:09 2018[1,0]<stdout>: 21754.76 Mbps in 0.000005746 sec
Mon Feb 19 15:13:09 2018[1,0]<stdout>: 69:     16386 bytes 21757 times --> \
Mon Feb 19 15:13:10 2018[1,0]<stdout>: 21656.13 Mbps in 0.000005773 sec
Mon Feb 19 15:13:10 2018[1,0]<stdout>: 70:     24572 bytes 21658 times --> \
Mon Feb 19 15:13:10 2018[1,0]<stdout>: 28868.23 Mbps in 0.000006494 sec
Mon Feb 19 15:13:10 2018[1,0]<stdout>: 71:     24575 bytes 25664 times --> \
Mon Feb 19 15:13:11 2018[1,0]<stdout>: 28883.94 Mbps in 0.000006491 sec
"""

# Notes on tuning Red Hat systems, NPtcp over 100-Mbit Ethernet: np.out
NP_OUT_3 = """\
       1 0.119498   0.00006385
       2 0.238476   0.00006398
       3 0.355399   0.00006440
       4 0.475133   0.00006423
8388605 149.220728   0.42889468
 8388608 149.242884   0.42883117
 8388611 149.187912   0.42898933
"""

# A run of NetPIPE 4 (its timing as kept among the extras of NetPIPE 5, Open MPI below): np.out. The
# rates are of the least, the mean and the largest time of seven, the time is the least.
NP_OUT_4 = """\
       1 0.893572   0.42954637   0.22942356   0.00000895
       2 0.718246   0.22692471   0.14536415   0.00002228
       3 100.500000   0.50711783   0.18346521   0.00000024
       4 2.983802   0.83027158   0.57606672   0.00001072
       6 10.566104   2.68107233   1.14123295   0.00000454
       8 28.515262  12.56848529   6.48147484   0.00000224
      12 10.037081   6.16329688   4.12650187   0.00000956
      16 41.941327   7.25713368   4.06131658   0.00000305
      24 37.806978  20.35356370  11.07736228   0.00000508
      32 24.801281  13.31905034   7.80372454   0.00001032
      48 1297.907389  13.23490526   6.38313048   0.00000030
      64 55.890615  21.08919486  10.83817046   0.00000916
      96 315.289518 208.47460570 124.35064300   0.00000244
     128 63.475981  38.87938011  24.87410858   0.00001613
     192 4575.288216 126.63519426  48.89359572   0.00000034
     256 147.945601  80.92548139  51.58296802   0.00001384
     384 938.960450 191.86383290  88.03297080   0.00000327
     512 291.801010  29.97542797  10.74721501   0.00001404
     768 533.838863 144.09021382  78.48285349   0.00001151
    1024 1686.315253 198.06387509  91.43618915   0.00000486
    1536 449.587826 228.92943861 157.35505515   0.00002733
    2048 797.626204 171.08312618  70.38971997   0.00002054
    3072 1137.077607  28.73316577  10.04975361   0.00002161
    4096 3418.364140 201.99994540 127.02721634   0.00000959
    6144 714.416416 369.84493751 202.92664895   0.00006880
    8192 26880.867796 476.64694126 307.21438084   0.00000244
"""

# A run of NetPIPE 5 for these tests, by Open MPI on two busy cores; its screen, and its np.out
NETPIPE_5 = """\
Using type MPI_DOUBLE for testing and turning perturbations off

      Clock resolution ~ \x1b[33m  1.000 nsecs\x1b[0m      Clock accuracy ~ \x1b[33m 24.000 nsecs\x1b[0m

Start testing with 7 trials for each message size
  1: \x1b[32m     16  B\x1b[0m     24999 times -->  \x1b[35m  5.468 Mbps\x1b[0m  in  \x1b[36m 23.408 usecs\x1b[0m\x1b[31m
\x1b[0m  2: \x1b[32m     24  B\x1b[0m     10680 times -->  \x1b[35m 10.461 Mbps\x1b[0m  in  \x1b[36m 18.354 usecs\x1b[0m\x1b[31m
\x1b[0m  3: \x1b[32m     32  B\x1b[0m     13621 times -->  \x1b[35m  1.984 Mbps\x1b[0m  in  \x1b[36m129.028 usecs\x1b[0m\x1b[31m
\x1b[0m  4: \x1b[32m     48  B\x1b[0m      1937 times -->  \x1b[35m 22.133 Mbps\x1b[0m  in  \x1b[36m 17.350 usecs\x1b[0m\x1b[31m
\x1b[0m  5: \x1b[32m     64  B\x1b[0m     14409 times -->  \x1b[35m 33.242 Mbps\x1b[0m  in  \x1b[36m 15.402 usecs\x1b[0m\x1b[31m
\x1b[0m  6: \x1b[32m     96  B\x1b[0m     16231 times -->  \x1b[35m 51.606 Mbps\x1b[0m  in  \x1b[36m 14.882 usecs\x1b[0m\x1b[31m
\x1b[0m  7: \x1b[32m    128  B\x1b[0m     16798 times -->  \x1b[35m 62.126 Mbps\x1b[0m  in  \x1b[36m 16.483 usecs\x1b[0m\x1b[31m
\x1b[0m  8: \x1b[32m    192  B\x1b[0m     15167 times -->  \x1b[35m 75.500 Mbps\x1b[0m  in  \x1b[36m 20.344 usecs\x1b[0m\x1b[31m
\x1b[0m  9: \x1b[32m    256  B\x1b[0m     12288 times -->  \x1b[35m122.999 Mbps\x1b[0m  in  \x1b[36m 16.651 usecs\x1b[0m\x1b[31m
\x1b[0m 10: \x1b[32m    384  B\x1b[0m     15014 times -->  \x1b[35m203.833 Mbps\x1b[0m  in  \x1b[36m 15.071 usecs\x1b[0m\x1b[31m
\x1b[0m 11: \x1b[32m    512  B\x1b[0m     16587 times -->  \x1b[35m126.038 Mbps\x1b[0m  in  \x1b[36m 32.498 usecs\x1b[0m\x1b[31m
\x1b[0m 12: \x1b[32m    768  B\x1b[0m      7692 times -->  \x1b[35m 95.408 Mbps\x1b[0m  in  \x1b[36m 64.397 usecs\x1b[0m\x1b[31m
"""
NP_OUT_5 = """\
       16     0.005     0.003     0.013   23.41
       24     0.010     0.003     0.119   18.35
       32     0.002     0.001     0.046  129.03
       48     0.022     0.005     0.384   17.35
       64     0.033     0.015     0.096   15.40
       96     0.052     0.032     0.083   14.88
      128     0.062     0.024     0.130   16.48
      192     0.075     0.037     0.465   20.34
      256     0.123     0.060     0.722   16.65
      384     0.204     0.093     0.647   15.07
      512     0.126     0.088     0.590   32.50
      768     0.095     0.039     1.616   64.40
"""


@pytest.mark.parametrize(
    ("text", "kind", "first", "last"),
    [
        pytest.param(OSU_LATENCY_5, "OSU latency", (0, 1.84), (4194304, 497.37), id="osu-5.0"),
        pytest.param(IMB_PINGPONG_2018, "IMB PingPong", (8, 1.66), (131072, 15.51), id="imb-2018"),
        pytest.param(IMB_SENDRECV_23, "IMB Sendrecv", (1, 4.22), (512, 8.91), id="imb-2.3"),
        pytest.param(IMB_2021, "IMB PingPong", (8, 0.23), (4096, 1.20), id="imb-2021"),
        pytest.param(NETPIPE_37, "NetPIPE", (1, 1.67), (19, 1.71), id="netpipe-3.7"),
        pytest.param(
            NETPIPE_SECONDS, "NetPIPE", (16380, 5.739), (24575, 6.491), id="netpipe-seconds"
        ),
        pytest.param(NETPIPE_5, "NetPIPE", (16, 23.408), (768, 64.397), id="netpipe-5"),
        pytest.param(NP_OUT_3, "NetPIPE np.out", (1, 63.85), (8388611, 428989.33), id="np.out-3"),
        pytest.param(NP_OUT_4, "NetPIPE np.out", (1, 8.95), (8192, 2.44), id="np.out-4"),
        pytest.param(NP_OUT_5, "NetPIPE np.out", (16, 23.41), (768, 64.40), id="np.out-5"),
    ],
)
def test_published_output_is_read_as_it_stands(
    text: str, kind: str, first: tuple[int, float], last: tuple[int, float], tmp_path: Path
) -> None:
    file = tmp_path / "published.txt"
    file.write_text(text)
    found = read_measurements(file)
    assert found.kind == kind
    pairs = sorted(zip(found.sizes.tolist(), found.times.tolist(), strict=True))
    assert pairs[0] == pytest.approx(first)
    assert pairs[-1] == pytest.approx(last)
    assert fit(found).alpha >= 0


def test_benchmarks_of_one_run_are_told_apart(tmp_path: Path) -> None:
    """PingPong, PingPing and Exchange in one file: each by its name, the others named."""
    file = tmp_path / "imb.txt"
    file.write_text(IMB_2021)
    for name, last in (("PingPong", 1.20), ("PingPing", 73.79), ("Exchange", 3.07 / 2)):
        found = read_measurements(file, name)
        assert found.kind == f"IMB {name}"
        assert found.times[-1] == pytest.approx(last)
    assert "PingPing" in str(read_measurements(file).left_out)


def test_an_exchange_counts_two_messages(tmp_path: Path) -> None:
    """262,144 bytes in 87.85 µs: two each way, so 43.925 µs a message."""
    file = tmp_path / "exchange.txt"
    file.write_text(IMB_EXCHANGE)
    found = read_measurements(file)
    assert (found.sizes[0], found.times[0]) == pytest.approx((262144, 87.85 / 2))


@pytest.mark.parametrize(
    ("text", "said"),
    [(OSU_BIBW_75, "bi-directional"), (OSU_BCAST_73, "broadcast")],
    ids=["bibw", "bcast"],
)
def test_what_is_no_message_one_way_is_refused(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "published.txt"
    file.write_text(text)
    with pytest.raises(InputError, match=said):
        read_measurements(file)


def test_a_published_rate_has_no_start_up(tmp_path: Path) -> None:
    """4 MB at 23,286.54 MB/s: a gap of 180.12 µs in a window."""
    file = tmp_path / "bw.txt"
    file.write_text(OSU_BW_59)
    found = read_measurements(file)
    assert not found.start_up
    assert found.times[-1] == pytest.approx(4194304 / 23286.54)

"""What profilers and tracers record of a program, as traffic.

    NAME.0.prof, ...    Open MPI's monitoring component, a file a rank, or all in one
    .xml                IPM, with IPM_LOG=full
    .mpiP               mpiP, where the report says who received
    .prv                Paraver traces, as Extrae writes them
    .otf2               OTF2 archives, as Score-P writes them (extra `otf2`)

What is counted is messages: what every rank sent to every other, in bytes, added up over the run.
Collectives count where the tool recorded the messages that they were made of (Open MPI); else a
note says that they are left out.
"""

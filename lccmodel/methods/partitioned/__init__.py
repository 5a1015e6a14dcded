"""Partitioned linear-complement permutations and Beneš-like networks [boppana, section 3.3]."""

from lccmodel.methods.partitioned.counting import (
    count_partitioned,
    count_undivided,
    list_partitioned,
    random_partitioned,
    unpacked,
)
from lccmodel.methods.partitioned.network import BenesNetwork, SwitchSettings, switch_settings
from lccmodel.methods.partitioned.tree import PartitionTree, partition_tree

__all__ = [
    "BenesNetwork",
    "PartitionTree",
    "SwitchSettings",
    "count_partitioned",
    "count_undivided",
    "list_partitioned",
    "partition_tree",
    "random_partitioned",
    "switch_settings",
    "unpacked",
]

"""Partitioned linear-complement permutations and Beneš-like networks [boppana, section 3.3]."""

from lccmodel.methods.partitioned.counting import (
    count_linear,
    count_linear_complement,
    count_partitioned,
    count_undivided,
    list_partitioned,
    unpacked,
)
from lccmodel.methods.partitioned.network import BenesNetwork, all_networks, count_networks
from lccmodel.methods.partitioned.sampling import random_partitioned
from lccmodel.methods.partitioned.settings import SwitchSettings, switch_settings
from lccmodel.methods.partitioned.tree import PartitionTree, is_partitioned, partition_tree

__all__ = [
    "BenesNetwork",
    "PartitionTree",
    "SwitchSettings",
    "all_networks",
    "count_linear",
    "count_linear_complement",
    "count_networks",
    "count_partitioned",
    "count_undivided",
    "is_partitioned",
    "list_partitioned",
    "partition_tree",
    "random_partitioned",
    "switch_settings",
    "unpacked",
]

"""Wormhole switching, flit by flit: latency, throughput, and programs run on the simulated network.

The subject of [hou, section 6]: its Tables 1 and 2 and Figs 5 to 7 come from here.
"""

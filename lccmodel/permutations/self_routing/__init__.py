"""Algorithm HL: self-routing in hypercubes and meshes [boppana].

self_route(c)                     every step of one permutation, as a `SelfRouting`
route_all(permutations)           how the routing of many ends
routed.on_mesh("one")             unit steps on a mesh or torus
network_of(routed)                the network of switches that it uses
circuits(routed)                  whether the paths can be held at the same time
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

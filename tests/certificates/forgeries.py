"""Forged certificates, each with a digest of its own, that a checker has to refuse.

A forgery is a sample of `samples.py` with some entries replaced. `FORM` holds entries that no
certificate may have in that place, whatever they mean; 0.4 accepted those that are marked.
`CONTENT` holds entries of the right form that prove nothing.
"""

from __future__ import annotations

from typing import Any

Change = tuple[tuple[Any, ...], Any]

EMPTY, ARABIC_TWO = "", "٢"

FORM: dict[str, tuple[str, list[Change]]] = {
    # numbers that are no integers in ASCII digits, and no p/q of those
    "a float in a stretch": ("degree", [(("proof", "stretches", 0, 1), 50.0)]),
    "a float for the degree": ("degree", [(("answer", "Q"), 5.0)]),
    "a float for the items": ("degree", [(("problem", "N"), 50.0)]),
    "a truth value for a step": ("degree", [(("problem", "steps", "A"), True)]),
    "a truth value for an end": (
        "placement",
        [(("problem", "phases", 0, "messages", 0, 0), False)],
    ),
    "a truth value in an order": ("gather", [(("answer", "order"), [False, True, 2])]),  # accepted
    "floats in an order": ("gather", [(("answer", "order"), [0.0, 1.0, 2.0])]),
    "a text for an order": ("gather", [(("answer", "order"), "012")]),
    "an exponent": ("degree", [(("problem", "barrier"), "1e0")]),  # accepted
    "a huge exponent": ("degree", [(("problem", "barrier"), "1e100000000")]),  # ran for ever
    "a decimal point": ("degree", [(("problem", "barrier"), "1.0")]),  # accepted
    "a plus sign": ("degree", [(("problem", "barrier"), "+1")]),  # accepted
    "spaces around a number": ("degree", [(("problem", "barrier"), " 1 ")]),  # accepted
    "a line end after a number": ("degree", [(("problem", "barrier"), "1\n")]),  # accepted
    "an underscore in a number": ("degree", [(("problem", "barrier"), "0_1")]),  # accepted
    "another script's digit": ("placement", [(("answer", "value"), "\u0661")]),  # accepted
    "a minus sign": ("degree", [(("problem", "barrier"), "-1")]),
    "a negative integer": ("degree", [(("problem", "barrier"), -1)]),
    "a division by 0": ("degree", [(("problem", "barrier"), "1/0")]),
    "a fraction of a fraction": ("degree", [(("problem", "barrier"), "1/1/1")]),
    "no number": ("degree", [(("problem", "barrier"), EMPTY)]),
    "infinity": ("degree", [(("problem", "barrier"), "inf")]),
    "an integer of 401 digits": ("degree", [(("problem", "barrier"), 10**400)]),
    "a text of 401 digits": ("degree", [(("problem", "barrier"), "1" * 401)]),
    "a denominator of 401 digits": ("degree", [(("problem", "barrier"), "1/" + "1" * 401)]),
    "a number as a list": ("degree", [(("problem", "barrier"), [1])]),
    "nothing for a number": ("degree", [(("problem", "barrier"), None)]),
    # words
    "a text for a ring": ("placement", [(("problem", "network", "rings"), ["no"])]),  # accepted
    "an integer for a ring": ("placement", [(("problem", "network", "rings"), [0])]),  # accepted
    "nothing for a ring": ("placement", [(("problem", "network", "rings"), [None])]),  # accepted
    "cube:+3": ("gather", [(("problem", "network"), "cube:+3")]),  # accepted
    "cube:3 and a line end": ("gather", [(("problem", "network"), "cube:3\n")]),  # accepted
    "cube: 3": ("gather", [(("problem", "network"), "cube: 3")]),  # accepted
    "cube:03": ("gather", [(("problem", "network"), "cube:03")]),  # accepted
    "cube:0_3": ("gather", [(("problem", "network"), "cube:0_3")]),  # accepted
    "another script's cube": ("gather", [(("problem", "network"), "cube:\u0663")]),  # accepted
    "a capital letter": ("gather", [(("problem", "network"), "Cube:3")]),
    "no network": ("gather", [(("problem", "network"), ["cube", 3])]),
    "sends both": ("gather", [(("problem", "sends"), "both")]),
    "sends as a list": ("gather", [(("problem", "sends"), ["gather"])]),
    "an integer for true": ("allreduce", [(("proof", "start_ups"), 1)]),  # accepted
    "a text for true": ("allreduce", [(("proof", "start_ups"), "no")]),  # accepted
    "an unknown operation": ("allreduce", [(("answer", "steps", 0, 0, 3), "ADD")]),
    "an unknown tie": ("schedule", [(("answer", "ties", 0), "minus")]),
    "an unknown direction": ("places", [(("proof", "direction"), "up")]),
    "ports as a list": ("allreduce", [(("problem", "ports"), ["all"])]),
    # lists
    "a text of bits as a row's list": ("gather", [(("problem", "A", 0), ["1", "1", "0"])]),
    "a row too short": ("gather", [(("problem", "A", 0), "11")]),
    "a row with a space": ("gather", [(("problem", "A", 0), "11 ")]),
    "another script's bit": ("gather", [(("problem", "A", 0), "11\u0660")]),
    "a matrix as a text": ("gather", [(("problem", "A"), "110")]),
    "an object for a list": ("tree", [(("problem", "phases"), {"0": 1})]),
    "a message of two": ("placement", [(("problem", "phases", 0, "messages", 0), [0, 1])]),
    "a message of four": ("placement", [(("problem", "phases", 0, "messages", 0), [0, 1, 1, 1])]),
    "a stretch of four": ("degree", [(("proof", "stretches", 0), [4, 50, 5, 5])]),
    "a text for a stretch": ("degree", [(("proof", "stretches", 0), "455")]),
    "a node twice": ("placement", [(("answer", "node_of"), [0, 0, 1])]),
    "a ring too few": ("widths", [(("problem", "network", "rings"), [False])]),
    "a bandwidth too few": ("widths", [(("problem", "network", "bandwidths"), [1])]),
    "a bandwidth of 0": ("widths", [(("problem", "network", "bandwidths"), [0, 3])]),
    "a box of three lengths": ("parts", [(("proof", "box"), [2, 2, 1])]),
    "a box as a text": ("parts", [(("proof", "box"), "22")]),
    "a level as a truth value": ("parts of a tree", [(("proof", "box"), True)]),
    "a phase as a truth value": ("parts", [(("proof", "phase"), False)]),
    "lists nested 50 deep": ("gather", [(("proof", "more"), eval("[" * 50 + "]" * 50))]),
    # sizes
    "twenty sides of 2 and 2,000 of 1": (
        "placement",
        [
            (("problem", "network", "sides"), [2] * 20 + [1] * 2000),
            (("problem", "network", "rings"), [False] * 2020),
            (("problem", "network", "bandwidths"), [1] * 2020),
        ],
    ),  # 60 s
    "a network of 2^40 places": ("placement", [(("problem", "network", "sides"), [1 << 40])]),
    "2^40 places at a router": ("placement", [(("problem", "network", "seats"), 1 << 40)]),
    "2^30 blocks": ("allreduce", [(("problem", "blocks"), 1 << 30)]),
    "4 ranks with 2^20 blocks each": ("allreduce", [(("problem", "blocks"), 1 << 20)]),
    "10^9 ranks": ("placement", [(("problem", "ranks"), 10**9)]),
    "10^9 dimensions": ("degree", [(("problem", "d"), 10**9)]),
    "100,000 pieces": ("degree", [(("problem", "pieces"), [[None, 1, 1]] * 100000)]),
}

CONTENT: dict[str, tuple[str, list[Change]]] = {
    "a degree of half as much": ("gather", [(("answer", "degree"), 1)]),
    "a degree of twice as much": ("gather", [(("answer", "degree"), 4)]),
    "a degree of 0": ("gather", [(("answer", "degree"), 0)]),
    "a degree of 3": ("gather", [(("answer", "degree"), 3)]),
    "a degree of 2^200": ("gather", [(("answer", "degree"), 1 << 200)]),
    "another order": ("gather", [(("answer", "order"), [2, 1, 0])]),
    "another matrix": ("gather", [(("problem", "A"), ["100", "010", "001"])]),
    "other factors": ("gather", [(("proof", "factors"), [["1", "1", "1"], ["110"]])]),
    "no steps": ("gather", [(("proof", "steps"), [])]),
    "no step needs a proof": ("gather", [(("proof", "steps"), [None] * 3)]),
    "the other reading": ("scatter", [(("problem", "sends"), "gather")]),
    "another network of as many bits": ("gather", [(("problem", "network"), "origin:3")]),
    "one bit more": ("gather", [(("problem", "network"), "cube:4")]),
    "a time of half as much": ("degree", [(("answer", "time"), 1)]),
    "the degree beside the best": ("degree", [(("answer", "Q"), 1)]),
    "no stretches": ("degree", [(("proof", "stretches"), [])]),
    "a value of half as much": ("tree", [(("answer", "value"), "1/2")]),
    "a better bound than there is": ("tree", [(("proof", "bound"), "distances")]),
    "a larger eigenvalue": ("eigenvalue", [(("proof", "eigenvalue"), 5)]),
    "a step less": ("schedule", [(("answer", "length"), 6)]),
    "all steps at once": ("schedule", [(("answer", "steps"), [[0] * 8] * 3)]),
    "no plan": ("allreduce", [(("answer", "steps"), [])]),
    "fewer start-ups": ("alltoall", [(("answer", "start_ups"), 1)]),
    "nothing is shown": (
        "allreduce",
        [(("proof", "start_ups"), False), (("proof", "data"), None)],
    ),
    "a sum below the answer": ("sums", [(("answer", "value"), 1)]),
    "families of nothing": ("orders", [(("proof", "from"), [[]])]),
}

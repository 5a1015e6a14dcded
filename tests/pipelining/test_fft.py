"""The FFT as a CC-cube algorithm equals numpy's, for any number of items and packets.

[calmant, section 2.2] names the FFT as a CC-cube algorithm; section 2.4 cuts it into packets.
"""

import numpy as np
import pytest

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.pipelining.fft import cube_fft
from tests.bridges import check_bridge


@pytest.mark.parametrize("d", range(1, 6))
def test_every_degree_gives_the_transform(d):
    """Term by term, and nothing is read that has not come: by the bridge."""
    check_bridge("cube_fft", d)


def test_a_large_transform():
    signal = np.random.default_rng(7).normal(size=48 << 10)
    assert np.allclose(cube_fft(10).run(signal, 20), np.fft.fft(signal), atol=1e-9)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: cube_fft(0), "d"),
        (lambda: cube_fft(2).run(np.zeros(6)), "signal"),
        (lambda: cube_fft(2).run(np.zeros(0)), "signal"),
        (lambda: cube_fft(2).run(np.zeros((2, 4))), "signal"),
        (lambda: cube_fft(1).run(np.array(["a", "b"])), "signal"),
        (lambda: cube_fft(2).run(np.zeros(8), 3), "Q"),
    ],
)
def test_bad_input_is_refused(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument


def test_too_many_processes_are_refused():
    with pytest.raises(SizeLimitError):
        cube_fft(21)

"""A lecture's exploration (issue 15, "Done when"), in JupyterLab in a real browser."""

import time

import pytest

from tests.cli import calling

pytestmark = pytest.mark.browser

IMAGE = ".jp-OutputArea img.widget-image"


def test_results_are_shown(lab):
    lab.run(
        "results.ipynb",
        "import lccmodel as lcc\nlcc.contention(lcc.catalog.matrix_transpose(4), lcc.Hypercube(4))",
        "%matplotlib inline\nlcc.catalog.matrix_transpose(4).plot();",
    )
    assert "Channel contention" in lab.texts(".jp-OutputArea table")[0]
    lab.wait(lambda: lab.count(".jp-OutputArea img") == 1, "a picture")


def test_a_communication_is_explored(lab):
    lab.run("orders.ipynb", "import lccmodel as lcc\nlcc.explore(lcc.catalog.matrix_transpose(4))")
    shown(lab)
    assert "order 0,2,1,3 on cube:4: busiest channel 1, as it is 2; best 1" in said(lab)
    changes(lab, lambda: lab.type_into(".widget-text input", "natural"))
    assert "order 0,1,2,3 on cube:4: busiest channel 2" in said(lab)
    changes(lab, lambda: lab.choose(".widget-dropdown select", "mesh:4x4"))
    assert "order 0,1,2,3 on mesh:4x4: busiest channel 3, as it is 3; best 1" in said(lab)
    lab.type_into(".widget-text input", "0,0,1,2")
    lab.wait(lambda: "order: must name each of the bits 0..3 once" in said(lab), "a complaint")


def test_messages_are_followed_step_by_step(lab):
    lab.run(
        "hl.ipynb",
        "import lccmodel as lcc\nlcc.explore(lcc.compare(lcc.catalog.matrix_transpose(4))['hl'])",
    )
    shown(lab)
    assert "step 1 of 4" in said(lab)
    changes(lab, lambda: lab.press_right(".widget-slider .noUi-handle"))
    assert "step 2 of 4: 8 messages move, load 1" in said(lab)
    changes(lab, lambda: lab.choose(".widget-dropdown select", "6"))
    assert "message 6 to 9 stands at 3" in said(lab)


def test_schedules_worms_and_machines_are_explored(lab):
    lab.run(
        "others.ipynb",
        "import lccmodel as lcc\n"
        "from lccmodel.pipelining import Machine, Task, schedule\n"
        "lcc.explore(schedule(Task(0, 3, 'mesh:4x4')))",
        "lcc.explore(lcc.wormhole.trace(lcc.catalog.bit_reverse(3), lcc.Hypercube(3)))",
        "lcc.explore(Machine('16x16', alpha=500, tau=1))",
    )
    shown(lab, 3)
    for cell, words in enumerate(("step 1, 2 of 3", "cycle 2 of 7", "times as fast")):
        changes(lab, lambda k=cell: lab.press_right(".widget-slider .noUi-handle", k))
        assert words in said(lab)


def test_pictures_are_sharp_and_fit_a_screen_with_their_sliders(lab):
    """0.4 scaled 440 pixels up to 1,093, and drew worms on 16 nodes 1,938 pixels high."""
    before = lab.browser.get_window_size()
    lab.browser.set_window_size(1366, 768)
    try:
        lab.run(
            "screen.ipynb",
            "import lccmodel as lcc\nfrom lccmodel.pipelining import Machine\n"
            "lcc.explore(lcc.wormhole.trace(lcc.catalog.bit_reverse(4), 'cube:4'))",
            "lcc.explore(Machine('8x8', alpha=500, tau=1))",
            "lcc.explore(lcc.catalog.matrix_transpose(4))",
        )
        shown(lab, 3)
        sizes = lab.script(
            f"return [...document.querySelectorAll('{IMAGE}')].map(e =>"
            " [e.naturalWidth, e.clientWidth, e.clientHeight])"
        )
        for natural, wide, high in sizes:
            assert natural >= 2 * wide - 2  # never scaled up
            assert high <= 560
        assert "4,096" in lab.texts(".widget-readout")
    finally:
        lab.browser.set_window_size(before["width"], before["height"])


def test_an_animated_page_plays(browser, tmp_path):
    """`--plot FILE.html`: the slider changes the picture, and the button plays them all."""
    file = tmp_path / "steps.html"
    typed = ["schedule", "--task", "0,4", "--network", "mesh:4x4", "--plot"]
    assert calling.run(*typed, file).exit_code == 0
    browser.get(file.as_uri())

    def state():
        return browser.execute_script(
            "return [picture.src.length, picture.naturalWidth > 0, shown.value]"
        )

    first = state()
    assert first[1:] == [True, "1 of 4"]
    browser.execute_script("step.value = 2; step.dispatchEvent(new Event('input'))")
    third = state()
    assert third[0] != first[0]
    assert third[2] == "3 of 4"
    browser.find_element("id", "play").click()
    end = time.monotonic() + 6
    while state()[2] != "4 of 4":
        assert time.monotonic() < end


def shown(lab, count=1):
    lab.wait(lambda: lab.count(IMAGE) == count, "widgets")
    lab.wait(lambda: all(widths(lab)), "pictures")


def widths(lab):
    return lab.script(f"return [...document.querySelectorAll('{IMAGE}')].map(e => e.naturalWidth)")


def pictures(lab):
    return lab.script(f"return [...document.querySelectorAll('{IMAGE}')].map(e => e.src)")


def said(lab):
    return " | ".join(lab.texts(".jp-OutputArea .widget-html-content"))


def changes(lab, act):
    """Do something, and wait until a picture is another one."""
    before, words = pictures(lab), said(lab)
    act()
    lab.wait(lambda: pictures(lab) != before and said(lab) != words, "another picture")
    lab.wait(lambda: all(widths(lab)), "a picture that is drawn")

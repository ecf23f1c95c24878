"""The door to the kernels: `REPARTO_KERNELS`, arguments, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from functools import partial

import numpy as np
import pytest

from reparto import kernels
from reparto.kernels.reference.cosine import cosines

ROWS = np.eye(4, dtype=np.float32)
RELEVANCE = [0.9, 0.8, 0.7, 0.6]


def run(code, **variables):
    environment = {**os.environ, **variables}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


SHOW = "from reparto import kernels; print(kernels.active().name, '|', kernels.active().because)"
WITHOUT = "import sys; sys.modules['reparto.kernels._native'] = None; "


def test_numpy_can_be_asked_for():
    done = run(SHOW, REPARTO_KERNELS="numpy")
    assert done.stdout.startswith("numpy | REPARTO_KERNELS=numpy"), done.stderr


def test_auto_without_the_native_module_says_why():
    done = run(WITHOUT + SHOW, REPARTO_KERNELS="auto")
    assert done.stdout.startswith("numpy | the native module does not import"), done.stderr


def test_native_without_the_native_module_is_an_error_with_a_remedy():
    done = run(WITHOUT + SHOW, REPARTO_KERNELS="native")
    assert done.returncode != 0
    assert "native_kernels_missing" in done.stderr
    assert "REPARTO_KERNELS=auto" in done.stderr


def test_an_unknown_choice_is_an_error():
    done = run(SHOW, REPARTO_KERNELS="fortran")
    assert "fortran" in done.stderr
    assert "auto, native, numpy" in done.stderr


def test_native_can_be_asked_for_where_it_is():
    pytest.importorskip("reparto.kernels._native", reason="the native kernels are not built")
    assert run(SHOW, REPARTO_KERNELS="native").stdout.startswith("native"), "it imports here"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lam": 1.5}, "lambda"),
        ({"lam": float("nan")}, "lambda"),
        ({"k": -1}, "k must"),
        ({"relevance": [[0.5]]}, "relevance"),
        ({"relevance": [0.5, float("nan"), 0.4, 0.3]}, "finite"),
        ({"rows": np.eye(3)}, "rows"),
        ({"rows": None}, "either"),
        ({"similarity": np.eye(4)}, "either"),
        ({"rows": None, "similarity": np.eye(3)}, "similarity"),
        ({"rules": kernels.Rules(codes=np.array([[7]] * 4), caps=np.array([1]))}, "codes"),
        ({"rules": kernels.Rules(costs=np.array([1, 2, -1, 0]), limit=3)}, "costs"),
        ({"rules": kernels.Rules(seated=(4,))}, "seated"),
        ({"rules": kernels.Rules(seated=(1, 1))}, "seated"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(arguments, message):
    given = {"relevance": RELEVANCE, "k": 2, "lam": 0.5, "rows": ROWS, **arguments}
    with pytest.raises(ValueError, match=message):
        kernels.greedy(given.pop("relevance"), given.pop("k"), given.pop("lam"), **given)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_other_types_and_strides_are_accepted(dtype):
    rng = np.random.default_rng(3)
    wide = rng.normal(size=(40, 32)).astype(dtype)
    for view in (wide, wide[::2], wide[:, ::2], np.asfortranarray(wide), wide[::-1]):
        plain = np.ascontiguousarray(view, dtype=np.float32)
        relevance = np.linspace(1, 0, len(view))
        found = kernels.greedy(relevance, 8, 0.5, rows=view)
        assert found.indices.tolist() == kernels.greedy(relevance, 8, 0.5, rows=plain).indices.tolist()


def test_the_callers_vectors_are_neither_copied_nor_changed():
    rows = np.eye(300, dtype=np.float32)
    rows.setflags(write=False)
    kernels.greedy(np.linspace(1, 0, 300), 5, 0.5, rows=rows)
    assert np.ascontiguousarray(rows, dtype=np.float32) is rows


def test_the_interpreter_is_free_while_a_kernel_runs():
    native = pytest.importorskip("reparto.kernels._native", reason="the native kernels are not built")
    rows = np.random.default_rng(4).normal(size=(3_000, 512)).astype(np.float32)
    relevance = np.zeros(3_000)
    kernel = partial(native.greedy, relevance, 400, 0.0, rows=rows)
    assert any(lets_others_in(kernel) for _ in range(20))
    # Python code that nobody interrupts: what never lets go is told from what does.
    assert not any(lets_others_in(partial(sum, range(1_000_000))) for _ in range(5))


def lets_others_in(call):
    """Whether this thread got the interpreter before a call in another one was over.

    No thread is made to hand it over here, so it is had only when the call lets go of it. That a busy machine wakes
    this thread too late is no proof of the contrary.
    """
    begun, done = threading.Event(), []

    def work():
        begun.set()
        call()
        done.append(True)

    thread = threading.Thread(target=work)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        thread.start()
        begun.wait()
        free = not done
        thread.join()
    finally:
        sys.setswitchinterval(usual)
    return free


def test_cosines_do_not_depend_on_the_place_among_the_others():
    rng = np.random.default_rng(5)
    rows = (rng.normal(size=(33, 77)) / 9).astype(np.float32)
    order = rng.permutation(33)
    for implementation in (kernels.cosines, cosines):
        assert np.array_equal(implementation(rows, rows[0])[order], implementation(rows[order], rows[0]))


def test_equal_directions_are_exactly_one_and_no_zero_is_negative():
    rng = np.random.default_rng(6)
    wide = rng.normal(size=(200, 96))
    rows = (wide / np.linalg.norm(wide, axis=1, keepdims=True)).astype(np.float32)
    for i in range(200):
        assert kernels.cosines(rows, rows[i])[i] == 1.0
    zero = kernels.cosines(np.float32([[1, 0], [0, -1e-30]]), np.float32([0, 1]))
    assert not np.signbit(zero).any()

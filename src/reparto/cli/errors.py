"""Exit codes and messages: every error that `reparto` knows ends in a line or more on stderr, never in a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import click

from reparto.errors import InputError, Problem, RepartoError

FAILED, BAD_INPUT = 1, 2


class ReaderGoneError(Exception):
    """Nobody reads the output any more; click would exit with 1, which says "a check failed"."""


def failing(call: Callable[[], Any]) -> None:
    """Run a command and exit: 0 done, 1 a check failed, 2 bad input or usage."""
    try:
        code = call()
        sys.stdout.flush()
    except RepartoError as error:
        say(str(error))
        code = BAD_INPUT
    except click.exceptions.Abort:
        say("interrupted")
        code = 130
    except click.ClickException as error:
        error.show(file=sys.stderr)
        code = BAD_INPUT
    except (ReaderGoneError, BrokenPipeError):
        # The reader has gone (`| head`): not an error, and there is no one left to tell.
        _drop_output()
        code = 0
    except OSError as error:  # a disk that is full, a folder that is not there
        problem = Problem("unusable", f"{error.filename or 'output'}: {error.strerror or error}", "look at the path")
        say(str(InputError(problem)))
        _drop_output()
        code = BAD_INPUT
    sys.exit(code if isinstance(code, int) else 0)


def _drop_output() -> None:
    """What is still buffered cannot be written: the interpreter is not to try it again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(message: str) -> None:
    """A message for the person at the terminal: on stderr, never on stdout."""
    click.echo(message, err=True)

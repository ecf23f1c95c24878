"""Exit codes and messages: every error that `reparto` knows ends in a line or more on stderr, never in a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import click

from reparto.errors import InputError, RepartoError

FAILED, BAD_INPUT = 1, 2


def failing(call: Callable[[], Any]) -> None:
    """Run a command and exit: 0 done, 1 a check failed, 2 bad input or usage."""
    try:
        code = call()
    except InputError as error:
        say(str(error))
        code = BAD_INPUT
    except RepartoError as error:
        say(str(error))
        code = BAD_INPUT
    except click.exceptions.Abort:
        say("interrupted")
        code = 130
    except click.ClickException as error:
        error.show(file=sys.stderr)
        code = BAD_INPUT
    except BrokenPipeError:
        # The reader has gone (`| head`): not an error, and there is no one left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code if isinstance(code, int) else 0)


def say(message: str) -> None:
    """A message for the person at the terminal: on stderr, never on stdout."""
    click.echo(message, err=True)

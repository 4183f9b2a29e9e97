"""Waiting for what other processes do: looks often, sleeps in between, and gives up after one patience."""

import asyncio
import os
import time

# Seconds after which a state that has not come will not come, on a machine of ordinary speed or one ten times slower.
# MARQUEE_SLOWNESS multiplies it, for a machine that is slower still.
PATIENCE = 300 * float(os.environ.get("MARQUEE_SLOWNESS", "1"))
PAUSE = 0.02


class Failure(Exception):
    """A check that does not hold."""


class Wait:
    """One wait: what it is for, what it saw last, and when it gives up."""

    def __init__(self, what, patience):
        self.what, self.patience = what, patience
        self.deadline = time.monotonic() + patience
        self.seen = "nothing"

    def look(self, value):
        """Returns the value if it is what was waited for, or None; fails when the patience has ended."""
        try:
            if found := value():
                return found
            self.seen = repr(found)
        except Failure:
            raise
        except Exception as error:  # a process that is not there yet refuses, hangs up, answers half
            self.seen = repr(error)
        if time.monotonic() > self.deadline:
            raise Failure(f"did not happen within {self.patience:.0f} s: {self.what}; seen last: {self.seen}")
        return None


def eventually(value, what, patience=PATIENCE):
    """Looks until `value()` is true, and returns it.

    An exception counts as not yet, except a `Failure`: what `value` knows will never come, it raises.
    """
    wait = Wait(what, patience)
    while not (found := wait.look(value)):
        time.sleep(PAUSE)
    return found


async def eventually_async(value, what, patience=PATIENCE):
    """Does what `eventually` does, while other tasks go on."""
    wait = Wait(what, patience)
    while not (found := wait.look(value)):
        await asyncio.sleep(PAUSE)
    return found

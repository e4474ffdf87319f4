"""The client's life: dial, serve, come back with growing waits, stop when told to or rejected (spec 6.1).

Exit codes: 0 stopped by its user, 2 wrong usage, 3 rejected by the relay. No Django.
"""

import asyncio
import random
import secrets
import signal
import sys
import time
from typing import Final

from websockets.exceptions import WebSocketException

from tunnel.client.inspector import Inspector
from tunnel.client.journal import Journal
from tunnel.client.options import OptionError, Options, from_environment, options_parser, read_options
from tunnel.client.session import Rejected, Session
from tunnel.client.target import Target
from tunnel.core.claims import Backoff
from tunnel.core.frames import ProtocolError, Ready
from tunnel.wire import ConnectionEnded

STOPPED: Final = 0
USAGE: Final = 2
REJECTED: Final = 3


def main(arguments: list[str], program: str) -> int:
    """Run the client; returns its exit code."""
    parser = options_parser(program)
    try:
        options = read_options(parser.parse_args(arguments), from_environment())
    except OptionError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return USAGE
    return asyncio.run(_until_stopped(options))


async def _until_stopped(options: Options) -> int:
    journal = Journal(_say, keeps_bodies=options.inspect_port is not None)
    inspector = Inspector(journal, Target(options.target_host, options.target_port))
    if options.inspect_port is not None:
        try:
            _say(f"requests are shown at {await inspector.listen(options.inspect_port)}")
        except OSError as error:
            _say(f"--inspect {options.inspect_port} cannot be used: {error}")
            return USAGE
    serving = asyncio.ensure_future(keep_serving(options, journal))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, serving.cancel)
    try:
        return await serving
    except asyncio.CancelledError:
        _say("stopped")
        return STOPPED


async def keep_serving(options: Options, journal: Journal) -> int:
    """Serve until the relay rejects us; returns the exit code."""
    instance = secrets.token_hex(8)
    backoff = Backoff()
    while True:
        opened: list[float] = []

        def ready(frame: Ready, opened: list[float] = opened) -> None:
            opened.append(time.monotonic())
            journal.say(_status(frame, options))

        try:
            await Session(options, instance, journal, ready).run()
        except Rejected as rejected:
            journal.say(f"rejected: {rejected}")
            return REJECTED
        except (OSError, TimeoutError, WebSocketException, ConnectionEnded, ProtocolError) as error:
            backoff.lost(time.monotonic() - opened[0] if opened else 0.0)
            wait = backoff.wait(random.random())
            what = "lost" if opened else "no connection"
            journal.say(f"{what}: {_told(error)}; trying again in {wait:.1f} s")
            await asyncio.sleep(wait)


def _told(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _status(ready: Ready, options: Options) -> str:
    expires = "" if ready.expires_in_s is None else f", token expires in {_span(ready.expires_in_s)}"
    return f"serving {ready.url} from {options.target}{expires}"


def _span(seconds: float) -> str:
    for size, unit in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _say(text: str) -> None:
    print(text, flush=True)

"""The declaration file of the JS client, made of what is true elsewhere.

Methods and their types come from the comments of client.js, codes from the server's own tables, frames from
the protocol. What events and options hold is written here, and the client's tests compare it with the real
ones. A public member of the client that says nothing of its types is an error, not a guess.
"""

import re
from pathlib import Path
from typing import Final

from msgspec import Struct

from gateway.core.admission import REFUSALS
from gateway.core.closing import By

SOURCE: Final = Path(__file__).parent / "static" / "gateway" / "client.js"

MEMBER: Final = re.compile(
    r"^  (?:/\*\*(?P<comment>(?:(?!\*/)[\s\S])*)\*/\n  )?"
    r"(?P<prefix>static |get |async )?(?P<name>[a-z]\w*)\((?P<parameters>.*)\) \{\n"
    r"(?P<body>(?:    .*\n|\n)*)",
    re.MULTILINE,
)
PARAMETER: Final = re.compile(r"@param \{(?P<type>[^}]+)\} (?P<name>\w+|\[\w+\])")
RETURNS: Final = re.compile(r"@returns \{(?P<type>[^}]+)\}")

LINE: Final = 100
"""Characters of a comment that stays on one line."""

EVENTS: Final = {
    "state": "StateDetail",
    "message": "ServerFrame",
    "latency": "LatencyDetail",
    "refused": "RefusedDetail",
    "closed": "ClosedDetail",
}
"""What a page may listen to, and what each event's ``detail`` is."""

HEAD: Final = """\
/** Types of client.js (spec 4.2). Made by `manage.py protocol_docs`: edit client.js or the server's types. */

import type { Avatar, Command, Event as ServerEvent, Heartbeat, SettingsPatch } from "./protocol.js";
"""

SHAPES: Final = """\
export type ConnectionState =
  /** connect() was not called yet */
  | "idle"
  /** the first try of a series that a person started */
  | "connecting"
  | "connected"
  /** a lost connection is being replaced: a try, or the pause before it */
  | "reconnecting"
  /** a pause the server asked for; `retryInMs` says how long */
  | "waiting"
  /** the browser reports no network; it reconnects by itself */
  | "offline"
  /** this seat or tab is live elsewhere; only retry() comes back */
  | "replaced"
  /** the server refuses, and waiting does not help */
  | "refused"
  /** ended for good, or lost while no room was held */
  | "closed"
  /** the series is over; retry(), a waking page or the network's return starts another */
  | "gave-up";

export interface StateDetail {
  state: ConnectionState;
  /** The try being made or waited for; 0 while there is none. */
  attempt: number;
  /** 6; 1 after a 1008; 50 while the server restarts. */
  of: number;
  /** Present while a try is waited for. */
  retryInMs?: number;
  /** What brought the state about: a close code or a refusal's code. */
  code?: number | RefusalCode | (string & {});
  /** English; pages translate by `code`, or by `state` where there is none. */
  text?: string;
}

export interface RefusedDetail {
  code: RefusalCode | (string & {});
  text: string;
  /** False while the client goes on by itself (waits, or joins again). */
  terminal: boolean;
  retryAfterMs?: number;
}

export interface ClosedDetail {
  code: number;
  reason: string;
  text: string;
  by: Ender;
}

export interface LatencyDetail {
  /** Last measured round trip plus how late the newest heartbeat came. For display only. */
  ms: number;
}

/** Every server frame except HEARTBEAT, which the client answers itself. Narrow it by `type`. */
export type ServerFrame = Exclude<ServerEvent, Heartbeat>;

export type ClientFrame = Command;

export interface Seat {
  roomId: string;
  seatId: string;
  roomCode: string;
  name: string;
  avatar?: Avatar;
}

export type ResumeCard = Omit<Seat, "roomId">;

export interface CreateEntry {
  name: string;
  avatar?: Avatar;
  settings?: SettingsPatch;
}

export interface JoinEntry {
  roomCode: string;
  name: string;
  avatar?: Avatar;
  /** Go back to this seat of the same account, as a resume card names it. */
  seatId?: string;
  /** Only from a button: takes the seat from where it is live now. */
  takeOver?: boolean;
}

export interface WatchEntry {
  roomCode: string;
}

export interface ClientOptions {
  /** Default "/ws"; relative to the page. */
  url?: string;
  /** Default "/api/ws/preflight". */
  preflightUrl?: string;
  /** Stand-ins for the browser's own, for tests. */
  WebSocket?: typeof WebSocket;
  fetch?: typeof fetch;
  /** Milliseconds on a clock that never goes back. */
  now?: () => number;
  setTimeout?: (fn: () => void, ms: number) => unknown;
  clearTimeout?: (timer: unknown) => void;
  /** In [0, 1). */
  random?: () => number;
  sessionStorage?: Storage;
  localStorage?: Storage;
  window?: EventTarget & { navigator?: { onLine: boolean } };
  document?: EventTarget & { visibilityState: string };
  location?: { href: string };
}
"""


class Member(Struct, frozen=True):
    """One public member of the client, as client.js describes it."""

    name: str
    prefix: str
    comment: str
    has_parameters: bool
    has_result: bool


def client_declarations() -> str:
    """The declaration file."""
    unions = (
        _union("RefusalCode", [refusal.code for refusal in REFUSALS]),
        _union("Ender", [by.value for by in By]),
    )
    events = "\n".join(f"  {name}: CustomEvent<{detail}>;" for name, detail in EVENTS.items())
    parts = (HEAD, *unions, SHAPES, f"export interface ClientEvents {{\n{events}\n}}\n", _class())
    return "\n".join(parts)


def members(source: str) -> list[Member]:
    """The public members of the class in ``source``, in its order."""
    body = source.split("export class Client extends EventTarget {\n", 1)[1].split("\n}\n", 1)[0]
    return [
        Member(
            found["name"],
            (found["prefix"] or "").strip(),
            _prose(found["comment"] or ""),
            bool(found["parameters"]),
            bool(re.search(r"return [^;]", found["body"])),
        )
        for found in MEMBER.finditer(body)
    ]


def _class() -> str:
    declared = "\n\n".join(_declared(member) for member in members(SOURCE.read_text(encoding="utf-8")))
    return f"export class Client extends EventTarget {{\n{declared}\n\n{_listeners()}}}\n"


def _declared(member: Member) -> str:
    parameters = [_parameter(found["name"], found["type"]) for found in PARAMETER.finditer(member.comment)]
    result = RETURNS.search(member.comment)
    if member.has_parameters != bool(parameters) or (member.has_result and result is None):
        raise ValueError(f"client.js: the comment of {member.name} must give its parameters and its result")
    prose = member.comment.partition("@")[0].strip()
    comment = f"{_comment(prose)}\n" if prose else ""
    returned = result["type"] if result else "void"
    if member.prefix == "get":
        return f"{comment}  readonly {member.name}: {returned};"
    static = "static " if member.prefix == "static" else ""
    returned = "" if member.name == "constructor" else f": {returned}"
    return f"{comment}  {static}{member.name}({', '.join(parameters)}){returned};"


def _parameter(name: str, type_: str) -> str:
    return f"{name[1:-1]}?: {type_}" if name.startswith("[") else f"{name}: {type_}"


def _prose(comment: str) -> str:
    return " ".join(line.strip().removeprefix("*").strip() for line in comment.splitlines()).strip()


def _comment(prose: str) -> str:
    """One line where it fits, else one sentence a line."""
    lines = [prose] if len(prose) <= LINE else re.split(r"(?<=[.]) (?=[A-Z])", prose)
    if len(lines) == 1:
        return f"  /** {prose} */"
    return "\n".join(("  /**", *(f"   * {line}" for line in lines), "   */"))


def _union(name: str, values: list[str]) -> str:
    return f"export type {name} =" + "".join(f'\n  | "{value}"' for value in values) + ";\n"


def _listeners() -> str:
    """`EventTarget`'s own two, so that each event has its own type of detail."""
    return (
        "\n".join(
            f"""\
  {name}<K extends keyof ClientEvents>(
    type: K,
    listener: (event: ClientEvents[K]) => void,
    options?: boolean | {options},
  ): void;
  {name}(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | {options},
  ): void;"""
            for name, options in (
                ("addEventListener", "AddEventListenerOptions"),
                ("removeEventListener", "EventListenerOptions"),
            )
        )
        + "\n"
    )

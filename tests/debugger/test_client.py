"""The simulated web client against the real one: policy.js under Node on the same events, step by step."""

import random
from typing import Any

import msgspec
import pytest

from debugger import phases
from debugger.client import Policy
from gateway.core import admission, closing
from gateway.core.closing import By
from tests.node import Node, copied

CLIENT = "gateway/static/gateway"
SEQUENCES = 300
STEPS = 40

DRIVER = """
    import { readFileSync } from "node:fs";
    import { Policy } from "./gateway/static/gateway/policy.js";
    import * as phases from "./gateway/static/gateway/phases.js";
    import { REFUSALS } from "./gateway/static/gateway/closing.js";
    const keep = new Set(["preflight", "open", "close", "dropTicket", "forget"]);
    const run = (steps) => {
      const policy = new Policy();
      return steps.map(({ at, event }) => {
        const effects = event ? policy.apply(event, at) : policy.wake(at);
        return {
          effects: effects.filter(({ type }) => keep.has(type)),
          state: [policy.phase, policy.id, policy.attempt, policy.limit, policy.deadline()],
        };
      });
    };
    const isNumber = ([, value]) => typeof value === "number";
    const numbers = Object.fromEntries(Object.entries(phases).filter(isNumber));
    const sequences = JSON.parse(readFileSync(0, "utf8"));
    const refusals = REFUSALS.map(({ code, retry }) => [code, retry]);
    console.log(JSON.stringify({ runs: sequences.map(run), numbers, refusals, news: phases.NEWS }));
"""


@pytest.fixture(scope="module")
def answer(node: Node, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What policy.js does with every sequence, and the numbers that it knows."""
    folder = copied(tmp_path_factory.mktemp("client"), CLIENT)
    told: dict[str, Any] = node.answer(folder, DRIVER, [steps_of(seed) for seed in range(SEQUENCES)])
    return told


def test_both_clients_do_the_same_at_every_step(answer: dict[str, Any]) -> None:
    """300 lives of 40 events each: failed upgrades, closes with every code, silence, refusals, restarts."""
    seen = set()
    for seed, theirs in enumerate(answer["runs"]):
        policy = Policy()
        for step, expected in zip(steps_of(seed), theirs, strict=True):
            assert did(policy, step) == expected, (seed, step)
            seen.add(policy.phase)
    assert seen == set(phases.Phase)


def test_both_clients_count_with_the_same_numbers(answer: dict[str, Any]) -> None:
    """1200 ms, six tries, 4 s: a number that is changed in phases.js is changed here."""
    assert {name: getattr(phases, name) for name in answer["numbers"]} == answer["numbers"]
    news = {
        str(event.__struct_config__.tag): sorted(p.value for p in at) for event, at in phases.NEWS.items()
    }
    assert news == {event: sorted(at) for event, at in answer["news"].items()}


def test_both_clients_go_on_alike_after_every_refusal(answer: dict[str, Any]) -> None:
    """Stop, join again or wait, for each code that the gateway knows."""
    retries = {
        refusal.code: "join-again"
        if refusal.code in phases.JOINS_AGAIN
        else "stop"
        if refusal.code in phases.STOPS
        else "wait"
        for refusal in admission.REFUSALS
    }
    assert retries == dict(answer["refusals"])


def did(policy: Policy, step: dict[str, Any]) -> dict[str, Any]:
    """One step of the Python client, in the words of the other."""
    if step["event"] is None:
        effects = policy.wake(step["at"])
    else:
        effects = policy.apply(msgspec.convert(step["event"], phases.Event), step["at"])
    return {
        "effects": msgspec.to_builtins(effects),
        "state": [policy.phase.value, policy.id, policy.attempt, policy.limit, policy.deadline()],
    }


def steps_of(seed: int) -> list[dict[str, Any]]:
    """A life of one client. It is drawn on a Python policy, so that most events are news when they come."""
    chance = random.Random(seed)
    policy, now = Policy(), 0
    steps = []
    events: list[dict[str, Any] | None] = [
        {"type": "place", "room": chance.random() < 0.8, "ticket": chance.random() < 0.6},
        {"type": "connect"},
    ]
    while len(steps) < STEPS:
        event = events.pop(0) if events else _event(chance, policy)
        if event is None and (due := policy.deadline()) is not None:
            now = max(now, round(due))
        step = {"at": now, "event": event}
        did(policy, step)
        steps.append(step)
        now += chance.choice([0, 1, 300, 1200, 2500, 9000])
    return steps


def _event(chance: random.Random, policy: Policy) -> dict[str, Any] | None:
    id_ = policy.id - (chance.random() < 0.1)
    likely: dict[str, list[dict[str, Any]]] = {
        "asking": [_preflight(chance, id_)],
        "explaining": [_preflight(chance, id_)],
        "opening": [{"type": "opened", "id": id_}, _closed(chance, id_)],
        "greeting": [{"type": "connected", "id": id_, "silenceMs": 11_000}, _closed(chance, id_)],
        "open": [
            {"type": "frame", "id": id_},
            _closed(chance, id_),
            {"type": "restarting", "id": id_, "retryAfterMs": chance.choice([500, 2000])},
        ],
    }
    rare: list[dict[str, Any]] = [
        {"type": "connect"},
        {"type": "nudge"},
        {"type": "network", "online": chance.random() < 0.7},
        {"type": "place", "room": chance.random() < 0.8, "ticket": chance.random() < 0.6},
        {"type": "leave", "reason": "User disconnected"},
    ]
    if chance.random() < 0.3:
        return None
    if chance.random() < 0.15:
        return chance.choice(rare)
    return chance.choice(likely.get(policy.phase.value, rare[:-1]))


def _preflight(chance: random.Random, id_: int) -> dict[str, Any]:
    outcome = chance.choice(["ok", "refused", "refused", "unknown", "unreachable"])
    event: dict[str, Any] = {"type": "preflight", "id": id_, "outcome": outcome}
    if outcome == "refused":
        event["code"] = chance.choice([*(refusal.code for refusal in admission.REFUSALS), "new_code"])
        event["retryAfterMs"] = chance.choice([0, 5000])
    return event


def _closed(chance: random.Random, id_: int) -> dict[str, Any]:
    endings = [*closing.SERVER_ENDINGS, closing.DROPPED, closing.ending_of(3000, "", By.SERVER)]
    ending = chance.choice(endings)
    return {"type": "closed", "id": id_, "code": ending.code, "reason": ending.reason, "jitter": 0.25}

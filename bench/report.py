"""What a run leaves behind: ``bench/results.json`` for programs, ``bench/RESULTS.md`` for people.

A quick run renews what it measured and leaves the rest; each section says of which run it is.
"""

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from statistics import median
from typing import Any, Final

from bench import ratios
from bench.contestants import NPM, PYTHON, Contestant
from bench.generator import Result
from bench.play import CLIENT_BOUND, Played

FOLDER: Final = Path(__file__).resolve().parent
RESULTS_JSON: Final = FOLDER / "results.json"
RESULTS_MD: Final = FOLDER / "RESULTS.md"
LIST_PACKAGES: Final = """\
import json, importlib.metadata
print(json.dumps({each.name.lower(): each.version for each in importlib.metadata.distributions()}))
"""


def write(played: Mapping[str, Played], command: str) -> None:
    """Put what was measured into both files."""
    kept: dict[str, Any] = json.loads(RESULTS_JSON.read_text()) if RESULTS_JSON.exists() else {}
    run = {"date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"), "command": command, "machine": machine()}
    sections = kept.setdefault("scenarios", {})
    for letter, one in played.items():
        sections[letter] = {**section(one), **run}
    about = kept.setdefault("behind", {})
    for key, (ratio, value, rounds) in ratios.measured(played).items():
        kept[key] = round(value, 3)
        about[key] = {
            "text": ratio.text,
            "promised": ratio.promise,
            "met": ratio.met(value),
            "rounds": [round(each, 3) for each in rounds],
            "versions": _versions_behind(ratio, played),
            **ratios.behind(ratio, played),
            **run,
        }
    RESULTS_JSON.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    RESULTS_MD.write_text(document(kept))


def section(one: Played) -> dict[str, Any]:
    """A scenario's rows and what belongs to them."""
    scenario = one.scenario
    return {
        "title": scenario.title,
        "note": scenario.note,
        "unit": scenario.unit,
        "options": {name: str(value) for name, value in scenario.options.items()},
        "rounds": scenario.rounds,
        "load_average": [round(one.load_before, 1), round(one.load_after, 1)],
        "rows": {each.name: _row(one, each) for each in scenario.contestants},
    }


def _row(one: Played, contestant: Contestant) -> dict[str, Any]:
    results = one.results[contestant.name]
    figures = one.figures(contestant.name)
    row: dict[str, Any] = {
        "median": round(median(figures), 3),
        "least": round(min(figures), 3),
        "most": round(max(figures), 3),
        "client_cpu": round(median(result["client_cpu"] for result in results), 3),
        "server_cpu": round(median(result["server_cpu"] for result in results), 3),
        "per_core_s": round(median(map(_per_core_second, results)), 1),
        "versions": versions(contestant),
        "leaves_out": contestant.leaves_out,
        "counted": contestant.ours,
    }
    for name in ("p50_us", "p99_us"):
        if name in results[0]:
            row[name] = round(median(result[name] for result in results), 1)
    for name in ("quiet_p99_us", "flooded_p99_us", "p99_s", "all_s", "flood_sent"):
        if name in results[0]:
            row[name] = results[0][name]
    return row


def _per_core_second(result: Result) -> float:
    """What was counted for each second of processor time of the server: what a busy machine changes least."""
    spent = result["server_cpu"] * result["seconds"]
    return float(result["counted"] / spent) if spent else 0.0


# ---------- versions and the machine


@cache
def _installed() -> dict[str, str]:
    done = subprocess.run([str(PYTHON), "-c", LIST_PACKAGES], capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def versions(contestant: Contestant) -> dict[str, str]:
    """Of the packages that make it what it is."""
    return {name: _version(contestant, name) for name in contestant.versions}


def _version(contestant: Contestant, name: str) -> str:
    if name == "node":
        done = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
        return done.stdout.strip("v\n")
    if contestant.folder == NPM:
        package = NPM / "node_modules" / name / "package.json"
        return str(json.loads(package.read_text())["version"]) if package.exists() else "?"
    if contestant.command[0] == str(PYTHON):
        return _installed().get(name.lower(), "?")
    try:
        return distribution(name).version
    except PackageNotFoundError:
        return "none"


def _versions_behind(ratio: ratios.Ratio, played: Mapping[str, Played]) -> dict[str, Any]:
    names = {ratios.OURS, ratio.peer}
    one = next(one for letter, one in played.items() if letter.split("-")[0] == ratio.letter)
    return {each.name: versions(each) for each in one.scenario.contestants if each.name in names}


def machine() -> str:
    """What it was measured on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "?")
    kernel = platform.release()
    return f"{model}, {os.cpu_count()} cores, Linux {kernel}, Python {platform.python_version()}"


# ---------- for people


def document(kept: Mapping[str, Any]) -> str:
    """All that is known, newest of each."""
    sections = sorted(kept["scenarios"].items(), key=_order)
    return "\n".join([HEAD, _promises(kept), *(_table(letter, one) for letter, one in sections)])


def _order(item: tuple[str, Any]) -> list[tuple[int, str]]:
    """By letter, and numbers as numbers."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in item[0].split("-")]


HEAD: Final = """\
# What the bench measured

Made by `make bench` and `make bench-quick`; not to be edited. Server on one core, load generator (C, epoll)
on the other, clients on 200 loopback addresses, no TLS, no compression; rounds of all contestants
interleaved, medians of the rounds. Only ratios of one run mean anything: absolute numbers belong to the
machine and its mood. The last columns are shares of one core, and what was counted for each second that the
server really ran: where other things ran too, that says more than the first column. In (a) and (b) the
generator never sleeps while it measures, for the server's core would pay for each time that it is woken; what
it spends on looking for frames that are not there yet is not counted as its share.

In every scenario the frames that our own `/metrics` counted equal those that the generator sent and received,
by type, or the run fails. Three exceptions: a heartbeat that falls due while its socket closes is counted and
goes nowhere (at most 1 % of the sockets, else the run fails); what was under way to sockets that are cut (g),
or thrown out (f), may be missing on the far side, and is never more than was sent.
"""


def _promises(kept: Mapping[str, Any]) -> str:
    lines = [
        "## What was to be reached",
        "",
        "| figure | measured | promised | reached | rounds | of |",
        "|---|---|---|---|---|---|",
    ]
    for key, about in kept["behind"].items():
        rounds = ", ".join(f"{each:.2f}" for each in about["rounds"])
        reached = ("yes" if about["met"] else "**no**") if about["promised"] else ""
        measured = f"{about['text']} (`{key}`) | {kept[key]:.2f}"
        lines.append(f"| {measured} | {about['promised']} | {reached} | {rounds} | {about['date']} |")
    lost = [about["text"] for about in kept["behind"].values() if not about["met"]]
    told = f"Not reached: {'; '.join(lost)}." if lost else "All of it is reached."
    return "\n".join([*lines, "", told, ""])


COLUMNS: Final = "p50 / p99 µs | per core-second | its core | generator's core"


def _table(letter: str, one: Mapping[str, Any]) -> str:
    lines = [f"## ({letter}) {one['title']}", ""]
    if one["note"]:
        lines += [one["note"], ""]
    lines += [
        f"| server | {one['unit']} | least to most | {COLUMNS} |",
        "|---|---|---|---|---|---|---|",
        *(_cells(name, row) for name, row in one["rows"].items()),
        "",
    ]
    lines += [_about(name, row) for name, row in one["rows"].items()]
    load = " to ".join(map(str, one["load_average"]))
    options = ", ".join(f"{name} {value}" for name, value in one["options"].items())
    ran = f"{one['date']}, `{one['command']}`, {one['rounds']} rounds, load average {load}. {options}."
    return "\n".join([*lines, "", f"{ran} {one['machine']}.", ""])


def _cells(name: str, row: Mapping[str, Any]) -> str:
    trips = f"{row['p50_us']:,.0f} / {row['p99_us']:,.0f}" if "p50_us" in row else ""
    bound = " (the generator's limit)" if row["client_cpu"] > CLIENT_BOUND else ""
    digits = 0 if row["median"] >= 100 else 2
    spread = f"{row['least']:,.{digits}f} to {row['most']:,.{digits}f}"
    work = f"{row['per_core_s']:,.0f}" if row["per_core_s"] else ""
    shares = f"{work} | {row['server_cpu']:.2f} | {row['client_cpu']:.2f}{bound}"
    return f"| {name} | {row['median']:,.{digits}f} | {spread} | {trips} | {shares} |"


def _about(name: str, row: Mapping[str, Any]) -> str:
    packages = ", ".join(f"{package} {version}" for package, version in row["versions"].items())
    return f"- {name}: {packages}. Leaves out {row['leaves_out']}."

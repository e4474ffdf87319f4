"""The process's counts as Prometheus reads them (spec 4.4), gathered on the loop in one turn.

Names and help texts of the gateway's own numbers are here, the game adds its own (`Game.figures`). No label
has a value that could grow without bound: codes, types, reasons, never addresses, rooms or names.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from weakref import WeakSet

from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeHistogramMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.metrics_core import Metric

from gateway.contract import Figure
from gateway.core.counts import BUFFERED_BOUNDS, Histogram, count, outbound_drops
from gateway.runtime import Runtime

log = logging.getLogger("gateway.metrics")

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_without_figures: Final[WeakSet[Runtime]] = WeakSet()
"""Those whose game broke over its figures at the last scrape: one line says so, not one every 15 s."""


def exposition(runtime: Runtime) -> bytes:
    """Everything, in Prometheus' text format. On the loop: it reads live state."""
    registry = CollectorRegistry()
    registry.register(_Once(gathered(runtime)))
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    return generate_latest(registry)


def gathered(runtime: Runtime) -> list[Metric]:
    """The families of one scrape."""
    return [*_sockets(runtime), *_admissions(runtime), *_frames(runtime), *_times(runtime), *_game(runtime)]


def dropped(runtime: Runtime) -> dict[str, int]:
    """Frames that went nowhere, by reason: of sockets that are over and of those that live."""
    total = dict(runtime.counts.dropped)
    for socket in runtime.sockets.live.values():
        for reason, frames in outbound_drops(socket.connection.parts.outbox):
            count(total, reason, frames)
    return total


class _Once:
    """A collector of what was gathered already."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def _sockets(runtime: Runtime) -> Iterator[Metric]:
    counts, live = runtime.counts, runtime.sockets.live
    yield GaugeMetricFamily("gateway_sockets", "Open sockets.", len(live))
    yield GaugeMetricFamily(
        "gateway_slots", "Admitted handshakes and sockets that count against the caps.", _counted(runtime)
    )
    yield CounterMetricFamily("gateway_opened", "Sockets handed to the game.", counts.opened)
    yield _counter("gateway_closed", "Sockets that ended, by close code.", "code", counts.closed)
    histogram = Histogram.of((socket.unread() for socket in live.values()), BUFFERED_BOUNDS)
    yield GaugeHistogramMetricFamily(
        "gateway_buffered_bytes",
        "Bytes that wait for the client, over the open sockets.",
        buckets=histogram.cumulative(),
        gsum_value=histogram.total,
    )


def _counted(runtime: Runtime) -> int:
    return sum(runtime.hub.by_session.values())


def _admissions(runtime: Runtime) -> Iterator[Metric]:
    counts = runtime.counts
    yield _counter("gateway_refused", "Upgrades that were refused, by code.", "code", counts.refused)
    yield _counter(
        "gateway_shield_denials", "Upgrades that the shield would refuse, by reason.", "reason", counts.shield
    )
    keys = GaugeMetricFamily("gateway_limiter_keys", "Keys that limiters remember.", labels=["limiter"])
    keys.add_metric(["action"], len(runtime.actions.spent.windows))
    keys.add_metric(["conduct"], len(runtime.hub.conduct.violations))
    keys.add_metric(["last_close"], len(runtime.hub.last_closes.closes))
    keys.add_metric(["strikes_of_accounts"], len(runtime.guard.strikes.accounts))
    keys.add_metric(["strikes_of_addresses"], len(runtime.guard.strikes.places))
    yield keys
    yield GaugeMetricFamily("gateway_draining", "1 while the server admits nobody.", int(runtime.draining))


def _frames(runtime: Runtime) -> Iterator[Metric]:
    counts = runtime.counts
    yield CounterMetricFamily("gateway_frames_in", "Messages that came in.", counts.frames)
    yield _counter("gateway_commands", "Messages understood, by type.", "type", counts.received)
    yield _counter("gateway_frames_out", "Frames handed to sockets, by type.", "type", counts.sent)
    yield _counter("gateway_errors", "ERROR frames sent, by code.", "code", counts.errors)
    yield _counter("gateway_dropped", "Frames that went nowhere, by reason.", "reason", dropped(runtime))


def _times(runtime: Runtime) -> Iterator[Metric]:
    counts = runtime.counts
    yield _histogram("gateway_rtt_seconds", "Round trips of heartbeats.", counts.rtt)
    yield _histogram("gateway_loop_lag_seconds", "How late the loop comes to a timer.", counts.lag)
    yield _histogram("gateway_broadcast_seconds", "From an event to its last socket.", counts.broadcast)


def _game(runtime: Runtime) -> list[Metric]:
    """None at all if the game breaks over them: the gateway's own figures are the ones that tell of it."""
    try:
        found = [_figure(figure) for figure in runtime.game.figures()]
    except Exception:
        if runtime not in _without_figures:
            log.exception("the game's figures are missing from the metrics")
        _without_figures.add(runtime)
        return []
    _without_figures.discard(runtime)
    return found


def _figure(figure: Figure) -> Metric:
    family = CounterMetricFamily if figure.counts_up else GaugeMetricFamily
    metric: Metric = family(figure.name, figure.help, labels=[figure.label])
    for value, number in figure.values.items():
        metric.add_metric([value], number)  # type: ignore[attr-defined]
    return metric


def _counter(name: str, text: str, label: str, table: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(name, text, labels=[label])
    for value, number in table.items():
        family.add_metric([value], number)
    return family


def _histogram(name: str, text: str, histogram: Histogram) -> Metric:
    return HistogramMetricFamily(name, text, buckets=histogram.cumulative(), sum_value=histogram.total)

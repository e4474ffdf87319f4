"""The block list between the database and the live sockets (spec 1.2, 4.3).

Sync code blocks with `block`, `extend` and `unblock`, in any process. A serving process loads the list's
picture beside its loop and swaps it in on the loop: at once when the change was made here or the bus tells of
it, else when its look at the version finds it, within a second. Who is refused is decided in
``gateway.core.guard``.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any, Final

from django.db import transaction
from django.db.models import Case, F, Value, When
from django.utils import timezone

from gateway import live
from gateway.beside import Lane
from gateway.core import closing
from gateway.core.blocklist import Block as Entry
from gateway.core.blocklist import Blocklist, Hit, Kind
from gateway.core.strikes import Sentence
from gateway.duties import Duty
from gateway.models import Block, BlocklistVersion, changed, evidence_of, holding, spelled
from gateway.runtime import Runtime

log = logging.getLogger("gateway.blocking")

LOOK_EVERY_S: Final = 1.0
"""A block must close its sockets within about a second on every process, whether or not a bus reaches it."""
HITS_EVERY_S: Final = 10.0
PATIENCE_S: Final = 2.0
"""A database that takes longer is down; the list that is loaded goes on to hold."""
REFRESH_S: Final = 60.0
"""An unchanged list is read again after this: the wall clock, by which blocks end, may have been set."""
AT_ONCE: Final = 200
"""Blocks whose hits are stored by one statement: below what every database takes in parameters."""
KEPT_DAYS: Final = 30
"""An automatic block is evidence for so long after its end; then it makes room."""

_lane: Final = Lane("gateway-blocks")


# ---------- for sync code: the admin, commands, other apps


def block(value: str, reason: str, until: Any = None, by: Any = None) -> Block:
    """Block an address, a network or an account; an entry that is there already is renewed, and by hand now.

    Raises `django.core.exceptions.ValidationError` for what can't be blocked.
    """
    entry = _entry(value)
    entry.reason, entry.until, entry.created_by = reason, until, by
    entry.automatic, entry.created_at = False, timezone.now()
    entry.full_clean()
    entry.save()
    return entry


def unblock(value: str) -> bool:
    """End the block of exactly this value now; False if there is none that holds. The entry stays, for the
    record; raises `ValueError` for what is no value.
    """
    _, found = spelled(value)
    return bool(Block.objects.filter(holding(), value=found).update(until=timezone.now()))


def extend(entry: Block, by: timedelta) -> None:
    """Let a block end later, one that is over from now on; one without an end stays so."""
    if entry.until is not None:
        entry.until = max(entry.until, timezone.now()) + by
        entry.save()


def load(now: float) -> Blocklist:
    """The list as it is stored; ``now`` is the loop's clock. The version first: a change meanwhile shows."""
    version, wall = BlocklistVersion.now(), timezone.now()
    rows = Block.objects.filter(holding()).values_list("pk", "kind", "value", "until", "automatic")
    return Blocklist.of(
        version,
        (
            Entry(pk, Kind(kind), value, until and now + (until - wall).total_seconds(), automatic)
            for pk, kind, value, until, automatic in rows
        ),
        now,
    )


# ---------- for the loop


def swap(runtime: Runtime, blocklist: Blocklist, stored: Sequence[str] = ()) -> None:
    """The picture counts from now on, and whom it shuts out by hand is closed; an older one is ignored."""
    if blocklist.is_older_than(runtime.guard.blocklist):
        return
    now = runtime.clock.now()
    runtime.guard.swap(blocklist, stored)
    for admission in list(runtime.admitted.values()):
        if runtime.guard.closes(admission.address, admission.peer.account, now):
            runtime.end(admission, closing.BLOCKED)


async def watch(runtime: Runtime) -> None:
    """Store what the guard has sentenced, and load the list if it is another one by now."""
    now, loaded = runtime.clock.now(), runtime.guard.blocklist
    sentences = tuple(runtime.guard.sentences.values())
    fresh = loaded.loaded_at is not None and now - loaded.loaded_at < REFRESH_S
    known = loaded.version if fresh else None
    newer = await _lane(lambda: _store_and_load(sentences, known, now), PATIENCE_S)
    if newer is not None:
        swap(runtime, newer, [sentence.value for sentence in sentences])


async def store_hits(runtime: Runtime) -> None:
    """Carry the hits to the database: few statements however many there were. A process that stops loses
    those of its last seconds.
    """
    taken = runtime.guard.hits.take()
    if not taken:
        return
    try:
        await _lane(partial(_add_hits, taken, runtime.clock.now()), PATIENCE_S)
    except BaseException:
        runtime.guard.hits.give_back(taken)
        raise


DUTIES: Final = (
    Duty("the look at the block list", LOOK_EVERY_S, watch),
    Duty("the count of the blocks' hits", HITS_EVERY_S, store_hits),
)


# ---------- details


def connect() -> None:
    """Listen to changes that are made in this process."""
    changed.connect(_apply, dispatch_uid="gateway.blocking")


def _apply(**_: Any) -> None:
    """A change is committed: if sockets are served here, it counts before whoever made it goes on."""
    try:
        now, known = live.call(lambda runtime: (runtime.clock.now(), runtime.guard.blocklist.version))
        if BlocklistVersion.now() != known:  # many rows of one transaction are told of one by one
            live.call(partial(swap, blocklist=load(now)))
    except live.NotServingError:
        pass  # a command, or the admin of a process of its own
    except live.LoopStuckError:
        log.exception("a change of the block list waits for the next look")


def _entry(value: str) -> Block:
    try:
        _, value = spelled(value)
    except ValueError:
        return Block(value=value)  # `full_clean` says it
    return Block.objects.filter(value=value).first() or Block(value=value)


def _store_and_load(sentences: Sequence[Sentence], known: int | None, now: float) -> Blocklist | None:
    for sentence in sentences:
        _store(sentence, now)
    return None if not sentences and BlocklistVersion.now() == known else load(now)


def _store(sentence: Sentence, now: float) -> None:
    """Make an automatic block, unless somebody has blocked it by hand."""
    wall = timezone.now()
    until = wall + timedelta(seconds=sentence.until - now)
    with transaction.atomic():
        entry = _entry(sentence.value)
        if entry.pk is not None and not entry.is_over and not entry.automatic:
            return
        entry.automatic, entry.created_by, entry.created_at, entry.until = True, None, wall, until
        entry.reason = f"{len(sentence.strikes)} strikes"
        entry.evidence = evidence_of(sentence.strikes, now)
        entry.save()
        Block.objects.filter(automatic=True, until__lt=wall - timedelta(days=KEPT_DAYS)).delete()
    log.warning("blocked for its strikes", extra={"blocked": sentence.value, "until": until.isoformat()})


def _add_hits(taken: dict[int, Hit], now: float) -> None:
    wall, ids = timezone.now(), list(taken)
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        counts = [When(pk=pk, then=Value(taken[pk].count)) for pk in some]
        lasts = [When(pk=pk, then=Value(wall - timedelta(seconds=now - taken[pk].last))) for pk in some]
        Block.objects.filter(pk__in=some).count_hits(hits=F("hits") + Case(*counts), last_hit=Case(*lasts))

"""The block list as it is stored: one row a block, and one that counts the list's changes (spec 4.3).

Whoever changes a block, by whichever road of the ORM, bumps the version in the same transaction: that is what
other processes look at each second (``gateway.blocking``). Values are stored in their one canonical spelling.
"""

from collections.abc import Iterable
from typing import Any, Final, TypeVar

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import F, Q
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from gateway import conf
from gateway.core.blocklist import Kind, canonical, parse_network
from gateway.core.strikes import Strike
from gateway.permissions import LiveConnection  # noqa: F401  (Django looks for models here)

VALUE_LENGTH: Final = 255
"""``user:`` and a key; a custom user model may have a long one."""
LOOPBACK: Final = ("127.0.0.0/8", "::1/128")

changed: Final = Signal()
"""The block list was changed and the change is committed; sent in the thread that made it."""

Made = TypeVar("Made", bound=models.Model)


def holding() -> Q:
    """The condition of a block that is not over."""
    return Q(until=None) | Q(until__gt=timezone.now())


def spelled(text: str) -> tuple[Kind, str]:
    """As `canonical`, and a user's key as the user model spells it: ``user:007`` is ``user:7``."""
    kind, value = canonical(text)
    owner, _separator, key = value.partition(":")
    if kind is not Kind.ACCOUNT or owner != "user":
        return kind, value
    try:
        return kind, f"user:{get_user_model()._meta.pk.to_python(key)}"
    except ValidationError as error:
        raise ValueError(" ".join(error.messages)) from error


class BlocklistVersion(models.Model):
    """The one row that says whether the list is still the one that a process has loaded."""

    version = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.version)

    @classmethod
    def now(cls) -> int:
        """The version of the list."""
        return cls.objects.values_list("version", flat=True).first() or 0

    @classmethod
    def bump(cls) -> None:
        """Part of the transaction that changes the list; whoever listens hears when it is committed."""
        if not cls.objects.filter(pk=1).update(version=F("version") + 1):
            cls.objects.get_or_create(pk=1, defaults={"version": 1})
        transaction.on_commit(lambda: changed.send(cls), robust=True)


class Blocks(models.QuerySet["Block"]):
    """Every way to write many rows bumps the version, but for the hits: those change nobody's access."""

    def update(self, **values: Any) -> int:
        """As Django's."""
        with transaction.atomic(self.db):
            BlocklistVersion.bump()
            return super().update(**values)

    def delete(self) -> tuple[int, dict[str, int]]:
        """As Django's."""
        with transaction.atomic(self.db):
            BlocklistVersion.bump()
            return super().delete()

    def bulk_create(self, objs: Iterable["Block"], *args: Any, **kwargs: Any) -> list["Block"]:
        """As Django's."""
        made = list(objs)
        for block in made:
            block.spell()
        with transaction.atomic(self.db):
            BlocklistVersion.bump()
            return super().bulk_create(made, *args, **kwargs)

    def count_hits(self, **values: Any) -> int:
        """Update what was counted."""
        return super().update(**values)


class Block(models.Model):
    """Somebody who may open no socket, until ``until`` or for ever (None).

    ``automatic`` ones were made for strikes, with the evidence; they refuse and never close (spec 4.3).
    """

    KINDS = (
        (Kind.ADDRESS.value, _("address")),
        (Kind.NETWORK.value, _("network")),
        (Kind.ACCOUNT.value, _("account")),
    )

    kind = models.CharField(_("kind"), max_length=10, choices=KINDS, blank=True, editable=False)
    value = models.CharField(
        _("address, network or account"),
        max_length=VALUE_LENGTH,
        unique=True,
        error_messages={
            "unique": _("It is in the list already, perhaps in another spelling: change that entry.")
        },
        help_text=_("192.0.2.7, 192.0.2.0/24, 2001:db8::/32, user:7 or session:… as the logs name it."),
    )
    reason = models.CharField(_("reason"), max_length=200)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        verbose_name=_("blocked by"),
    )
    created_at = models.DateTimeField(_("blocked"), default=timezone.now, editable=False)
    until = models.DateTimeField(_("until"), null=True, blank=True, help_text=_("Empty: for ever."))
    automatic = models.BooleanField(
        _("automatic"),
        default=False,
        editable=False,
        help_text=_(
            "It refuses new sockets and closes none. "
            "Once saved by hand it is by hand: then it closes sockets, too."
        ),
    )
    evidence = models.JSONField(_("evidence"), null=True, blank=True, editable=False)
    hits = models.PositiveBigIntegerField(_("hits"), default=0, editable=False)
    last_hit = models.DateTimeField(_("last hit"), null=True, blank=True, editable=False)

    objects = Blocks.as_manager()

    class Meta:
        verbose_name = _("block")
        verbose_name_plural = _("blocks")
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return self.value

    def save(self, *args: Any, **kwargs: Any) -> None:
        """As Django's."""
        self.spell()
        with transaction.atomic():
            BlocklistVersion.bump()
            super().save(*args, **kwargs)

    @property
    def is_over(self) -> bool:
        """Whether it blocks nobody any more."""
        return self.until is not None and self.until <= timezone.now()

    def clean(self) -> None:
        """Spell the value, and refuse what would block the site itself."""
        try:
            self.spell()
        except ValueError as error:
            raise ValidationError({"value": str(error)}) from error
        fault = _own_fault(self.value) if self.kind != Kind.ACCOUNT.value else None
        if fault is not None:
            raise ValidationError({"value": fault})

    def spell(self) -> None:
        """Give kind and value their canonical form; raises `ValueError`."""
        kind, self.value = spelled(self.value)
        self.kind = kind.value

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """As Django's."""
        with transaction.atomic():
            BlocklistVersion.bump()
            return super().delete(*args, **kwargs)


def evidence_of(strikes: Iterable[Strike], now: float) -> list[dict[str, Any]]:
    """Strikes as they are stored and shown; ``now`` is their clock's time."""
    return [
        {
            "seconds before": round(now - strike.at, 1),
            "what": strike.what.value,
            "account": strike.account,
            "address": strike.address,
        }
        for strike in strikes
    ]


def _own_fault(value: str) -> Any:
    """Why the site must not block this network, if so."""
    network = parse_network(value)
    if any(network.overlaps(parse_network(own)) for own in LOOPBACK):
        return _("%(value)s holds the server's own loopback address.") % {"value": value}
    proxies = [own for own in conf.config().trusted if network.overlaps(own)]
    if proxies:
        text = _("%(value)s holds the trusted proxy %(proxy)s: everybody behind it would be shut out.")
        return text % {"value": value, "proxy": proxies[0]}
    return None

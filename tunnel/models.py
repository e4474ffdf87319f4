"""Tokens of tunnel clients, and names that nobody may have (spec 6.1).

Of a secret only its SHA-256 is here; it is made and shown once by `Token.issue`. What a token allows is
decided by ``tunnel.core.tokens``.
"""

import secrets
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tunnel.core import tokens
from tunnel.core.hosts import LABEL

ID_LENGTH = 12
ID_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
SECRET_BYTES = 32
HASH_LENGTH = 64
NAME_LENGTH = 63
"""A DNS label."""


def new_id() -> str:
    """An id; it is no secret, and has no letters that look alike."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH))


def new_secret() -> str:
    """A secret nobody can guess."""
    return secrets.token_urlsafe(SECRET_BYTES)


def check_name(value: str) -> None:
    """A peer's name is one DNS label in lower case."""
    if LABEL.fullmatch(value) is None:
        raise ValidationError(
            _("“%(value)s” is no name: write letters, digits and hyphens, in lower case."),
            params={"value": value},
        )


def check_scope(value: str) -> None:
    """A scope is a name, or ``*`` for every name."""
    if value != tokens.ANY_NAME:
        check_name(value)


class Token(models.Model):
    """What lets a client serve a name."""

    token_id = models.CharField(_("id"), max_length=ID_LENGTH, unique=True, default=new_id, editable=False)
    secret_hash = models.CharField(_("hash of the secret"), max_length=HASH_LENGTH, editable=False)
    label = models.CharField(_("label"), max_length=100, help_text=_("Who has it, and what for."))
    scope = models.CharField(
        _("scope"),
        max_length=NAME_LENGTH,
        validators=[check_scope],
        help_text=_("The one name that it may serve, or * for every name."),
    )
    created_at = models.DateTimeField(_("issued"), default=timezone.now, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
        verbose_name=_("issued by"),
    )
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True, help_text=_("Empty: never."))
    revoked_at = models.DateTimeField(_("revoked"), null=True, editable=False)
    used_at = models.DateTimeField(_("last used"), null=True, editable=False)

    class Meta:
        verbose_name = _("tunnel token")
        verbose_name_plural = _("tunnel tokens")
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"{self.label} ({self.scope})"

    @classmethod
    def issue(
        cls, label: str, scope: str, expires_at: datetime | None = None, user: Any = None
    ) -> tuple["Token", str]:
        """A new token and its text, which can't be had again; raises `ValidationError`."""
        token = cls(label=label, scope=scope, expires_at=expires_at, created_by=user)
        text = token.set_secret()
        token.full_clean()
        token.save()
        return token, text

    def set_secret(self) -> str:
        """Give the token a new secret; returns its text. The caller saves."""
        secret = new_secret()
        self.secret_hash = tokens.secret_hash(secret)
        return f"tnl_{self.token_id}_{secret}"

    @property
    def grant(self) -> tokens.Grant:
        """The token as the relay knows it."""
        return tokens.Grant(
            self.token_id,
            self.secret_hash,
            self.scope,
            None if self.expires_at is None else self.expires_at.timestamp(),
            self.revoked_at is not None,
        )


class BannedName(models.Model):
    """A name that no client may serve, whatever its token says."""

    name = models.CharField(_("name"), max_length=NAME_LENGTH, unique=True, validators=[check_name])
    reason = models.CharField(_("reason"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("banned name")
        verbose_name_plural = _("banned names")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

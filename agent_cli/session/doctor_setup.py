"""What `agent doctor` looks at in the setup: settings, keys, base URLs, folders, the chosen model."""

import os
import shutil
from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from agent_cli.core.models import ModelSpec
from agent_cli.session.check import Check
from agent_cli.session.model_choice import Account, accounts, key_variables
from agent_cli.session.opened import Place
from agent_cli.settings.explain import masked
from agent_cli.settings.files import settings_files

LEAST_FREE = 100_000_000
"""Bytes free on the disk of the transcripts, below which a long session may not be kept."""


def setup(place: Place, env: Mapping[str, str]) -> Iterator[Check]:
    """Everything that needs no network."""
    loaded = place.loaded
    files = ", ".join(map(str, settings_files(loaded, place.places)))
    yield Check(
        "ok", "settings", files or f"no file ({place.places.config / 'config.toml'}): built-in values"
    )
    yield from (Check("warn", "settings", warning) for warning in loaded.warnings)
    yield from _keys(place, env)
    for account in accounts(loaded.settings, env).values():
        if account.base_url is not None:
            yield base_url(account, account.base_url)
    if place.folder.notice:
        yield Check("warn", "transcripts", place.folder.notice)
    yield _folder("transcripts", place.folder.path)
    yield _folder("state", place.places.state)


def model(spec: ModelSpec) -> Check:
    """The chosen model and its window."""
    found = f"{spec.id}, window {spec.window:,} tokens ({spec.window_source})"
    if spec.provider == "offline":
        return Check("warn", "model", "the offline provider, which is no language model")
    return Check("warn" if spec.window_source.startswith("unknown") else "ok", "model", found)


def base_url(account: Account, url: str) -> Check:
    """Whether an address can be one; credentials in it are not shown."""
    subject, shown = "base URL", f"{account.provider}: {masked(url)}"
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host:
        return Check("fail", subject, f"{shown} is no address", "It has the form http://HOST:PORT/v1.")
    path = parts.path.rstrip("/")
    if account.wire == "anthropic" and path.endswith("/v1"):
        return Check("warn", subject, f"{shown} ends in /v1", "This wire adds /v1 itself: leave it out.")
    if path.endswith(("/chat/completions", "/messages")):
        return Check("warn", subject, f"{shown} names one call", "Leave the last part of the path out.")
    if parts.scheme == "http" and account.api_key and not _near(host):
        return Check(
            "warn", subject, f"{shown} is not encrypted", "Use https: the key is sent with each call."
        )
    return Check("ok", subject, shown)


def _near(host: str) -> bool:
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".localhost"))


def _keys(place: Place, env: Mapping[str, str]) -> Iterator[Check]:
    settings = place.loaded.settings
    names = list(dict.fromkeys(key_variables(settings)))
    given = [name for name in names if env.get(name)]
    missing = [name for name in names if name not in given]
    text = "; ".join(
        filter(
            None,
            (
                f"set: {', '.join(given)}" if given else "",
                f"not set: {', '.join(missing)}" if missing else "",
            ),
        )
    )
    usable = any(account.usable for account in accounts(settings, env).values())
    yield Check("ok" if usable else "warn", "keys", text, "" if usable else _CONNECT)
    for name in given:
        if env[name] != env[name].strip().strip("\"'"):
            yield Check("warn", "keys", f"{name} begins or ends with a blank or a quote", "Set it without.")


def _folder(subject: str, path: Path) -> Check:
    existing = next(folder for folder in (path, *path.parents) if folder.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return Check(
            "fail", subject, f"{path} cannot be written", f"Make {existing} a folder you may write to."
        )
    free = shutil.disk_usage(existing).free
    if free < LEAST_FREE:
        return Check("warn", subject, f"{path}: {free / 1e6:.0f} MB free on its disk", "Free some space.")
    return Check("ok", subject, f"{path} can be written")


_CONNECT = "Set ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL to connect a model."

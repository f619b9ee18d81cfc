"""What a chat is sent and what it answers, as JSON: a text or a card, and whether it took it. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from lastro.settings.operation import CARTAO

_WORDS: Final = re.compile(r"\b(fail(s|ed|ure)?|errors?)\b", re.IGNORECASE)
"""What a text says that took nothing: "Webhook message delivery failed with error: ..."."""
_NUMBERS: Final = ("errcode", "code", "statuscode", "status", "retcode")
"""Keys under which chats say by a number, or a word, how it went; 0 and what HTTP calls a success are good."""


def write_message(formato: str, subject: str, text: str) -> dict[str, Any]:
    r"""Write a notice as a chat takes it.

    Args:
        formato: `texto`, which most take, or `cartao` for what shows cards alone (a workflow of Teams).
        subject: one line.
        text: lines below it.

    >>> write_message("texto", "Falhou", "Desde 6h.")
    {'text': 'Falhou\n\nDesde 6h.'}
    """
    if formato != CARTAO:
        return {"text": f"{subject}\n\n{text}"}
    # Runs of text, for a block of text reads Markdown, which a name of a file may hold; a block for each line of it.
    lines = [{"type": "TextRun", "text": subject, "weight": "Bolder"}]
    lines += [{"type": "TextRun", "text": line} for line in text.splitlines() if line]
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.2",
        "body": [{"type": "RichTextBlock", "inlines": [line]} for line in lines],
    }
    content = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [content]}


def is_refusal(answer: bytes) -> bool:
    """Tell whether the body of an answer of status 2xx says that nothing was shown; silence says nothing.

    >>> [is_refusal(said) for said in (b"", b"ok", b"1", b'{"errcode": 0, "errmsg": "ok"}', b'{"text": "error"}')]
    [False, False, False, False, False]
    >>> [is_refusal(said) for said in (b'{"ok": false}', b'{"code": 9499, "msg": "Bad Request"}', b"delivery failed")]
    [True, True, True]
    """
    text = answer.decode("utf-8", "replace")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return bool(_WORDS.search(text))
    return isinstance(said, dict) and _refuses({key.casefold(): value for key, value in said.items()})


def _refuses(said: Mapping[str, Any]) -> bool:
    if any(said.get(key) is False for key in ("ok", "success")) or said.get("error") or said.get("errors"):
        return True
    return any(_is_bad(said[key]) for key in _NUMBERS if key in said)


def _is_bad(value: object) -> bool:
    if isinstance(value, str) and not value.isdecimal():
        return bool(_WORDS.search(value))
    if isinstance(value, bool) or not isinstance(value, int | str):
        return False
    return int(value) != 0 and not 200 <= int(value) < 300

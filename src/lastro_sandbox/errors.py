"""The refusals of the service: one exception, four statuses, one body shape.

``Refused`` carries the HTTP status and a map field -> texts; the app turns it into ``{"errors": {field: [text]}}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class Refused(Exception):
    """The request is answered with an error body.

    Args:
        status: HTTP status, 400, 401, 403, 404, 405, 413 or 422.
        errors: field name -> texts in Portuguese.
    """

    def __init__(self, status: int, errors: Mapping[str, Sequence[str]]) -> None:
        super().__init__(f"{status}: {', '.join(errors)}")
        self.status = status
        self.errors = {field: list(texts) for field, texts in errors.items()}


def not_found(what: str) -> Refused:
    """Build the 404 for a record that does not exist."""
    return Refused(404, {"id": [f"{what} não encontrado(a)"]})


def invalid(field: str, text: str) -> Refused:
    """Build the 422 for one field."""
    return Refused(422, {field: [text]})

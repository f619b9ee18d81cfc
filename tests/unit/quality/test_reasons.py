"""Why a check compared nothing is always said: of what was received there is nothing on a past day or in a hot run."""

from __future__ import annotations

from lastro.quality.queries import read_prelude, read_queries
from lastro.warehouse.file.check_room import list_received

RECEIVED = "o que foi recebido e lido"


def test_a_check_of_what_was_received_says_why_it_does_not_apply() -> None:
    views = [f"prova.{name}" for name in set(list_received(read_prelude())) - set(list_received(read_prelude(), 1))]
    asking = {
        code: query
        for code, query in read_queries().items()
        if query.fatos["Julga"] == RECEIVED and any(view in query.texto for view in views)
    }
    assert {"V09", "V10", "V37"} <= set(asking)
    asking.pop("V20")  # it looks at the linhas too, and always has something to compare
    assert [code for code, query in asking.items() if not query.fatos.get("Sem comparações")] == []

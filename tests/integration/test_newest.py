"""Of one day the newest file of each kind has the largest number, whatever people take out of the folder."""

from __future__ import annotations

from pathlib import Path

from lastro.commands.abrir import find_newest
from lastro.run.names import parse_name
from lastro.schema.run_kinds import Modo
from lastro.settings import Settings
from tests.golden import expected
from tests.served import folder_of, run_served


def test_a_name_that_somebody_made_free_is_not_given_again(settings: Settings, tmp_path: Path) -> None:
    folder, mailed = folder_of(settings) / "relatorios", tmp_path / "enviados"
    run_served(settings, expected.D, modo=Modo.RECALCULO)
    mailed.mkdir()
    kinds = {path.name.partition("_")[0] for path in folder.iterdir()}
    for path in list(folder.iterdir()):
        path.rename(mailed / path.name)  # `_r2` too: nothing in the folder tells what was there
    left = folder / ".lastro-0123456789abcdef0123456789abcdef.novo"
    left.write_text("half a copy", encoding="utf-8")
    run_served(settings, expected.D, modo=Modo.RECALCULO)
    given = {named.kind: named.revision for path in folder.iterdir() if (named := parse_name(path.name))}
    assert given == dict.fromkeys(kinds, 3)
    assert not left.exists()
    (mailed / "gerencial_2026-03-16_r2.xlsx").rename(folder / "gerencial_2026-03-16_r2.xlsx")
    assert find_newest(folder) == folder / "gerencial_2026-03-16_r3.xlsx"

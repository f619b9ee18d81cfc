"""What was written down of delivered files, and what of it may be taken away again."""

from __future__ import annotations

import os
from pathlib import Path

from lastro.run.delivery_log import DELIVERY_LOG, note_files, note_published, read_record, remove_unpublished, take_back


def deliver(pasta: Path, run: int, name: str, text: str) -> Path:
    """Write down a file of a run, then put it where people look."""
    aside = pasta / name
    aside.write_text(text, encoding="utf-8")
    note_files(pasta, run, {aside: pasta / "relatorios"})
    (pasta / "relatorios").mkdir(exist_ok=True)
    target = pasta / "relatorios" / name
    if target.exists():
        target = target.with_stem(f"{target.stem}_r2")
    os.replace(aside, target)
    return target


def names(pasta: Path) -> list[str]:
    return sorted(path.name for path in (pasta / "relatorios").iterdir())


def test_what_was_never_published_goes_and_what_was_stays(tmp_path: Path) -> None:
    deliver(tmp_path, 7, "gerencial_2026-03-16.xlsx", "sete")
    note_published(tmp_path, 7)
    deliver(tmp_path, 8, "gerencial_2026-03-16.xlsx", "oito")
    deliver(tmp_path, 8, "fechamento_2026-02.xlsx", "oito também")
    edited = deliver(tmp_path, 8, "cobranca_2026-03-16.xlsx", "fila")
    edited.write_text("fila, com uma promessa", encoding="utf-8")
    (tmp_path / "relatorios" / "gerencial_2026-03-16 (cópia).xlsx").write_text("oito", encoding="utf-8")
    remove_unpublished(tmp_path, {7})
    assert names(tmp_path) == [
        "cobranca_2026-03-16.xlsx", "gerencial_2026-03-16 (cópia).xlsx", "gerencial_2026-03-16.xlsx",
    ]  # fmt: skip
    record = read_record(tmp_path)
    assert [(one.execucao_id, one.arquivo) for one in record.files] == [(7, "relatorios/gerencial_2026-03-16.xlsx")]
    assert record.pending == ()


def test_what_cannot_be_reached_is_removed_when_it_can(tmp_path: Path) -> None:
    deliver(tmp_path, 7, "cobranca_2026-03-16.xlsx", "fila")
    share, away = tmp_path / "relatorios", tmp_path / "fora"
    share.rename(away)
    remove_unpublished(tmp_path, ())
    away.rename(share)
    assert [one.execucao_id for one in read_record(tmp_path).pending] == [7]
    remove_unpublished(tmp_path, {8})  # which was published meanwhile
    assert (names(tmp_path), read_record(tmp_path).files) == ([], ())


def test_a_run_that_is_published_without_its_line_keeps_its_files(tmp_path: Path) -> None:
    """The process ended between the flip of the link and the line that says so."""
    deliver(tmp_path, 7, "gerencial_2026-03-16.xlsx", "sete")
    for standing in ({7}, set[int]()):  # then the link is lost
        remove_unpublished(tmp_path, standing)
        assert names(tmp_path) == ["gerencial_2026-03-16.xlsx"]


def test_numbers_that_come_again_after_a_restoration_are_told_apart(tmp_path: Path) -> None:
    deliver(tmp_path, 7, "gerencial_2026-03-16.xlsx", "sete")
    note_published(tmp_path, 7)
    deliver(tmp_path, 7, "gerencial_2026-03-17.xlsx", "outra sete")
    remove_unpublished(tmp_path, ())  # a restored company has no published copy yet
    assert names(tmp_path) == ["gerencial_2026-03-16.xlsx"]


def test_a_line_that_was_cut_off_costs_itself_only(tmp_path: Path) -> None:
    deliver(tmp_path, 1, "gerencial_2026-03-16.xlsx", "um")
    with (tmp_path / DELIVERY_LOG).open("ab") as file:
        file.write(
            b'{"execucao_id": "x", "arquivo": 1, "bytes": 1, "sha256": 1, "escrito": 1}\n[]\n{"execucao_id": 2, "arqu'
        )
    deliver(tmp_path, 2, "dados_2026-03-16.xlsx", "dois")
    assert [one.execucao_id for one in read_record(tmp_path).files] == [1, 2]


def test_what_failed_is_taken_back_but_not_through_a_link(tmp_path: Path) -> None:
    moved = deliver(tmp_path, 1, "gerencial_2026-03-16.xlsx", "um")
    other = tmp_path / "outro.xlsx"
    other.write_text("um", encoding="utf-8")
    link = tmp_path / "relatorios" / "dados_2026-03-16.xlsx"
    link.symlink_to(other)
    take_back(tmp_path, 1, [moved, link, tmp_path / "relatorios" / "absent.xlsx"])
    assert names(tmp_path) == ["dados_2026-03-16.xlsx"]
    assert other.exists()

"""Files of own questions: what their heads say, and what is no question."""

from __future__ import annotations

from pathlib import Path

import pytest

from lastro.entrada.consultas import list_questions

HEAD = "-- Título: Saldo\n-- pergunta:  Quanto há? \n"


def read(folder: Path, name: str, content: bytes) -> tuple[str, ...]:
    path = folder / "consultas" / name
    path.parent.mkdir()
    path.write_bytes(content)
    (question,) = list_questions(folder)
    return question.motivo, question.nome, question.titulo, question.pergunta


def test_a_head_says_title_question_totals_and_columns(tmp_path: Path) -> None:
    text = f"\ufeff\n{HEAD}\n-- feita em março\n--- Total: saldo, dobro,\n-- dobro: duas vezes\nFROM x -- Título: não\n"
    assert read(tmp_path, "saldo_1.sql", text.encode()) == ("", "saldo_1", "Saldo", "Quanto há?")
    (question,) = list_questions(tmp_path)
    assert (question.totais, question.sobre) == (("saldo", "dobro"), {"dobro": "duas vezes"})
    assert question.texto == text.removeprefix("\ufeff")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.sql", "-- Título: Saldo\nSELECT 1 -- Pergunta: Quanto?", "falta no começo a linha «-- Pergunta: o que ela"),
        ("a.sql", "-- Pergunta: Quanto?\n-- Título: \nSELECT 1", "falta no começo a linha «-- Título: o nome na"),
        ("a.sql", HEAD, "falta o SELECT depois do começo"),
        ("a.sql", "", "falta o SELECT depois do começo"),
        ("a.sql", "é".encode("cp1252").decode("cp1252") + "\udcff", "não é texto UTF-8: salve-o como UTF-8"),
        ("Saldo.sql", HEAD + "SELECT 1", "o nome não serve de tabela: minúsculas sem acento"),
        ("_perguntas.sql", HEAD + "SELECT 1", "o nome não serve de tabela"),
        ("a" * 32 + ".sql", HEAD + "SELECT 1", "o nome não serve de tabela"),
        ("saldo.xlsx", "PK", "não é uma consulta: nesta pasta só há arquivos .sql"),
    ],
)  # fmt: skip
def test_what_is_no_question_is_told(tmp_path: Path, name: str, content: str, told: str) -> None:
    motivo, *_ = read(tmp_path, name, content.encode("utf-8", "surrogateescape"))
    assert motivo.startswith(told)


def test_a_company_without_the_folder_has_none_and_a_file_in_its_place_is_told(tmp_path: Path) -> None:
    assert list_questions(tmp_path) == []
    (tmp_path / "consultas").write_text("SELECT 1")
    assert [each.motivo for each in list_questions(tmp_path)] == ["a pasta não existe ou não está acessível"]

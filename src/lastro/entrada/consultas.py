"""Questions of a company's own: files of one SELECT each, whose first comments say what it is called and asks (S18).

Belongs here: which files are questions, and what their heads say. Does not belong here: the SQL, which only a file of
figures can judge (`lastro.warehouse.publication.bounded`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from lastro.entrada.door import NotRead, hold_unread, list_folder, read_file, show_name

FOLDER: Final = "consultas"
"""The folder of questions, in the entry folder."""
ENDING: Final = ".sql"
NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,30}")
"""What a question may be called: as a table of SQL and as a sheet."""
NAME_RULE: Final = "o nome não serve de tabela: minúsculas sem acento, algarismos e _, até 31, a primeira uma letra"
_FACT: Final = re.compile(r"--+\s*([^\s:]+)\s*:\s*(.*)")
_HEAD: Final = {"Título": "o nome na planilha", "Pergunta": "o que ela responde"}
_TOTAL: Final = "Total"
_KEYS: Final = {"título": "Título", "titulo": "Título", "pergunta": "Pergunta", "total": _TOTAL}


@dataclass(frozen=True)
class Question:
    """A question as its file has it.

    Attributes:
        arquivo: name of the file; "" is the folder.
        titulo: what people call it.
        pergunta: in words.
        totais: columns that its sheet adds up.
        texto: the file, whose lines are counted in what is said of it.
        sobre: what the head says of columns, by name.
        motivo: why it is none, pt-BR; "" where it is one.
    """

    arquivo: str
    titulo: str = ""
    pergunta: str = ""
    totais: tuple[str, ...] = ()
    texto: str = ""
    sobre: Mapping[str, str] = field(default_factory=dict)
    motivo: str = ""

    @property
    def nome(self) -> str:
        """Name of the table in `minhas`, and of the sheet."""
        return self.arquivo.removesuffix(ENDING)


def parse_question(arquivo: str, texto: str) -> Question:
    r"""Read the head of a question: its first lines, as far as they are comments.

    Raises:
        NotRead: when it does not say title and question, or nothing follows it.

    >>> parse_question("saldo.sql", "-- Título: Saldo\n-- Pergunta: Quanto há?\n-- Total: saldo\nFROM x").totais
    ('saldo',)
    """
    said = dict[str, str]()
    for line in map(str.strip, texto.splitlines()):
        if line and not line.startswith("--"):
            break
        if fact := _FACT.fullmatch(line):
            said[_KEYS.get(fact[1].casefold(), fact[1])] = fact[2].strip()
    else:
        raise NotRead("falta o SELECT depois do começo")
    for key, about in _HEAD.items():
        if not said.get(key):
            raise NotRead(f"falta no começo a linha «-- {key}: {about}»")
    totais = tuple(each.strip() for each in said.pop(_TOTAL, "").split(",") if each.strip())
    return Question(arquivo, said.pop("Título"), said.pop("Pergunta"), totais, texto, said)


def write_question(nome: str, sql: str) -> str:
    r"""Write the file of a question: a table's name is asked whole, and a head that lacks is made of the name.

    >>> write_question("quem_deve", "dre")
    '-- Título: Quem deve\n-- Pergunta: Quem deve?\nFROM mart.dre\n'
    """
    text = sql.strip()
    if re.fullmatch(r"[a-z0-9_.]+", text):
        text = f"FROM {text if '.' in text else f'mart.{text}'}"
    try:
        return parse_question(nome, f"{text}\n").texto
    except NotRead:
        title = nome.replace("_", " ").capitalize()
        return f"-- Título: {title}\n-- Pergunta: {title}?\n{text}\n"


def list_questions(entrada: Path) -> list[Question]:
    """Read the questions of an entry folder, by name."""
    paths, trouble = list_folder(entrada / FOLDER, named=False)
    found = [Question("", motivo=trouble)] if trouble else []
    for path in paths:
        try:
            with hold_unread():
                found.append(_read_question(path))
        except NotRead as error:
            found.append(Question(show_name(path), motivo=str(error)))
    return found


def _read_question(path: Path) -> Question:
    if path.suffix != ENDING:
        raise NotRead(f"não é uma consulta: nesta pasta só há arquivos {ENDING}")
    if not NAME.fullmatch(path.stem):
        raise NotRead(NAME_RULE)
    try:
        return parse_question(path.name, read_file(path).content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise NotRead("não é texto UTF-8: salve-o como UTF-8") from None

"""Comments of both kinds, and what is not read, in files as Excel and LibreOffice save them and as hostile ones are."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import openpyxl
import pytest
from openpyxl.comments import Comment

from lastro.entrada.comments import MOST_COMMENTS, MOST_TEXT, read_beside
from lastro.entrada.workbook import read_workbook

TYPES = "http://schemas.microsoft.com/office/2017/10/relationships"
THREAD = (
    "<ThreadedComments xmlns='http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments'>"
    "<threadedComment ref='B2' dT='2026-03-16T14:00:00' personId='{1}' id='{a}'><text>3x sem\n juros?</text>"
    "</threadedComment><threadedComment ref='B2' personId='{9}' id='{b}' parentId='{a}'><text>sim</text>"
    "</threadedComment></ThreadedComments>"
)
PEOPLE = "<personList><person displayName='Bia Lima' id='{1}'/></personList>"
FOREWORD = "[Comentário encadeado]\n\nSua versão não mostra threads.\n\nComentário:\n    3x sem juros?"


def make(comments: Mapping[str, tuple[str, str]], replaced: Mapping[str, str] | None = None) -> bytes:
    """Make a workbook with a sheet Fila: cell -> text and author; then write parts in the place of others, or new."""
    book, saved = openpyxl.Workbook(), io.BytesIO()
    book.worksheets[0].title = "Fila"
    for cell, (text, author) in comments.items():
        book["Fila"][cell].comment = Comment(text, author)
    book.save(saved)
    written = io.BytesIO()
    with zipfile.ZipFile(saved) as before, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as after:
        parts = {name: before.read(name).decode() for name in before.namelist()} | dict(replaced or {})
        for name, text in parts.items():
            after.writestr(name, text)
    return written.getvalue()


def link(*targets: tuple[str, str, str]) -> str:
    """Write the list of links of a part: type, target, id."""
    own = "".join(f"<Relationship Id='{key}' Type='{kind}' Target='{target}'/>" for kind, target, key in targets)
    return f"<Relationships>{own}</Relationships>"


def thread(notes: Mapping[str, tuple[str, str]]) -> bytes:
    """Make a workbook with a thread, and the notes that stand for it."""
    links = [(f"{TYPES}/threadedComment", "../threadedComments/threadedComment1.xml", "r1")]
    links += [("http://x/relationships/comments", "/xl/comments/comment1.xml", "r2")] if notes else []
    return make(
        notes,
        {
            "xl/threadedComments/threadedComment1.xml": THREAD,
            "xl/persons/person.xml": PEOPLE,
            "xl/worksheets/_rels/sheet1.xml.rels": link(*links),
            "xl/_rels/workbook.xml.rels": link(
                (f"{TYPES}/person", "persons/person.xml", "r8"),
                ("http://x/worksheet", "/xl/worksheets/sheet1.xml", "rId1"),
            ),
        },
    )


def test_a_comment_is_read_with_its_cell_and_who_wrote_it() -> None:
    found = read_beside(make({"B2": ("Combinei: 3x", "Bia"), "AA10": ("Caio:\nliga amanhã", "Caio")}))
    assert found.comments == {"Fila": {(2, 2): (("Bia", "Combinei: 3x"),), (10, 27): (("", "Caio: liga amanhã"),)}}
    assert found.left_out == ()


def test_a_thread_is_read_once_with_its_answers() -> None:
    told = (("Bia Lima", "3x sem juros?"), ("", "sim"))  # nobody knows who answered
    for author in ("tc={a}", "Autor"):
        assert read_beside(thread({"B2": (FOREWORD, author)})).comments == {"Fila": {(2, 2): told}}
    lost = make({"B2": (FOREWORD, "")})  # as LibreOffice leaves it
    assert read_beside(lost).comments == {"Fila": {(2, 2): (("", "3x sem juros?"),)}}


def test_a_workbook_without_comments_has_none() -> None:
    assert read_beside(make({})) == read_beside(make({"B2": ("  ", "Bia")}))
    assert not read_beside(make({})).comments


def test_drawings_are_named() -> None:
    shape = "<xdr:wsDr xmlns:xdr='x'><xdr:twoCellAnchor/></xdr:wsDr>"
    for drawing, told in (
        (shape, ("desenhos, imagens ou caixas de texto em «Fila» não foram lidos",)),
        ("<wsDr/>", ()),
    ):
        links = link(("http://x/relationships/drawing", "../drawings/drawing1.xml", "r1"))
        parts = {"xl/worksheets/_rels/sheet1.xml.rels": links, "xl/drawings/drawing1.xml": drawing}
        assert read_beside(make({}, parts)).left_out == told


def test_what_is_too_much_is_cut_and_told() -> None:
    many = read_beside(make({f"A{row}": ("x", "") for row in range(1, MOST_COMMENTS + 2)}))
    assert len(many.comments["Fila"]) == MOST_COMMENTS
    assert many.left_out == ("só os primeiros 1000 comentários foram lidos",)
    ((_, text),) = read_beside(make({"A1": ("x" * (MOST_TEXT + 1), "")})).comments["Fila"][1, 1]
    assert len(text) == MOST_TEXT
    assert read_beside(make({"A1": ("x" * (MOST_TEXT + 1), "")})).left_out != ()
    empty = '<comment ref="A1"><text><t/></text></comment>' * 200_000
    huge = f"<comments><commentList>{empty}</commentList></comments>"
    found = read_beside(make({"A1": ("x", "")}, {"xl/comments/comment1.xml": huge}))
    assert (found.comments, found.left_out) == ({}, many.left_out)


@pytest.mark.parametrize(
    "part",
    [
        "<comments><authors/><commentList><comment ref='ZZZZ1' authorId='77'><text><t>x</t></text></comment>",
        "<comments><commentList><comment/><comment ref='A0' authorId='-1'/><comment ref='A1' authorId='9e9'/>",
        "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]><comments><t>&b;</t>",
    ],
)
def test_what_is_wrong_with_comments_is_no_comment(part: str) -> None:
    whole = make({"A1": ("x", "")}, {"xl/comments/comment1.xml": f"{part}</commentList></comments>"})
    assert read_beside(whole).comments == {}


def test_links_that_lead_nowhere_leave_the_cells() -> None:
    bare = make(
        {"A1": ("x", "")}, {"xl/worksheets/_rels/sheet1.xml.rels": link(("a/comments", "../../../../etc", "r1"))}
    )
    assert read_beside(bare) == read_beside(make({}))
    assert read_workbook(bare).rows == {"Fila": [()]}

"""Files of the shape of a workbook that no program writes: made part by part, small here and large once unpacked."""

from __future__ import annotations

import io
import os
import socket
import zipfile
from collections.abc import Iterable
from pathlib import Path

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_NAMESPACES = f'xmlns="{MAIN}" xmlns:r="{OFFICE}"'
WORKBOOK = f'<workbook {_NAMESPACES}><sheets><sheet name="Fila" sheetId="1" r:id="rId1"/></sheets></workbook>'
MB = 1_000_000


def make_workbook(
    rows: Iterable[bytes], texts: Iterable[bytes] = (), workbook: Iterable[bytes] = (WORKBOOK.encode(),)
) -> bytes:
    """Make a workbook of one sheet, *Fila*.

    Args:
        rows: the inside of its `sheetData`, in pieces.
        texts: the inside of its shared strings, in pieces; none without any.
        workbook: its list of sheets, in pieces.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        shared = [f'<Override PartName="/xl/sharedStrings.xml" ContentType="{SHEET_TYPE}.sharedStrings+xml"/>']
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{SHEET_TYPE}.sheet.main+xml"/>'
            f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{SHEET_TYPE}.worksheet+xml"/>'
            f"{''.join(shared if texts else [])}</Types>",
        )
        archive.writestr("_rels/.rels", _relations(("officeDocument", "xl/workbook.xml")))
        targets = [("worksheet", "worksheets/sheet1.xml"), *([("sharedStrings", "sharedStrings.xml")] if texts else [])]
        archive.writestr("xl/_rels/workbook.xml.rels", _relations(*targets))
        _write(archive, "xl/workbook.xml", workbook)
        head, end = f'<worksheet xmlns="{MAIN}"><sheetData>'.encode(), b"</sheetData></worksheet>"
        _write(archive, "xl/worksheets/sheet1.xml", [head, *rows, end])
        if texts:
            _write(archive, "xl/sharedStrings.xml", [f'<sst xmlns="{MAIN}">'.encode(), *texts, b"</sst>"])
    return stream.getvalue()


def _relations(*targets: tuple[str, str]) -> str:
    own = "".join(
        f'<Relationship Id="rId{number}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{own}</Relationships>'


def _write(archive: zipfile.ZipFile, name: str, pieces: Iterable[bytes]) -> None:
    with archive.open(name, "w") as part:
        for piece in pieces:
            part.write(piece)


def note_of(text: bytes, times: int) -> bytes:
    """Make a workbook with one cell whose text is repeated."""
    return make_workbook([b'<row r="1"><c r="A1" t="inlineStr"><is><t>', *[text] * times, b"</t></is></c></row>"])


HOSTILE = {
    "paginas_em_branco.xlsx": lambda: make_workbook([b" " * MB] * 301),
    "lista_de_folhas.xlsx": lambda: make_workbook([], workbook=[b"<workbook>", *[b" " * MB] * 301, b"</workbook>"]),
    "anotacao_de_200_MB.xlsx": lambda: note_of(b"x" * MB, 200),
    "linhas_demais.xlsx": lambda: make_workbook([b"<row/>" * 1000] * 3100),
    "uma_linha_larga.xlsx": lambda: make_workbook([b"<row>", *[b"<c/>" * 1000] * 20, b"</row>"]),
    "textos_demais.xlsx": lambda: make_workbook([], [b"<si><t/></si>" * 1000] * 501),
    "formatos_demais.xlsx": lambda: make_workbook(
        [b"</sheetData><mergeCells>", *[b"<mergeCell/>" * 1000] * 501, b"</mergeCells><sheetData>"]
    ),
}
"""Name -> a file that would take a reader gigabytes or minutes; each is refused before a reader sees it."""


def spoil(content: bytes, name: str) -> bytes:
    """Damage the compressed bytes of one part of a zip, and nothing else."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        part = archive.getinfo(name)
    begin = part.header_offset + 30 + len(part.filename) + 4
    return content[:begin] + b"\xff" * 20 + content[begin + 20 :]


def compress_again(content: bytes, method: int) -> bytes:
    """Write a zip anew by another method."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(stream, "w", method) as other:
        for part in archive.infolist():
            other.writestr(part.filename, archive.read(part))
    return stream.getvalue()


def make_odd(folder: Path) -> dict[str, str]:
    """Put into a folder what is no file of a person: name -> what is said of it."""
    (folder / "pasta.xlsx").mkdir()
    os.mkfifo(folder / "fifo.xlsx")
    (folder / "zero.xlsx").symlink_to("/dev/zero")
    (folder / "atalho.xlsx").symlink_to("arquivo_de_outro")
    (folder / "laco.xlsx").symlink_to("laco.xlsx")
    with (folder / "esparso.xlsx").open("wb") as sparse:
        sparse.truncate(20_000_000_000)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(folder / "soquete.xlsx"))
    link, odd = "é um atalho", "não é um arquivo comum"
    return {
        "pasta.xlsx": odd, "fifo.xlsx": odd, "soquete.xlsx": odd, "zero.xlsx": link, "atalho.xlsx": link,
        "laco.xlsx": link, "esparso.xlsx": "tem 20.000 MB; o limite é 50 MB",
    }  # fmt: skip

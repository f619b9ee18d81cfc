"""Flat tables -> a workbook for pivots and Power Query: header in row 1, one Excel table a sheet, no totals.

DuckDB writes the rows as XML and they go straight into the archive, a chunk at a time: 100,000 rows of fifty columns
are the largest file of a run. Does not belong here: what the tables hold (`lastro.warehouse.datasets`).
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, Final

from lastro.export.archive import open_part
from lastro.export.cells import EPOCH, FIRST_DATE, MAX_TEXT, SPECIAL, text_cell, xml_text
from lastro.export.heading import stamp_text
from lastro.export.layout import column_letter
from lastro.export.xlsx import write_file
from lastro.grid.cells import Kind
from lastro.grid.flat import CLEAN, ROW_NUMBER, FlatColumn, FlatContent, FlatTable
from lastro.grid.words import format_date
from lastro.grid.workbook import Stamp

README_SHEET: Final = "LEIA-ME"
_ODD: Final = r"^\s|\s\s|\s$|\n|" + "".join(
    character if " " <= character <= "~" else f"\\x{{{ord(character):x}}}"
    for character in SPECIAL.pattern.replace("\ud800-\udfff", "")
)
"""A text whose blanks are to be kept, or that `xml_text` changes, as DuckDB writes a pattern."""
_LONG: Final = MAX_TEXT // 2
"""A text of more characters may have too many UTF-16 units."""
_TEXT, _INTEGER, _MONEY, _NUMBER, _DATE, _TIMESTAMP, _HEADER, _TITLE, _WRAPPED = range(9)
_STYLES: Final = {
    Kind.TEXT: _TEXT,
    Kind.INTEGER: _INTEGER,
    Kind.MONEY: _MONEY,
    Kind.NUMBER: _NUMBER,
    Kind.DATE: _DATE,
    Kind.TIMESTAMP: _TIMESTAMP,
    Kind.BOOLEAN: _TEXT,
}
_WIDTHS: Final = {
    Kind.TEXT: 22,
    Kind.INTEGER: 13,
    Kind.MONEY: 15,
    Kind.NUMBER: 11,
    Kind.DATE: 12,
    Kind.TIMESTAMP: 17,
    Kind.BOOLEAN: 12,
}
_TYPES: Final = {
    Kind.TEXT: "texto",
    Kind.INTEGER: "inteiro",
    Kind.MONEY: "dinheiro",
    Kind.NUMBER: "número",
    Kind.DATE: "data",
    Kind.TIMESTAMP: "data e hora",
    Kind.BOOLEAN: "verdadeiro ou falso",
}
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_FEW_ROWS: Final = 5_000
"""To find out what is in the columns of so many takes longer than to ask in each cell."""
_ANYTHING: Final = FlatContent(nulls=True, empties=True, odd=True)
PERSONAL_NOTE: Final = "contém dados pessoais (LGPD)"


def render_flat(path: Path, stamp: Stamp, tables: Iterator[FlatTable], *, personal: bool) -> tuple[Path, int]:
    """Write the workbook of flat tables, whole or not at all.

    Args:
        path: wanted file; `_r2` ... is added where it exists.
        stamp: printed on the first sheet.
        tables: each is read once, as it is written.
        personal: contacts and documents of persons are inside: the footer says so.

    Returns:
        The file, and how many rows of data it has.

    Raises:
        StorageError: the folder is not writable or the disk is full.
        TypeError: a cell holds a value that its kind does not allow.
    """
    rows = 0

    def write(stream: IO[bytes]) -> None:
        nonlocal rows
        rows = _write_archive(stream, stamp, tables, personal=personal)

    return write_file(path, write), rows


def _write_archive(stream: IO[bytes], stamp: Stamp, tables: Iterator[FlatTable], *, personal: bool) -> int:
    moment = stamp.extraido_em.replace(tzinfo=None, microsecond=0)
    footer = f"&amp;LData-base {format_date(stamp.data_base)}{' · ' + PERSONAL_NOTE if personal else ''}&amp;R&amp;P"
    done: list[FlatTable] = []
    with zipfile.ZipFile(stream, "w") as archive:

        def put(name: str, *chunks: str) -> None:
            with open_part(archive, name, moment) as part:
                for chunk in chunks:
                    part.write(chunk.encode())

        for number, table in enumerate(tables, 2):
            with open_part(archive, f"xl/worksheets/sheet{number}.xml", moment) as part:
                for chunk in _sheet(table, footer):
                    part.write(chunk)
            put(f"xl/worksheets/_rels/sheet{number}.xml.rels", _table_relation(number - 1))
            put(f"xl/tables/table{number - 1}.xml", _table_part(table, number - 1))
            done.append(table)
        put("xl/worksheets/sheet1.xml", *_readme(stamp, done, footer, personal=personal))
        for name, content in _frame([README_SHEET, *(table.name for table in done)], moment):
            put(name, content)
    return sum(table.length for table in done)


def _sheet(table: FlatTable, footer: str) -> Iterator[bytes]:
    """Write a sheet: header in row 1, data from row 2, nothing below."""
    widths = "".join(
        f'<col min="{place}" max="{place}" width="{max(_WIDTHS[column.kind], len(column.name) + 4)}" customWidth="1"/>'
        for place, column in enumerate(table.columns, 1)
    )
    letters = [column_letter(place) for place in range(1, len(table.columns) + 1)]
    header = "".join(
        text_cell(f"{letter}1", _HEADER, column.name) for letter, column in zip(letters, table.columns, strict=True)
    )
    yield (
        f'{_HEAD}<worksheet xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheetViews><sheetView workbookViewId="0">'
        '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
        f'<cols>{widths}</cols><sheetData><row r="1">{header}</row>'
    ).encode()
    contents = [_ANYTHING] * len(letters)
    if table.length > _FEW_ROWS:
        contents = table.survey(tuple(map(_odd_sql, table.columns)))
    cells = ", ".join(map(_cell_sql, letters, table.columns, contents))
    yield from table.rows(f"""concat('<row r="', {ROW_NUMBER}, '">', {cells}, '</row>')""", xml_text)
    yield (
        '</sheetData><pageSetup paperSize="9" orientation="landscape"/>'
        f'<headerFooter><oddFooter>{footer}</oddFooter></headerFooter><tableParts count="1"><tablePart r:id="rId1"/>'
        "</tableParts></worksheet>"
    ).encode()


def _odd_sql(column: FlatColumn) -> str:
    """Write the SQL that tells a value which needs care."""
    if column.kind is Kind.TEXT:
        return f"length({column.sql}) > {_LONG} OR regexp_matches({column.sql}, '{_ODD}')"
    return f"{column.sql} < DATE '{FIRST_DATE}'" if column.kind in {Kind.DATE, Kind.TIMESTAMP} else "false"


def _cell_sql(letter: str, column: FlatColumn, content: FlatContent) -> str:
    """Write the SQL that writes a column's cells, as `lastro.export.cells` does: parts that are put together.

    A null leaves no cell.
    """
    name, kind = column.sql, column.kind
    style = f' s="{_STYLES[kind]}"' if _STYLES[kind] else ""

    def cell(body: str) -> str:
        return f"""'<c r="{letter}', {ROW_NUMBER}, '"{style}{body}'"""

    def text(value: str, attribute: str = "") -> str:
        return cell(f""" t="inlineStr"><is><t{attribute}>', {value}, '</t></is></c>""")

    days = f"{name}::DATE - DATE '{EPOCH}'"
    odd = ""
    if kind is Kind.TEXT:
        odd, usual = text(f"{CLEAN}({name})", ' xml:space="preserve"'), text(name)
    elif kind is Kind.BOOLEAN:
        usual = cell(f""" t="b"><v>', {name}::INTEGER, '</v></c>""")
    elif kind is Kind.DATE:
        odd, usual = text(f"{name}::VARCHAR"), cell(f"""><v>', {days}, '</v></c>""")
    elif kind is Kind.TIMESTAMP:
        odd = text(f"strftime({name}, '%Y-%m-%dT%H:%M:%S')")
        # Rounded up, as `cells` does: a reader that cuts the fraction must not show the second before.
        fraction = f"(date_diff('second', {name}::DATE::TIMESTAMP, {name}) * 1000000000 + 86399) // 86400"
        usual = cell(f"""><v>', {days}, '.', lpad(({fraction})::VARCHAR, 9, '0'), '</v></c>""")
    else:
        usual = cell(f"""><v>', {name}, '</v></c>""")
    if not any(content):
        return usual
    empty = f"WHEN {name} = '' THEN concat({cell('/>')})" if content.empties and kind is Kind.TEXT else ""
    careful = f"WHEN {_odd_sql(column)} THEN concat({odd})" if content.odd and odd else ""
    return f"CASE {empty} {careful} WHEN {name} IS NOT NULL THEN concat({usual}) END"


def _table_part(table: FlatTable, number: int) -> str:
    # An Excel table has a row below its header, be it empty.
    area = f"A1:{column_letter(len(table.columns))}{1 + max(table.length, 1)}"
    columns = "".join(
        f'<tableColumn id="{place}" name="{xml_text(column.name)}"/>' for place, column in enumerate(table.columns, 1)
    )
    return (
        f'{_HEAD}<table xmlns="{_MAIN}" id="{number}" name="{table.name}" displayName="{table.name}" ref="{area}" '
        f'totalsRowShown="0"><autoFilter ref="{area}"/><tableColumns count="{len(table.columns)}">{columns}'
        '</tableColumns><tableStyleInfo name="TableStyleLight9" showFirstColumn="0" showLastColumn="0" '
        'showRowStripes="1" showColumnStripes="0"/></table>'
    )


def _table_relation(number: int) -> str:
    return (
        f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_RELATIONS}/table" Target="../tables/table{number}.xml"/></Relationships>'
    )


def _readme(stamp: Stamp, tables: Sequence[FlatTable], footer: str, *, personal: bool) -> Iterator[str]:
    """Write the first sheet: stamp, keys, relations, dictionary."""
    rows: list[tuple[int, tuple[str, ...]]] = [
        (_TITLE, (f"DADOS — {stamp.empresa}",)),
        (_TEXT, (stamp_text(stamp),)),
        (_TEXT, (stamp.confianca,)),
        (
            _TEXT,
            ("Valores com sinal: negativo sai, positivo entra. Sem linha de total: some, filtre e cruze à vontade.",),
        ),
        (_TEXT, (f"Esta planilha {PERSONAL_NOTE}." if personal else "Sem contatos e sem documentos de pessoas.",)),
        (_TEXT, ()),
        (_HEADER, ("Tabela", "Uma linha é", "Linhas", "Chave", "Liga-se a")),
        *(
            (_WRAPPED, (table.name, table.comment, str(table.length), ", ".join(table.key), table.note))
            for table in tables
        ),
        (_TEXT, ()),
        (_HEADER, ("Tabela", "Coluna", "Tipo", "Significado")),
    ]
    seen: set[tuple[str, ...]] = set()
    for table in tables:
        names = tuple(column.name for column in table.columns)
        base = table.name.rstrip("0123456789").rstrip("_")
        if (base, *names) in seen:
            continue  # another year of the same table
        seen.add((base, *names))
        rows += [(_WRAPPED, (base, column.name, _TYPES[column.kind], column.meaning)) for column in table.columns]
    body = "".join(
        f'<row r="{place}">'
        + "".join(text_cell(f"{'ABCDE'[column]}{place}", style, text) for column, text in enumerate(texts))
        + "</row>"
        for place, (style, texts) in enumerate(rows, 1)
    )
    widths = "".join(
        f'<col min="{place}" max="{place}" width="{width}" customWidth="1"/>'
        for place, width in enumerate((26, 38, 20, 60, 60), 1)
    )
    yield (
        f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView showGridLines="0" workbookViewId="0"/></sheetViews>'
        f'<cols>{widths}</cols><sheetData>{body}</sheetData><pageSetup paperSize="9" orientation="landscape"/>'
        f"<headerFooter><oddFooter>{footer}</oddFooter></headerFooter></worksheet>"
    )


_STYLES_PART: Final = (
    f'{_HEAD}<styleSheet xmlns="{_MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/>'
    '<numFmt numFmtId="165" formatCode="dd/mm/yyyy\\ hh:mm"/></numFmts><fonts count="3"><font><sz val="10"/>'
    '<name val="Calibri"/></font><font><b/><sz val="10"/><color rgb="FFFFFFFF"/><name val="Calibri"/></font>'
    '<font><b/><sz val="14"/><name val="Calibri"/></font></fonts><fills count="3"><fill><patternFill '
    'patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill '
    'patternType="solid"><fgColor rgb="FF1F3A5F"/></patternFill></fill></fills><borders count="1"><border><left/>'
    '<right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="9"><xf/><xf numFmtId="1" applyNumberFormat="1"/><xf numFmtId="4" applyNumberFormat="1"/>'
    '<xf/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/>'
    '<xf fontId="1" fillId="2" applyFont="1" applyFill="1"/><xf fontId="2" applyFont="1"/>'
    '<xf applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf></cellXfs><cellStyles count="1">'
    '<cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


def _frame(names: Sequence[str], moment: datetime) -> Iterator[tuple[str, str]]:
    """Write the parts around the sheets."""
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    numbers = range(1, len(names) + 1)
    sheets = "".join(
        f'<sheet name="{xml_text(name)}" sheetId="{number}" r:id="rId{number}"/>'
        for number, name in zip(numbers, names, strict=True)
    )
    relations = "".join(
        f'<Relationship Id="rId{number}" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        for number in numbers
    )
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{number}.xml" ContentType="{kinds}.worksheet+xml"/>'
        for number in numbers
    ) + "".join(
        f'<Override PartName="/xl/tables/table{number}.xml" ContentType="{kinds}.table+xml"/>'
        for number in numbers[:-1]
    )
    when = f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    yield (
        "[Content_Types].xml",
        (
            f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
            f'ContentType="application/xml"/><Override PartName="/xl/workbook.xml" '
            f'ContentType="{kinds}.sheet.main+xml"/>'
            f'<Override PartName="/xl/styles.xml" ContentType="{kinds}.styles+xml"/><Override '
            'PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>'
            f"{parts}</Types>"
        ),
    )
    yield (
        "_rels/.rels",
        (
            f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
            f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/><Relationship Id="rId2" '
            f'Type="{_PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>'
        ),
    )
    yield (
        "xl/workbook.xml",
        f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>{sheets}</sheets></workbook>',
    )
    yield (
        "xl/_rels/workbook.xml.rels",
        (
            f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{relations}<Relationship Id="rId{len(names) + 1}" '
            f'Type="{_RELATIONS}/styles" Target="styles.xml"/></Relationships>'
        ),
    )
    yield "xl/styles.xml", _STYLES_PART
    yield (
        "docProps/core.xml",
        (
            f'{_HEAD}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
            'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
            'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:creator>lastro</dc:creator>'
            f'<dcterms:created xsi:type="dcterms:W3CDTF">{when}</dcterms:created>'
            f'<dcterms:modified xsi:type="dcterms:W3CDTF">{when}</dcterms:modified></cp:coreProperties>'
        ),
    )

"""The SQL that reads one field of a received record: as text out of it, in its type, and what is wrong with it.

A record is read once, into the structure `r`, and its keys into `chaves`: every look into a JSON text parses it anew.
"""

from __future__ import annotations

from lastro.money import MONEY_PATTERN
from lastro.schema.derivation import quote
from lastro.schema.payloads import FieldSpec, Reading

ID_PATTERN = "^[1-9][0-9]{0,17}$"
_DAY_PATTERN = "^(19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2}([ T].*)?$"
"""A date from 1900 to 2199; that it exists is for a cast to say."""
_WHAT = {
    Reading.OWN_ID: "não é um inteiro positivo",
    Reading.REFERENCE: "não é um id",
    Reading.MONEY: "não é um valor em dinheiro",
    Reading.MONEY_OR_NULL: "não é um valor em dinheiro",
    Reading.DAY: "não é uma data entre 1900 e 2199",
    Reading.DAY_OR_NULL: "não é uma data entre 1900 e 2199",
}


def read_field(name: str) -> str:
    """Write the SQL of a field's text."""
    return f'r."{name}"'


def find_wrong(spec: FieldSpec) -> list[tuple[str, str]]:
    """Write each fault that a field may have as an SQL condition with its message; the first that holds counts."""
    text, typed = read_field(spec.name), f'"{name_column(spec)}"'
    wrong = {
        Reading.OWN_ID: f"NOT coalesce(regexp_full_match({text}, '{ID_PATTERN}'), false)",
        Reading.REFERENCE: f"NOT regexp_full_match({text}, '^([0-9]{{1,18}})?$')",
        Reading.MONEY: f"NOT coalesce(regexp_full_match({text}, '{MONEY_PATTERN}'), false)",
        Reading.MONEY_OR_NULL: f"({text} <> '' AND NOT regexp_full_match({text}, '{MONEY_PATTERN}'))",
        Reading.DAY: f"{typed} IS NULL",
        Reading.DAY_OR_NULL: f"({text} <> '' AND {typed} IS NULL)",
    }.get(spec.reading)
    faults = [(wrong, f"{spec.name}: {_WHAT[spec.reading]}")] if wrong else []
    if spec.needed:
        # A look at the keys of every record would cost as much as reading it.
        absent = f"CASE WHEN {text} IS NULL THEN NOT list_contains(chaves, {quote(spec.name)}) ELSE false END"
        faults.insert(0, (absent, f"{spec.name}: campo ausente"))
    return faults


def name_column(spec: FieldSpec) -> str:
    """Name the column of a checked field: money carries its unit."""
    return f"{spec.target}_centavos" if spec.reading in (Reading.MONEY, Reading.MONEY_OR_NULL) else spec.target


def _day(text: str) -> str:
    """Write the SQL of a checked date; NULL when it is none or lies outside 1900-2199."""
    return f"CASE WHEN regexp_full_match({text}, '{_DAY_PATTERN}') THEN try_cast(left({text}, 10) AS DATE) END"


def cast_field(spec: FieldSpec) -> str:
    """Write the SQL of a field in the type that pandas gets; NULL where it cannot be read."""
    text = expression = read_field(spec.name)
    if spec.reading is Reading.OWN_ID:
        expression = f"try_cast({text} AS BIGINT)"
    elif spec.reading is Reading.REFERENCE:
        expression = f"nullif(try_cast(nullif({text}, '') AS BIGINT), 0)"
    elif spec.reading in (Reading.MONEY, Reading.MONEY_OR_NULL):
        # Of what is no amount the record is rejected; a cast that fails would end the run.
        expression = f"(try_cast({text} AS DECIMAL(20,2)) * 100)::BIGINT"
    elif spec.reading in (Reading.DAY, Reading.DAY_OR_NULL):
        expression = f"({_day(text)})::TIMESTAMP"
    elif spec.reading is Reading.FLAG:
        expression = (
            f"CASE WHEN lower({text}) IN ('true', '1') THEN true WHEN lower({text}) IN ('false', '0') THEN false END"
        )
    elif spec.reading is Reading.INTEGER:
        expression = f"CASE WHEN regexp_full_match({text}, '^-?[0-9]{{1,9}}$') THEN {text}::BIGINT END"
    elif spec.reading is Reading.DECIMAL:
        pattern = "^([0-9]{1,5}|[0-9]{0,5}[.][0-9]{1,4}0{0,30})$"
        expression = f"CASE WHEN regexp_full_match({text}, '{pattern}') THEN {text} END"
    elif spec.reading is Reading.INSTANT:
        expression = f"try_cast({text} AS TIMESTAMP)"
    elif spec.reading is Reading.TEXT:
        expression = f"coalesce(trim({text}), '')"
    return f'{expression} AS "{name_column(spec)}"'


def read_tags(tags: str) -> str:
    """Write the SQL of the ids of the tags in a JSON array, null for none; those that are no ids are left out."""
    return (
        f"CASE WHEN {tags} <> '[]' AND starts_with({tags}, '[') THEN list_filter(list_transform(json_extract_string("
        f"{tags}, '$[*].id'), lambda tag: try_cast(tag AS BIGINT)), lambda tag: tag > 0) END"
    )

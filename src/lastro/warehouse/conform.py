"""Landed pages become checked, typed records: DuckDB reads every field as text, checks it, then casts it.

A record that cannot be read goes to `raw.rejeitados` with payload, reason, listing, page and position; the rest loads.
Nested items are records of their own. A field that a rule needs and that no record of a list has is `SchemaDrift`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path

import duckdb
import pandas as pd

from lastro.errors import SchemaDrift, join_keys
from lastro.money import MONEY_PATTERN
from lastro.schema import payloads
from lastro.schema.derive import quote
from lastro.schema.frames import derive_column, shape
from lastro.schema.payloads import FieldSpec, PayloadSpec, Reading
from lastro.transform.conformed import Conformed
from lastro.warehouse.pages import LISTED_ACCOUNT, insert_pages, load_pages

MAX_TEXT = 2**20
"""Characters of one text field: nobody books more."""
MAX_TREE = 64
"""Levels of a tree of records that comes nested."""
ID_PATTERN = "^[1-9][0-9]{0,17}$"
DRIFT_RECORDS = 20
"""In a list of at least so many records, a needed field that none of them has readable is drift, not odd records."""
_PAGE = ("extraido_em", "origem", "pagina", "posicao", "conta_listada")
"""Where a record was received: columns of every temporary table of this module."""
DETAILS = "pagina_detalhes"
"""Temporary table of the entries read one by one (V15, S13)."""
_DAY_PATTERN = "^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T].*)?$"
_WHAT = {
    Reading.OWN_ID: "não é um inteiro positivo",
    Reading.REFERENCE: "não é um id",
    Reading.MONEY: "não é um valor em dinheiro",
    Reading.MONEY_OR_NULL: "não é um valor em dinheiro",
    Reading.DAY: "não é uma data entre 1900 e 2199",
    Reading.DAY_OR_NULL: "não é uma data entre 1900 e 2199",
}


def _field(position: int) -> str:
    return f"f[{position}]"


def _problem(spec: FieldSpec, position: int) -> str:
    """Write the SQL that names what is wrong with a field, or NULL."""
    text, kind = _field(position), f"t[{position}]"
    absent = f"WHEN {kind} IS NULL THEN {quote(spec.name + ': campo ausente')}" if spec.needed else ""
    wrong = {
        Reading.OWN_ID: f"NOT coalesce(regexp_full_match({text}, '{ID_PATTERN}'), false)",
        Reading.REFERENCE: f"NOT regexp_full_match({text}, '^([0-9]{{1,18}})?$')",
        Reading.MONEY: f"NOT coalesce(regexp_full_match({text}, '{MONEY_PATTERN}'), false)",
        Reading.MONEY_OR_NULL: f"{text} <> '' AND NOT regexp_full_match({text}, '{MONEY_PATTERN}')",
        Reading.DAY: f"{_day(text)} IS NULL",
        Reading.DAY_OR_NULL: f"{text} <> '' AND {_day(text)} IS NULL",
    }.get(spec.reading)
    if wrong is None:
        return f"CASE {absent} END" if absent else "NULL"
    return f"CASE {absent} WHEN {wrong} THEN {quote(f'{spec.name}: {_WHAT[spec.reading]}')} END"


def _day(text: str) -> str:
    """Write the SQL of a checked date; NULL when it is none or lies outside 1900-2199."""
    day = f"try_cast(left({text}, 10) AS DATE)"
    return (
        f"CASE WHEN regexp_full_match({text}, '{_DAY_PATTERN}') AND {day} BETWEEN DATE '1900-01-01' "
        f"AND DATE '2199-12-31' THEN {day} END"
    )


def _typed(spec: FieldSpec, position: int) -> str:
    """Write the SQL of a checked field in the type that pandas gets."""
    text = _field(position)
    expression, name = text, spec.target
    if spec.reading is Reading.OWN_ID:
        expression = f"try_cast({text} AS BIGINT)"
    elif spec.reading is Reading.REFERENCE:
        expression = f"nullif(try_cast(nullif({text}, '') AS BIGINT), 0)"
    elif spec.reading in (Reading.MONEY, Reading.MONEY_OR_NULL):
        # Of what is no amount the record is rejected; a cast that fails would end the run.
        expression, name = f"(try_cast({text} AS DECIMAL(20,2)) * 100)::BIGINT", f"{spec.target}_centavos"
    elif spec.reading in (Reading.DAY, Reading.DAY_OR_NULL):
        expression = f"({_day(text)})::TIMESTAMP"
    elif spec.reading is Reading.FLAG:
        expression = (
            f"CASE WHEN lower({text}) IN ('true', '1') THEN true WHEN lower({text}) IN ('false', '0') THEN false END"
        )
    elif spec.reading is Reading.INTEGER:
        expression = f"CASE WHEN regexp_full_match({text}, '^-?[0-9]{{1,9}}$') THEN {text}::BIGINT END"
    elif spec.reading is Reading.DECIMAL:
        expression = f"CASE WHEN regexp_full_match({text}, '^[0-9]{{1,5}}([.][0-9]{{1,4}})?$') THEN {text} END"
    elif spec.reading is Reading.INSTANT:
        expression = f"try_cast({text} AS TIMESTAMP)"
    elif spec.reading is Reading.TEXT:
        expression = f"coalesce(trim({text}), '')"
    return f'{expression} AS "{name}"'


class Conformer:
    """Reads the landed pages of one run into checked records.

    Attributes:
        con: the connection of the writer; temporary tables live in it.
        pastas: folders of landed pages; of equal ids the one received last wins, in whichever folder.
        execucao_id: number of the run.
    """

    def __init__(self, con: duckdb.DuckDBPyConnection, pastas: Sequence[Path], execucao_id: int) -> None:
        self.con = con
        self.pastas = pastas
        self.execucao_id = execucao_id

    def files(self, prefix: str) -> list[Path]:
        """List the landed files of a list, one or one per account, in the order of folders and names."""
        found: list[Path] = []
        for pasta in self.pastas:
            whole = pasta / f"{prefix}.jsonl.gz"
            found += [whole] if whole.exists() else sorted(pasta.glob(f"{prefix}-*.jsonl.gz"))
        return found

    def keep_raw(self, lista: str) -> None:
        """Load a list's pages and keep its elements as received in `raw.<lista>`.

        Over a complete run's pages a hot run lays its own, the overdue lists included; the complete run's details are
        then rows like others, or they would outlive what the hot run saw since.
        """
        files = self.files(lista)
        if len(self.pastas) > 1 and lista == "lancamentos":
            files += [*self.files("detalhes"), *self.files("vencidos-PA"), *self.files("vencidos-RA")]
        elif len(self.pastas) > 1 and lista == "detalhes":
            files = []
        self.con.execute(f"DELETE FROM raw.{lista}")
        insert_pages(self.con, files, f"raw.{lista}", f"{self.execucao_id}, ")
        self.con.execute(
            f"CREATE OR REPLACE TEMP VIEW pagina_{lista} AS SELECT extraido_em, origem, pagina, posicao, payload, "
            f"{LISTED_ACCOUNT} AS conta_listada FROM raw.{lista}"
        )

    def conform(self, spec: PayloadSpec, source: str, *, carrier: bool = False) -> pd.DataFrame:
        """Check and cast the records of a temporary table; unreadable ones go to `raw.rejeitados`.

        Args:
            spec: the fields of the record.
            source: table with extraido_em, origem, pagina, posicao, payload, conta_listada (and, with `carrier`,
                `lancamento_id` and `posicao_item`).
            carrier: the records are nested items; their carrier's id is kept and they are unique per carrier.

        Returns:
            Grain record, key `spec.key` (the one received last wins, S1), money as centavos.

        Raises:
            SchemaDrift: when no record of a non-empty list has a field that a rule needs.
        """
        checked = f"conferido_{spec.lista}"
        self._check(spec, source, checked, carrier=carrier)
        if source != DETAILS:
            # A few entries read one by one prove no drift, and their listing has told its fields already.
            self._report_schema(spec, source, checked)
        self.con.execute(
            f"""INSERT INTO raw.rejeitados
            SELECT {self.execucao_id}, extraido_em, {quote(spec.lista)}, conta_listada, origem, pagina, posicao,
              payload, array_to_string(motivos, '; ') FROM {checked} WHERE len(motivos) > 0"""
        )
        key = f'lancamento_id, "{spec.key}"' if carrier else f'"{spec.key}"'
        self.con.execute(
            f"""DELETE FROM {checked} WHERE len(motivos) > 0 OR rowid IN (SELECT numero FROM (SELECT rowid AS numero,
              row_number() OVER (PARTITION BY {key} ORDER BY extraido_em DESC, pagina DESC, posicao DESC) AS idade
              FROM {checked} WHERE len(motivos) = 0) WHERE idade > 1)"""
        )
        order = f'"{spec.key}"{", lancamento_id" if carrier else ""}'
        frame = self.con.execute(
            f"SELECT * EXCLUDE ({', '.join(_PAGE)}, payload, motivos) FROM {checked} ORDER BY {order}"
        ).df()
        return _set_types(frame, spec)

    def _check(self, spec: PayloadSpec, source: str, checked: str, *, carrier: bool) -> None:
        """Create the temporary table of checked records: typed, with what is wrong with each (`motivos`).

        Only what is still asked for keeps its payload: the unreadable, and those with nested items. Every look into
        the text parses it anew, so each question is put once.
        """
        names = [*(item.name for item in spec.fields), *spec.nested, *spec.other]
        paths, fields = _list_paths(names), _list_paths([item.name for item in spec.fields])
        kinds = {name: f"t[{position}]" for position, name in enumerate(names, 1)}
        problems = ", ".join(_problem(item, position) for position, item in enumerate(spec.fields, 1))
        nested = "".join(
            f", CASE WHEN coalesce({kinds[name]}, 'NULL') NOT IN ('ARRAY', 'NULL') THEN '{name}: não é uma lista' END"
            for name in spec.nested
        )
        # Of two equal keys Python's reader, which proves, keeps the last and DuckDB's, which loads, the first. Where
        # every key is a known one that is there, none comes twice.
        odd = (
            "CASE WHEN len(chaves) <> list_count(t) AND len(chaves) <> len(list_distinct(chaves)) "
            "THEN 'chave repetida' END, "
            f"CASE WHEN list_max(list_transform(f, lambda um: len(um))) > {MAX_TEXT} THEN 'texto longo demais' END"
        )
        columns = ", ".join(_typed(item, position) for position, item in enumerate(spec.fields, 1))
        if carrier:
            presence = (f"{kinds[name]} IS NOT NULL AS tem_{name}" for name in payloads.INHERITED_IF_ABSENT)
            columns += f", lancamento_id, posicao_item, {', '.join(presence)}"
        if "tags" in spec.nested:
            columns += f", {_tag_ids('payload', kinds['tags'])} AS tags"
        kept = "len(motivos) > 0"
        if "itens_adicionais" in spec.nested:
            columns += ", coalesce(json_array_length(payload, '$.itens_adicionais'), 0)::BIGINT AS qtde_itens"
            kept += " OR qtde_itens > 0"
        self.con.execute(
            f"""CREATE OR REPLACE TEMP TABLE {checked} AS
            SELECT {columns}, {", ".join(_PAGE)}, CASE WHEN {kept} THEN payload END AS payload, motivos
            FROM (SELECT *, CASE WHEN tipo_json <> 'OBJECT' THEN ['não é um objeto']
                ELSE list_filter([{odd}, {problems}{nested}]::VARCHAR[], lambda motivo: motivo IS NOT NULL)
                END AS motivos
              FROM (SELECT *, json_extract_string(payload, {fields}) AS f, json_type(payload, {paths}) AS t,
                json_type(payload) AS tipo_json, json_keys(payload) AS chaves FROM {source}))"""
        )

    def _report_schema(self, spec: PayloadSpec, source: str, checked: str) -> None:
        """Record new and missing fields once per run (S13) and stop when a needed one is gone."""
        counted = self.con.execute(
            f"""WITH formas AS (SELECT json_keys(payload) AS chaves, count(*) AS n FROM {source}
              WHERE json_type(payload) = 'OBJECT' GROUP BY ALL)
            SELECT campo, sum(n)::BIGINT, (SELECT sum(n) FROM formas)::BIGINT
            FROM (SELECT unnest(chaves) AS campo, n FROM formas) GROUP BY campo"""
        ).fetchall()
        if not counted:
            return
        seen, objects = {name: count for name, count, _ in counted}, counted[0][2]
        gone = [item.name for item in spec.fields if item.needed and item.name not in seen]
        if gone:
            raise SchemaDrift(
                f"/v1/{spec.lista}: none of {objects} records has the fields {join_keys(gone)}, which the rules need. "
                "Nothing was replaced. Compare the service's answers with its document; lastro needs a new version if "
                "the service changed."
            )
        if objects >= DRIFT_RECORDS:
            self._demand_readable(spec, checked, objects)
        rows = [(name, "desconhecido", count) for name, count in seen.items() if name not in spec.known]
        expected = [item.name for item in spec.fields if item.name not in spec.optional]
        rows += [(name, "ausente", objects - seen.get(name, 0)) for name in expected if seen.get(name, 0) < objects]
        for name, situation, count in sorted(rows):
            self.con.execute(
                "INSERT INTO ops.esquema VALUES (?, ?, ?, ?, ?)", [self.execucao_id, spec.lista, name, situation, count]
            )

    def _demand_readable(self, spec: PayloadSpec, checked: str, objects: int) -> None:
        """Stop when a needed field is unreadable in every record: it changed its type."""
        needed = [item.name for item in spec.fields if item.needed]
        counts = ", ".join(
            f"count(*) FILTER (len(list_filter(motivos, lambda motivo: starts_with(motivo, {quote(name + ':')}))) > 0)"
            for name in needed
        )
        found = self.con.execute(f"SELECT {counts} FROM {checked}").fetchall()[0]
        changed = [name for name, count in zip(needed, found, strict=True) if count == objects]
        if changed:
            raise SchemaDrift(
                f"/v1/{spec.lista}: in all of {objects} records the rules cannot read {join_keys(changed)}. Nothing "
                "was replaced. Compare the service's answers with its document; lastro needs a new version if the "
                "service changed."
            )

    def itens(self, source: str) -> pd.DataFrame:
        """Conform the nested items of a temporary table's entries as `conform` keeps them: readable, received last."""
        self.con.execute(
            f"""CREATE OR REPLACE TEMP TABLE pagina_itens AS
            SELECT {", ".join(_PAGE)}, lancamento_id, unnest(range(qtde_itens)) AS posicao_item,
              unnest(json_extract(payload, '$.itens_adicionais[*]')) AS payload
            FROM {source} WHERE qtde_itens > 0"""
        )
        return self.conform(payloads.ITENS, "pagina_itens", carrier=True)

    def flatten(self, lista: str, children: str, parent: str | None) -> str:
        """Flatten a tree of records (`categorias_filhas`); a nested record without parent gets its holder's id."""
        table = f"arvore_{lista}"
        holder = (
            f"CASE WHEN json_extract_string(filha, '$.{parent}') IS NULL AND json_type(filha) = 'OBJECT' THEN "
            f"json_merge_patch(filha, json_object('{parent}', json_extract(payload, '$.id'))) ELSE filha END"
            if parent
            else "filha"
        )
        self.con.execute(
            f"""CREATE OR REPLACE TEMP TABLE {table}_inteira AS WITH RECURSIVE arvore AS (
              SELECT extraido_em, origem, pagina, posicao, conta_listada, payload, 0 AS fundo FROM pagina_{lista}
              UNION ALL
              SELECT extraido_em, origem, pagina, posicao, conta_listada, {holder}, fundo + 1
              FROM (SELECT *, unnest(json_extract(payload, '$.{children}[*]')) AS filha FROM arvore
                WHERE fundo < {MAX_TREE} AND json_type(payload, '$.{children}') = 'ARRAY'))
            FROM arvore"""
        )
        self.con.execute(
            f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT * EXCLUDE fundo FROM {table}_inteira "
            f"WHERE fundo < {MAX_TREE}"
        )
        self.con.execute(
            f"""INSERT INTO raw.rejeitados
            SELECT {self.execucao_id}, extraido_em, {quote(lista)}, conta_listada, origem, pagina, posicao, payload,
              'além do nível {MAX_TREE} da árvore' FROM {table}_inteira WHERE fundo = {MAX_TREE}"""
        )
        return table


def _list_paths(names: Iterable[str]) -> str:
    """Write the SQL list of the paths of fields."""
    return "[" + ", ".join(quote(f"$.{name}") for name in names) + "]"


def _tag_ids(payload: str, kind: str) -> str:
    return (
        f"list_filter(list_transform(CASE WHEN {kind} = 'ARRAY' THEN "
        f"json_extract_string({payload}, '$.tags[*].id') ELSE [] END, lambda tag: try_cast(tag AS BIGINT)), "
        "lambda tag: tag > 0)"
    )


def _set_types(frame: pd.DataFrame, spec: PayloadSpec) -> pd.DataFrame:
    return frame.astype({column.name: column.dtype for column in map(derive_column, spec.fields)})


def conform_run(con: duckdb.DuckDBPyConnection, pastas: Sequence[Path], execucao_id: int) -> Conformed:
    """Load, check and cast everything that one run landed; for a hot run, over what the complete one landed.

    Replaces `raw.*`, adds to `raw.rejeitados` and `ops.esquema`; run it inside the transaction that replaces `core`.

    Raises:
        SchemaDrift: when a field that a rule needs is gone from a list.
    """
    reader = Conformer(con, pastas, execucao_id)
    con.execute("DELETE FROM raw.rejeitados")
    con.execute("DELETE FROM ops.esquema WHERE execucao_id = ?", [execucao_id])
    for lista in (
        "lancamentos", "cobrancas", "categorias", "clientes", "fornecedores", "classificacoes", "contas", "detalhes",
    ):  # fmt: skip
        reader.keep_raw(lista)
    lancamentos = reader.conform(payloads.LANCAMENTOS, "pagina_lancamentos")
    itens = reader.itens("conferido_lancamentos")
    detalhes = reader.conform(payloads.LANCAMENTOS, DETAILS)
    detalhes_itens = reader.itens("conferido_lancamentos")
    categorias = reader.conform(payloads.CATEGORIAS, reader.flatten("categorias", "categorias_filhas", "parent_id"))
    cobrancas = reader.conform(payloads.COBRANCAS, "pagina_cobrancas")
    clientes = reader.conform(payloads.CLIENTES, "pagina_clientes")
    fornecedores = reader.conform(payloads.FORNECEDORES, "pagina_fornecedores")
    contas = reader.conform(payloads.CONTAS, "pagina_contas")
    reader.conform(payloads.CLASSIFICACOES, "pagina_classificacoes")
    nomes = _read_names(reader)
    # What was checked of 300,000 entries would stay in memory for the rest of the run.
    for kind in ("VIEW", "TABLE"):
        for (name,) in con.execute(f"SELECT {kind}_name FROM duckdb_{kind}s() WHERE temporary").fetchall():
            if name.startswith(("pagina_", "conferido_", "arvore_")):
                con.execute(f"DROP {kind} temp.{name}")
    frames = {
        "lancamentos": _default_flags(lancamentos, pagamento_automatico=False),
        "itens": itens,
        "detalhes": _default_flags(detalhes, pagamento_automatico=False),
        "detalhes_itens": detalhes_itens,
        "cobrancas": _default_charges(cobrancas),
        "categorias": _default_flags(categorias, ativo=True),
        "clientes": _default_flags(clientes, cliente=True, fornecedor=False, ativo=True),
        "fornecedores": _default_flags(fornecedores, cliente=False, fornecedor=True, ativo=True),
        "contas": _default_flags(contas, ativo=True, permite_lancamento=True),
    }
    return Conformed(**{name: shape(f"conformed.{name}", frame) for name, frame in frames.items()}, nomes=nomes)


def conform_overdue(con: duckdb.DuckDBPyConnection, pasta: Path) -> pd.DataFrame:
    """Read the rows of `tipo=PA` and `tipo=RA` that the run landed, for V09 (S16); unreadable ones are left out.

    Returns:
        Grain (tipo, entry): tipo, conta_id (whose listing it stood in), lancamento_id, valor_centavos,
        lancamento_transferencia_id.
    """
    frames = []
    for tipo in ("PA", "RA"):
        load_pages(con, sorted(pasta.glob(f"vencidos-{tipo}-*.jsonl.gz")), "pagina_vencidos")
        rows = con.execute(
            f"""SELECT {quote(tipo)} AS tipo, conta_listada AS conta_id, lancamento_id,
              (valor::DECIMAL(20,2) * 100)::BIGINT AS valor_centavos, nullif(par, 0) AS lancamento_transferencia_id
            FROM (SELECT conta_listada, try_cast(payload->>'id' AS BIGINT) AS lancamento_id, payload->>'valor' AS valor,
              try_cast(payload->>'lancamento_transferencia_id' AS BIGINT) AS par FROM pagina_vencidos)
            WHERE lancamento_id IS NOT NULL AND regexp_full_match(valor, '{MONEY_PATTERN}')"""
        ).df()
        frames.append(rows)
    types = {"conta_id": "Int64", "lancamento_id": "int64", "valor_centavos": "int64"}
    stacked = pd.concat(frames, ignore_index=True).astype({**types, "lancamento_transferencia_id": "Int64"})
    return stacked.drop_duplicates(["tipo", "conta_id", "lancamento_id"], ignore_index=True)


def _default_flags(frame: pd.DataFrame, **defaults: bool) -> pd.DataFrame:
    return frame.assign(**{name: frame[name].fillna(value) for name, value in defaults.items()})


def _default_charges(frame: pd.DataFrame) -> pd.DataFrame:
    frame = _default_flags(frame, cobrar_juros=False, permitir_segunda_via=False)
    fine = [None if text is None or pd.isna(text) else Decimal(text) for text in frame["percentual_multa"]]
    return frame.assign(
        percentual_multa=pd.Series(fine, dtype=object, index=frame.index),
        valor_taxa_centavos=frame["valor_taxa_centavos"].fillna(0),
        valor_multa_juros_centavos=frame["valor_multa_juros_centavos"].fillna(0),
    )


def _read_names(reader: Conformer) -> dict[str, dict[int, str]]:
    """Read the labels of the lists that some services answer beyond their document (S11)."""
    names: dict[str, dict[int, str]] = {}
    for kind, spec in payloads.NOMES.items():
        files = reader.files(spec.lista)
        if not files:
            names[kind] = {}
            continue
        load_pages(reader.con, files, f"pagina_{spec.lista}")
        source = f"pagina_{spec.lista}"
        if spec.nested:
            source = reader.flatten(spec.lista, spec.nested[0], None)
        frame = reader.conform(spec, source)
        labels = frame["descricao"].where(frame["descricao"] != "", frame["nome"])
        names[kind] = {int(number): str(text) for number, text in zip(frame["id"], labels, strict=True) if text}
    return names

"""Landed pages become checked, typed records: DuckDB reads every field as text, checks it, then casts it.

A record that cannot be read goes to `raw.rejeitados` with payload, reason, listing, page and position; the rest loads.
Nested items are records of their own. A field that a rule needs and that no record of a list has is `SchemaDrift`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import duckdb
import pandas as pd

from lastro.errors import SchemaDrift, join_keys
from lastro.money import MONEY_PATTERN
from lastro.schema import payloads
from lastro.schema.derivation import quote
from lastro.schema.frames import derive_column, shape
from lastro.schema.payloads import PayloadSpec
from lastro.transform.conformed import Conformed
from lastro.warehouse.file.blocks import limit_memory
from lastro.warehouse.file.pandas_types import list_ids, read_exactly
from lastro.warehouse.loading.pages import insert_pages, load_pages
from lastro.warehouse.loading.record_fields import cast_field, find_wrong, name_column, read_field, read_tags

MAX_TEXT = 2**20
"""Characters of one text field: nobody books more."""
MAX_TREE = 64
"""Levels of a tree of records that comes nested."""
DRIFT_RECORDS = 20
"""In a list of at least so many records, a needed field that none of them has readable is drift, not odd records."""
_PAGE = ("extraido_em", "origem", "pagina", "posicao", "conta_listada")
"""Where a record was received: columns of every temporary table of this module."""
RECEIVED = ("lancamentos", "cobrancas")
"""Lists that have a temporary table `recebido_<lista>` of all records received, unreadable ones too, until the loading
drops it. Columns: conta_listada, pagina, posicao, id, data_vencimento (null where it cannot be read)."""
DETAILS = "pagina_detalhes"
"""Temporary table of the entries read one by one (V15, S13)."""


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
        paths: list[Path] = []
        for pasta in self.pastas:
            whole = pasta / f"{prefix}.jsonl.gz"
            paths += [whole] if whole.exists() else sorted(pasta.glob(f"{prefix}-*.jsonl.gz"))
        return paths

    def keep_raw(self, lista: str) -> None:
        """Load a list's pages and keep its elements as received in `raw.<lista>`.

        A hot run loads its own pages after those of the complete run, the overdue lists included. The details of the
        complete run are then rows like others: as details they would win over what the hot run read later.
        """
        files = self.files(lista)
        if len(self.pastas) > 1 and lista == "lancamentos":
            files += [*self.files("detalhes"), *self.files("vencidos-PA"), *self.files("vencidos-RA")]
        elif len(self.pastas) > 1 and lista == "detalhes":
            files = []
        self.con.execute(f"DELETE FROM raw.{lista}")
        insert_pages(self.con, files, f"raw.{lista}", f"{self.execucao_id}, ")
        _give_back(self.con, lista)
        self.con.execute(
            f"CREATE OR REPLACE TEMP VIEW pagina_{lista} AS SELECT extraido_em, origem, pagina, posicao, payload, "
            f"conta_listada FROM raw.{lista}"
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
        _give_back(self.con, spec.lista)
        shapes = self._read_shapes(source, checked)
        # Of two equal keys Python's reader, which proves, keeps the last and DuckDB's, which loads, the first.
        twice = [form for form, _, keys in shapes if len(set(keys)) < len(keys)]
        if twice:
            self._check(spec, source, checked, carrier=carrier, twice=twice)
        key = f'lancamento_id, "{spec.key}"' if carrier else f'"{spec.key}"'
        received, distinct, unreadable = self.con.execute(
            f"SELECT count(*), count(DISTINCT ({key})), count(*) FILTER (len(motivos) > 0) FROM {checked}"
        ).fetchall()[0]
        if source != DETAILS:
            # A few entries read one by one prove no drift, and their listing has told its fields already.
            self._report_schema(spec, checked, shapes, unreadable)
        if unreadable:
            self.con.execute(
                f"""INSERT INTO raw.rejeitados
                SELECT {self.execucao_id}, extraido_em, {quote(spec.lista)}, conta_listada, origem, pagina, posicao,
                  payload, array_to_string(motivos, '; ') FROM {checked} WHERE len(motivos) > 0"""
            )
        if spec.lista in RECEIVED:
            self.con.execute(
                f"CREATE OR REPLACE TEMP TABLE recebido_{spec.lista if source != DETAILS else 'detalhes'} AS SELECT "
                f'conta_listada, pagina, posicao, "{spec.key}" AS id, data_vencimento FROM {checked}'
            )
        if unreadable or distinct < received:
            self.con.execute(
                f"""DELETE FROM {checked} WHERE len(motivos) > 0 OR rowid IN (SELECT numero FROM (
                  SELECT rowid AS numero, row_number() OVER (PARTITION BY {key}
                    ORDER BY extraido_em DESC, pagina DESC, posicao DESC) AS idade
                  FROM {checked} WHERE len(motivos) = 0) WHERE idade > 1)"""
            )
        order = f'"{spec.key}"{", lancamento_id" if carrier else ""}'
        frame = self.con.execute(
            f"SELECT * EXCLUDE ({', '.join(_PAGE)}, payload, forma, motivos) FROM {checked} ORDER BY {order}"
        ).df()
        return _set_types(frame, spec)

    def _check(self, spec: PayloadSpec, source: str, checked: str, *, carrier: bool, twice: Sequence[int] = ()) -> None:
        """Create the temporary table of checked records: typed, with what is wrong with each (`motivos`).

        Only what is still asked for keeps its payload: the unreadable, and those with nested items. Every look into
        the text parses it anew, so it is read once, into a structure, and its keys once.

        Args:
            spec: as for `conform`, like the next one.
            carrier: as for `conform`.
            twice: `forma` of the records of which a key stands twice.
        """
        fields = {item.name: "VARCHAR" for item in spec.fields} | dict.fromkeys(spec.nested, "JSON")
        texts = ", ".join(f"length({read_field(item.name)})" for item in spec.fields)
        # What is short as a whole, in bytes, has no longer part.
        too_long = f"CASE WHEN strlen(payload) > {MAX_TEXT} THEN greatest({texts}, 0) > {MAX_TEXT} ELSE false END"
        groups = [[(f"forma IN ({', '.join(map(str, twice))})", "chave repetida")]] if twice else []
        groups += [[(too_long, "texto longo demais")], *map(find_wrong, spec.fields)]
        groups += [[(f"NOT starts_with({read_field(name)}, '[')", f"{name}: não é uma lista")] for name in spec.nested]
        predicates: list[str] = []
        problems: list[str] = []
        for group in filter(None, groups):
            cases = ""
            for predicate, what in group:
                cases += f" WHEN e{len(predicates)} THEN {quote(what)}"
                predicates.append(predicate)
            problems.append(f"CASE{cases} END")
        marks = [f"e{position}" for position in range(len(predicates))]
        wrong = ", ".join(f"{predicate} AS {mark}" for predicate, mark in zip(predicates, marks, strict=True))
        columns = ", ".join(f'"{name_column(item)}"' for item in spec.fields)
        if carrier:
            presence = (
                f"coalesce(list_contains(chaves, '{name}'), false) AS tem_{name}"
                for name in payloads.INHERITED_IF_ABSENT
            )
            columns += f", lancamento_id, posicao_item, {', '.join(presence)}"
        if "tags" in spec.nested:
            columns += f", {read_tags(read_field('tags'))} AS tags"
        kept = "len(motivos) > 0"
        if "itens_adicionais" in spec.nested:
            itens = read_field("itens_adicionais")
            columns += f", CASE WHEN {itens} <> '[]' THEN json_array_length({itens}) ELSE 0 END::BIGINT AS qtde_itens"
            kept += f" OR {itens} <> '[]'"
        self.con.execute(
            f"""CREATE OR REPLACE TEMP TABLE {checked} AS
            SELECT {columns}, {", ".join(_PAGE)}, forma, CASE WHEN {kept} THEN payload END AS payload, motivos
            FROM (SELECT *, CASE WHEN forma IS NULL THEN ['não é um objeto']
                WHEN {" OR ".join(marks)} THEN list_filter([{", ".join(problems)}], lambda motivo: motivo IS NOT NULL)
                ELSE []::VARCHAR[] END AS motivos
              FROM (SELECT *, {wrong}
                FROM (SELECT *, {", ".join(map(cast_field, spec.fields))},
                  CASE WHEN starts_with(payload, '{{') THEN hash(chaves) END AS forma
                  FROM (SELECT *, from_json(payload, {quote(json.dumps(fields))}) AS r, json_keys(payload) AS chaves
                    FROM {source}))))"""
        )

    def _read_shapes(self, source: str, checked: str) -> list[tuple[int, int, list[str]]]:
        """Read which keys the objects of a list have, in their order: `forma`, how many are so, the keys."""
        counted = self.con.execute(
            f"SELECT forma, count(*), min(rowid), arg_min(pagina, rowid) FROM {checked} WHERE forma IS NOT NULL "
            "GROUP BY forma"
        ).fetchall()
        if not counted:
            return []
        ones = ", ".join(str(row) for _, _, row, _ in counted)
        pages = ", ".join({str(page) for _, _, _, page in counted})  # what stands in others is not expanded
        keys: dict[int, list[str]] = dict(
            self.con.execute(
                f"""SELECT hash(chaves), any_value(chaves) FROM (SELECT json_keys(payload) AS chaves FROM {source}
                  WHERE pagina IN ({pages}) AND (origem, pagina, posicao) IN (
                    SELECT (origem, pagina, posicao) FROM {checked} WHERE rowid IN ({ones}))) GROUP BY ALL"""
            ).fetchall()
        )
        return [(form, count, keys[form]) for form, count, _, _ in counted]

    def _report_schema(
        self, spec: PayloadSpec, checked: str, shapes: Iterable[tuple[int, int, list[str]]], unreadable: int
    ) -> None:
        """Record new and missing fields once per run (S13) and stop when a needed one is gone."""
        seen: Counter[str] = Counter()
        objects = 0
        for _, count, keys in shapes:
            objects += count
            for name in keys:
                seen[name] += count
        if not objects:
            return
        gone = [item.name for item in spec.fields if item.needed and item.name not in seen]
        if gone:
            raise SchemaDrift(
                f"/v1/{spec.lista}: nenhum dos {objects} registros tem os campos {join_keys(gone)}, de que "
                "as regras precisam. Nada foi trocado. Compare as respostas do serviço com o documento; se "
                "o serviço mudou, o lastro precisa de uma versão nova."
            )
        if unreadable >= objects >= DRIFT_RECORDS:
            _demand_readable(self.con, spec, checked, objects)
        rows = [(name, "desconhecido", count) for name, count in seen.items() if name not in spec.known]
        expected = [item.name for item in spec.fields if item.name not in spec.optional]
        rows += [(name, "ausente", objects - seen[name]) for name in expected if seen[name] < objects]
        for name, situation, count in sorted(rows):
            self.con.execute(
                "INSERT INTO ops.esquema VALUES (?, ?, ?, ?, ?)", [self.execucao_id, spec.lista, name, situation, count]
            )

    def itens(self) -> pd.DataFrame:
        """Conform the nested items of the entries that `conform` kept last: readable, received last."""
        self.con.execute(
            f"""CREATE OR REPLACE TEMP TABLE pagina_itens AS
            SELECT {", ".join(_PAGE)}, lancamento_id, unnest(range(qtde_itens)) AS posicao_item,
              unnest(json_extract(payload, '$.itens_adicionais[*]')) AS payload
            FROM conferido_lancamentos WHERE qtde_itens > 0"""
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


def _give_back(con: duckdb.DuckDBPyConnection, lista: str) -> None:
    """Give back the memory of a statement on a long list; for a short list that takes longer than the statement."""
    if lista in RECEIVED:
        limit_memory(con)


def _demand_readable(con: duckdb.DuckDBPyConnection, spec: PayloadSpec, checked: str, objects: int) -> None:
    """Stop when a needed field is unreadable in every record: it changed its type."""
    needed = [item.name for item in spec.fields if item.needed]
    counts = ", ".join(
        f"count(*) FILTER (len(list_filter(motivos, lambda motivo: starts_with(motivo, {quote(name + ':')}))) > 0)"
        for name in needed
    )
    wrong_counts = con.execute(f"SELECT {counts} FROM {checked}").fetchall()[0]
    changed = [name for name, count in zip(needed, wrong_counts, strict=True) if count == objects]
    if changed:
        raise SchemaDrift(
            f"/v1/{spec.lista}: em todos os {objects} registros as regras não conseguem ler {join_keys(changed)}. "
            "Nada foi trocado. Compare as respostas do serviço com o documento; se o serviço mudou, o "
            "lastro precisa de uma versão nova."
        )


def _set_types(frame: pd.DataFrame, spec: PayloadSpec) -> pd.DataFrame:
    if "tags" in spec.nested:
        frame["tags"] = list_ids(frame["tags"])
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
    itens = reader.itens()
    # Hardly any, and often none: where there is nothing to check, planning the check is all that it costs.
    detalhes, detalhes_itens = lancamentos.iloc[:0], itens.iloc[:0]
    if con.execute(f"SELECT count(*) FROM {DETAILS}").fetchall()[0][0]:
        detalhes = reader.conform(payloads.LANCAMENTOS, DETAILS)
        if (detalhes["qtde_itens"] > 0).any():
            detalhes_itens = reader.itens()
    categorias = reader.conform(payloads.CATEGORIAS, reader.flatten("categorias", "categorias_filhas", "parent_id"))
    cobrancas = reader.conform(payloads.COBRANCAS, "pagina_cobrancas")
    clientes = reader.conform(payloads.CLIENTES, "pagina_clientes")
    fornecedores = reader.conform(payloads.FORNECEDORES, "pagina_fornecedores")
    contas = reader.conform(payloads.CONTAS, "pagina_contas")
    kinds = reader.conform(payloads.CLASSIFICACOES, "pagina_classificacoes")
    nomes = {**_read_names(reader), "classificacoes": _list_labels(kinds["classificacao_id"], kinds["nome"])}
    # What was checked of 300,000 entries would stay in memory for the rest of the run.
    for kind in ("VIEW", "TABLE"):
        for (name,) in con.execute(f"SELECT {kind}_name FROM duckdb_{kind}s() WHERE temporary").fetchall():
            if name.startswith(("pagina_", "conferido_", "arvore_", "recebido_detalhes")):
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
    return frame.assign(
        percentual_multa=read_exactly(frame["percentual_multa"]),
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
        names[kind] = _list_labels(frame["id"], labels)
    return names


def _list_labels(ids: pd.Series, labels: pd.Series) -> dict[int, str]:
    return {int(record_id): str(text) for record_id, text in zip(ids, labels, strict=True) if text}

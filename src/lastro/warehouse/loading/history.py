"""Versions of everything a run read (S13): what is true of any past run, and nothing is ever overwritten.

A version is a row of a core table with the run since which it holds (`valido_de`), the run since which it no longer
does (`valido_ate`, null while it holds) and the run that recorded it (`execucao_id`). Only changed rows are stored; a
payment undone and a field set to null are changes like any other. Belongs here: writing versions and absences, and
reading past runs. Does not belong here: what an absence means (`lastro.transform.deletions`).
"""

from __future__ import annotations

from datetime import date

import pandas as pd

from lastro.schema.derivation import versions_at
from lastro.schema.tables import TABLES, VERSIONED
from lastro.transform.labels import Labels
from lastro.transform.past_changes import PastChanges
from lastro.transform.position import CORE_FRAMES, Core
from lastro.warehouse.file.store import LINHAS_WITH_TAGS, Warehouse

_VERSION_COLUMNS = ("valido_de", "valido_ate", "execucao_id")
_WITH_TAGS = f"(SELECT * REPLACE (coalesce(tags, []::BIGINT[]) AS tags) FROM {LINHAS_WITH_TAGS})"


def record_history(warehouse: Warehouse, execucao_id: int) -> None:
    """Record what changed in the core tables as versions of a run; call it in the transaction of `write_core`.

    Calling it again for the same run replaces what that run recorded, so that a repeated run leaves one record.

    Args:
        warehouse: its core tables hold the run.
        execucao_id: number of the run, above that of every recorded run.

    Raises:
        ValueError: when a later run is recorded: its versions would be lost.
    """
    last = _read_last_recorded(warehouse)
    later = max((recorded for recorded in last.values() if recorded is not None), default=execucao_id)
    if later > execucao_id:
        raise ValueError(f"run {execucao_id} cannot be recorded after run {later}: history only grows")
    for name, recorded in last.items():
        if recorded == execucao_id:
            _forget_run(warehouse, name, execucao_id)
        _record_table(warehouse, name, execucao_id, is_first=recorded is None)


def _read_last_recorded(warehouse: Warehouse) -> dict[str, int | None]:
    """Read the last run that each versioned table has anything of; None for an empty one."""
    latest = " UNION ALL ".join(
        f"SELECT '{name}', greatest(max(valido_de), max(valido_ate)) FROM hist.{name}" for name in VERSIONED
    )
    return {str(name): None if recorded is None else int(recorded) for name, recorded in warehouse.query(latest)}


def _forget_run(warehouse: Warehouse, name: str, execucao_id: int) -> None:
    """Take back what an earlier attempt of the same run recorded."""
    warehouse.con.execute(f"DELETE FROM hist.{name} WHERE valido_de = ?", [execucao_id])
    warehouse.con.execute(f"UPDATE hist.{name} SET valido_ate = NULL WHERE valido_ate = ?", [execucao_id])


def _record_table(warehouse: Warehouse, name: str, execucao_id: int, *, is_first: bool) -> None:
    """Close the versions that no longer hold and add those that are new, each with one pass over both tables."""
    history = f"hist.{name}"
    columns = [column for column in TABLES[history].columns if column not in _VERSION_COLUMNS]
    source = _WITH_TAGS if name == "linhas" else f"core.{name}"
    # Every column counts, null equals null: an anti-join on all of them needs no key and survives equal keys.
    same = " AND ".join(f'n."{column}" IS NOT DISTINCT FROM h."{column}"' for column in columns)
    new = f"{source} n"
    if not is_first:
        warehouse.con.execute(
            f"UPDATE {history} SET valido_ate = ? WHERE rowid IN (SELECT h.rowid FROM {history} h ANTI JOIN {new} "
            f"ON {same} WHERE h.valido_ate IS NULL)",
            [execucao_id],
        )
        new += f" ANTI JOIN (SELECT * FROM {history} WHERE valido_ate IS NULL) h ON {same}"
    listed = ", ".join(f'n."{column}"' for column in columns)
    warehouse.con.execute(f"INSERT INTO {history} SELECT {listed}, ?, NULL, ? FROM {new}", [execucao_id, execucao_id])


def read_forecast_core(warehouse: Warehouse, execucao_id: int, desde: date) -> Core:
    """Read of a recorded run only what R13 needs, so that many runs fit in time and memory.

    Args:
        execucao_id: number of run S.
        desde: first day of the first period that is compared.

    Returns:
        The títulos that were open on the day of S and expected from `desde` to the extraction of the later run (D is
        never after it), and those one of whose linhas the later run has as paid since `desde`; with all their linhas
        and tags; accounts; no charges, no names.
    """
    run_id = int(execucao_id)
    extracted = "(SELECT data_extracao FROM ops.execucoes WHERE execucao_id = {})"
    read_on = f"coalesce({extracted.format(run_id)}, DATE '1900-01-01')"
    last = f"coalesce({extracted.format('(SELECT max(execucao_id) FROM core.linhas)')}, DATE '2199-12-31')"
    wanted = (
        f"titulo_id IN (SELECT titulo_id FROM ({versions_at('linhas', run_id)}) WHERE ((data_pagamento IS NULL OR "
        f"data_pagamento > {read_on}) AND coalesce(data_pagamento, data_vencimento) BETWEEN ? AND {last}) OR linha_id "
        f"IN (SELECT linha_id FROM core.linhas WHERE data_pagamento >= ?))"
    )

    def read(name: str, where: str = "false", parameters: tuple[object, ...] = ()) -> pd.DataFrame:
        return warehouse.read(f"core.{name}", where, parameters, source=f"({versions_at(name, run_id)})")

    values = (desde, desde)
    frames = {name: read(name) for name in CORE_FRAMES if name not in ("linhas", "titulos", "contas")}
    tagged = versions_at("linhas", run_id, tags=True)
    frames["linhas"] = warehouse.read("core.linhas", wanted, values, source=f"({tagged})")
    frames |= {"titulos": read("titulos", wanted, values), "contas": read("contas", "true")}
    return Core(**frames, rotulos=Labels(), composto_modo="parcela", composto_n0=0, composto_n1=0)


def read_late_core(warehouse: Warehouse, execucao_id: int, day: date) -> Core:
    """Read a recorded run, of its linhas and títulos only those that may have been late on its day (S8).

    An early due date moves to a business day before, so some that fall due after the day are among them.
    """
    late = (
        f"titulo_id IN (SELECT titulo_id FROM ({versions_at('titulos', execucao_id)}) WHERE data_pagamento IS NULL "
        f"AND NOT transferencia AND data_vencimento < DATE '{day}' + 31)"
    )
    return warehouse.read_core(execucao_id, late)


def read_first_paid(warehouse: Warehouse, before: int) -> pd.DataFrame:
    """Read when each charge was first seen paid: the payment date of last resort (S12).

    Args:
        before: look only at runs before this one, so that a run that is loaded again finds what it found first.

    Returns:
        cobranca_id (int64), data (datetime64): extraction date of the first stored run with rank >= 3; by id.
    """
    frame = warehouse.con.execute(
        "SELECT c.cobranca_id, e.data_extracao::TIMESTAMP AS data FROM (SELECT cobranca_id, min(valido_de) AS "
        "execucao_id FROM hist.cobrancas WHERE paga GROUP BY cobranca_id) c JOIN ops.execucoes e USING (execucao_id) "
        "WHERE e.data_extracao IS NOT NULL AND execucao_id < ? ORDER BY c.cobranca_id",
        [before],
    ).df()
    return frame.astype({"cobranca_id": "int64", "data": "datetime64[us]"})


def read_last_paths(warehouse: Warehouse) -> dict[int, str]:
    """Read the last known path of every category that was ever listed: id -> names from the root down."""
    return dict(
        warehouse.query(
            "SELECT categoria_id, arg_max(caminho, valido_de) FROM hist.categorias WHERE conhecida GROUP BY ALL"
        )
    )


def read_past_changes(warehouse: Warehouse, execucao_id: int, before: date) -> PastChanges:
    """Hold the loaded linhas against those of the last recorded run, in the months before a day (S13).

    A linha lies in those months when its competence or its payment, as the recorded run had them, does. A payment that
    was open then and falls on the day or later settles it and changes nothing of the past.

    Args:
        warehouse: the private file; `core.linhas` holds the run, `hist` not yet.
        execucao_id: number of the run; what an earlier attempt of it recorded does not count.
        before: first day of the month of the previous complete run.
    """
    key = "coalesce(lancamento_composto_id, CASE WHEN origem = 'item' THEN -titulo_id ELSE 0 END) AS chave"
    fields = "origem, linha_id, titulo_id, conta_id, valor, data_pagamento, data_competencia, data_competencia_ef"
    # A row keeps its identity when it joins or leaves a composite, as in R14: its id is its own among rows.
    rows = warehouse.con.execute(
        f"""WITH antes AS (SELECT {fields}, {key} FROM hist.linhas WHERE valido_de < $run
    AND (valido_ate IS NULL OR valido_ate >= $run) AND (data_competencia_ef < $day OR data_pagamento < $day)),
  agora AS (SELECT {fields}, {key} FROM core.linhas),
  pares AS (SELECT a.*, coalesce(c.linha_id, r.linha_id) IS NULL AS sumiu,
      CASE WHEN c.linha_id IS NULL THEN r ELSE c END AS n
    FROM antes a LEFT JOIN agora c ON c.chave = a.chave AND c.linha_id = a.linha_id
    LEFT JOIN agora r ON a.origem = 'lancamento' AND r.origem = 'lancamento' AND r.linha_id = a.linha_id)
SELECT CASE WHEN origem = 'lancamento' THEN linha_id ELSE any_value(titulo_id) END AS registro_id,
  (any_value(valor)::DECIMAL(20,2) * 100)::BIGINT AS valor_centavos, bool_or(sumiu
    OR valor IS DISTINCT FROM n.valor OR conta_id IS DISTINCT FROM n.conta_id
    OR data_competencia IS DISTINCT FROM n.data_competencia
    OR (data_pagamento IS DISTINCT FROM n.data_pagamento AND least(data_pagamento, n.data_pagamento) < $day))
    AS mudou
FROM pares GROUP BY chave, origem, linha_id ORDER BY registro_id, linha_id""",
        {"run": execucao_id, "day": before},
    ).df()
    changed = rows.loc[rows["mudou"].astype(bool), ["registro_id", "valor_centavos"]].reset_index(drop=True)
    return PastChanges(before, len(rows), int(rows["valor_centavos"].abs().sum()), changed)


_HELD = "valido_de <= $antes AND (valido_ate IS NULL OR valido_ate > $antes)"
_RECORDS = {
    # A row's value is that of its own linha; a carrier also stands for the items seen only inside it.
    "lancamentos": f"""SELECT registro_id, min(conta_id) AS conta_id, sum(valor) AS valor,
  min(data_vencimento) AS data_vencimento FROM (
    SELECT CASE WHEN origem = 'lancamento' THEN linha_id ELSE titulo_id END AS registro_id, conta_id, valor,
      data_vencimento FROM hist.linhas WHERE {_HELD}
    UNION ALL SELECT titulo_id, conta_id, 0, data_vencimento FROM hist.titulos WHERE {_HELD})
  GROUP BY registro_id""",
    "cobrancas": f"""SELECT cobranca_id AS registro_id, conta_id, valor, data_vencimento FROM hist.cobrancas
  WHERE {_HELD}""",
}
_LAST_VALUES = {
    "lancamentos": """SELECT CASE WHEN origem = 'lancamento' THEN linha_id ELSE titulo_id END AS registro_id,
  to_json(list(h ORDER BY origem DESC, linha_id)) AS valores FROM hist.linhas h WHERE valido_ate = ? GROUP BY 1""",
    "cobrancas": """SELECT cobranca_id AS registro_id, to_json(list(h)) AS valores FROM hist.cobrancas h
  WHERE valido_ate = ? GROUP BY 1""",
}


def read_known_records(warehouse: Warehouse, lista: str, execucao_id: int) -> pd.DataFrame:
    """Read the records that were known before a run, to hold its listing against (S13).

    Args:
        lista: `lancamentos` or `cobrancas`.
        execucao_id: number of the run under way; what an earlier attempt of it recorded does not count.

    Returns:
        registro_id (int64, key), conta_id (Int64), valor_centavos (int64, signed), data_vencimento; by id. Rows that
        are opening balances are no linhas and not among them (S7).
    """
    return _read_records(warehouse, _RECORDS[lista], {"antes": execucao_id - 1})


def read_pending_absences(warehouse: Warehouse, lista: str, execucao_id: int) -> pd.DataFrame:
    """Read the records that the last run could not find: `desaparecido` and not yet `excluido` (S13).

    Args:
        lista: `lancamentos` or `cobrancas`.
        execucao_id: number of the run under way, as for `read_known_records`.

    Returns:
        Columns as `read_known_records`, with the last known values.
    """
    return _read_records(
        warehouse,
        "SELECT registro_id, conta_id, valor, data_vencimento FROM hist.ausencias WHERE lista = $lista AND "
        "execucao_id <= $antes QUALIFY row_number() OVER (PARTITION BY registro_id ORDER BY execucao_id DESC) = 1 "
        "AND estado = 'desaparecido'",
        {"lista": lista, "antes": execucao_id - 1},
    )


def _read_records(warehouse: Warehouse, sql: str, parameters: dict[str, object]) -> pd.DataFrame:
    frame = warehouse.con.execute(
        "SELECT registro_id, conta_id, (coalesce(valor, 0)::DECIMAL(20,2) * 100)::BIGINT AS valor_centavos, "
        f"data_vencimento::TIMESTAMP AS data_vencimento FROM ({sql}) ORDER BY registro_id",
        parameters,
    ).df()
    types = {
        "registro_id": "int64",
        "conta_id": "Int64",
        "valor_centavos": "int64",
        "data_vencimento": "datetime64[us]",
    }
    return frame.astype(types)


def record_absences(warehouse: Warehouse, execucao_id: int, lista: str, outcomes: pd.DataFrame) -> None:
    """Record what a run knows of the records it did not find; call it right after `record_history`.

    Earlier rows of `hist.ausencias` stay: the newest of an id tells its state. `valores` holds the versions that the
    run closed, so that a deleted record's last values can be read in one place.

    Args:
        warehouse: the private file, in the transaction of the run.
        execucao_id: number of the run; an earlier attempt of it is replaced.
        lista: `lancamentos` or `cobrancas`.
        outcomes: as `lastro.transform.deletions.classify_absences` returns them.
    """
    con = warehouse.con
    con.execute("DELETE FROM hist.ausencias WHERE lista = ? AND execucao_id = ?", [lista, execucao_id])
    con.register("desfechos", outcomes)
    try:
        con.execute(
            f"""INSERT INTO hist.ausencias BY NAME
SELECT ? AS lista, d.registro_id, ? AS execucao_id, d.estado, d.resposta::VARCHAR AS resposta, d.motivo, d.conta_id,
  (d.valor_centavos::DECIMAL(18,0) * 0.01::DECIMAL(3,2))::DECIMAL(18,2) AS valor, d.data_vencimento::DATE AS
  data_vencimento, coalesce(v.valores, a.valores) AS valores
FROM desfechos d
LEFT JOIN ({_LAST_VALUES[lista]}) v USING (registro_id)
LEFT JOIN (SELECT registro_id, valores FROM hist.ausencias WHERE lista = ?
  QUALIFY row_number() OVER (PARTITION BY registro_id ORDER BY execucao_id DESC) = 1) a USING (registro_id)""",
            [lista, execucao_id, execucao_id, lista],
        )
    finally:
        con.unregister("desfechos")

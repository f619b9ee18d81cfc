"""Every table of the warehouse: grain, key, columns (manual: Armazém)."""

from __future__ import annotations

from lastro.schema.tables.banco import BANCO
from lastro.schema.tables.core import CORE
from lastro.schema.tables.definition import TableDef
from lastro.schema.tables.hist import ABSENCES, DESK_FILES, HISTORY, NOTES, SHOWN, VERSIONED
from lastro.schema.tables.ops import OPS
from lastro.schema.tables.raw import LISTAS, RAW

__all__ = ["LISTAS", "SCHEMAS", "SCHEMA_VERSION", "TABLES", "VERSIONED", "TableDef"]

SCHEMA_VERSION = 9
"""Raise it with any change of a table that a file may already hold (`lastro.warehouse.file.migration`)."""
TABLES: dict[str, TableDef] = {
    table.name: table for table in (*RAW, *CORE, *OPS, *HISTORY, *BANCO, ABSENCES, NOTES, DESK_FILES, SHOWN)
}
SCHEMAS = {
    "raw": "registros como recebidos do serviço",
    "core": "tabelas tipadas da execução corrente",
    "hist": "versões de todos os registros, desde a primeira execução",
    "banco": "o lado do banco: o que os extratos OFX dizem, e que título é cada linha",
    "mart": "tabelas dos relatórios e macros para qualquer dia: o que os analistas leem",
    "dados": "visões com os rótulos ao lado dos ids: a planilha dados e o que exportar copia, uma a uma",
    "prova": "visões que as verificações dividem: o estado na data-base, calculado de novo só dos registros",
    "posicao": "o que os relatórios somam: cada linha e título na data-base, como o lastro os calculou",
    "interno": "uso interno do lastro: de que texto são as macros e as visões deste arquivo",
    "ops": "execuções, provas de completude, verificações, parâmetros e indicadores",
}

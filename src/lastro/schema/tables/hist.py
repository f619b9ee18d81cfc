"""Versions of every record that a run read, and the fate of records that are no longer listed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lastro.schema.dictionary import ColumnDef
from lastro.schema.tables.core import CORE, TAGS
from lastro.schema.tables.definition import TableDef, override

_CORE = {table.name: table for table in CORE}


def _version(name: str, key: tuple[str, ...], extra: Mapping[str, ColumnDef] = MappingProxyType({})) -> TableDef:
    """Derive the table of versions of a core table: its columns, then since when and until when they held."""
    core = _CORE[f"core.{name}"]
    columns = tuple(column for column in core.columns if column != "execucao_id")
    return TableDef(
        f"hist.{name}",
        f"S13: uma versão: {core.comment}",
        (*key, "valido_de"),
        (*columns, *extra, "valido_de", "valido_ate", "execucao_id"),
        {**core.overrides, **extra},
    )


HISTORY = (
    # An item's id may come back in another composite (S2.2), so the título is part of a linha's identity here.
    _version("linhas", ("origem", "linha_id", "titulo_id"), TAGS),
    *(
        _version(name, _CORE[f"core.{name}"].key)
        for name in (
            "titulos",
            "cobrancas",
            "cobranca_titulos",
            "cobranca_desconhecidos",
            "categorias",
            "pessoas",
            "contas",
            "extrato_saldos",
            "orcamento",
            "formas",
        )
    ),
)
VERSIONED = tuple(table.name.removeprefix("hist.") for table in HISTORY)
"""Core tables whose versions `hist` keeps; the others derive from them."""

ABSENCES = TableDef(
    "hist.ausencias",
    "S13: o que uma execução soube de um registro que deixou de ser listado; a linha mais nova de um id vale",
    ("lista", "registro_id", "execucao_id"),
    (
        "lista",
        "registro_id",
        "execucao_id",
        "estado",
        "resposta",
        "motivo",
        "conta_id",
        "valor",
        "data_vencimento",
        "valores",
    ),
    {
        **override("estado", "TEXT", "S13", "desaparecido, excluido ou como se soube que o registro vive"),
        **override("motivo", "TEXT", "S13", "o que levou ao estado"),
        **override("valor", "MONEY", "S13", "último valor conhecido, com sinal"),
        **override("data_vencimento", "DATE", "S13", "último vencimento conhecido"),
    },
)

NOTES = TableDef(
    "hist.anotacoes",
    "uma anotação de uma mesa: o que uma pessoa digitou numa linha de `cobranca` ou `pagamentos`, lido dele salvo",
    ("mesa", "arquivo_id", "tipo", "chave", "rotulo", "sha256", "ordem"),
    (
        "execucao_id",
        "ordem",
        "mesa",
        "tipo",
        "chave",
        "rotulo",
        "quando",
        "quando_utc",
        "valores",
        "antes",
        "extras",
        "arquivo",
        "arquivo_id",
        "sha256",
    ),
    {
        **override("execucao_id", "INTEGER", "", "execução que leu o arquivo", nullable=False),
        **override("ordem", "INTEGER", "", "lugar da anotação entre as do arquivo", nullable=False),
        **override("mesa", "TEXT", "", "cobranca ou pagamentos", nullable=False),
        **override(
            "tipo",
            "TEXT",
            "",
            "pessoa ou titulo; em pagamentos pagar, conta ou extrato; vazio numa linha sem chave",
            nullable=False,
        ),
        **override("chave", "INTEGER", "", "pessoa_id (0 = Sem pessoa) ou titulo_id; nula numa linha sem chave"),
        **override("rotulo", "TEXT", "", "como a linha se chamava; de uma linha sem chave, tudo o que havia nela"),
        **override("quando", "TIMESTAMP", "", "quando o arquivo foi salvo, hora local"),
        **override(
            "quando_utc", "TIMESTAMP", "", "o mesmo em UTC: por ele se ordenam; nulo no que o 0.3.0 leu", nullable=True
        ),
        **override("valores", "JSON", "", "as células amarelas da linha como estavam, datas e valores como texto"),
        **override("antes", "JSON", "", "as células que mudaram, como estavam antes"),
        **override("extras", "JSON", "", "o que estava em colunas que o lastro não escreveu"),
        **override("arquivo", "TEXT", "", "nome do arquivo"),
        **override("arquivo_id", "TEXT", "", "de que arquivo escrito pelo lastro ele é cópia"),
        **override("sha256", "TEXT", "", "resumo do conteúdo do arquivo"),
    },
)
SHOWN = TableDef(
    "hist.mesa_mostrado",
    "o que um arquivo de uma mesa mostrava de uma linha quando foi escrito; uma aprovação vale só para isso",
    ("arquivo_id", "tipo", "chave"),
    (
        "arquivo_id",
        "tipo",
        "chave",
        "rotulo",
        "valor",
        "pessoa_id",
        "documento",
        "dados_bancarios",
        "data_vencimento",
        "conta_id",
        "conta",
        "perguntado",
        "execucao_id",
    ),
    {
        **override("arquivo_id", "TEXT", "", "o arquivo que o lastro escreveu", nullable=False),
        **override("tipo", "TEXT", "", "pessoa, titulo, pagar, conta ou extrato", nullable=False),
        **override("chave", "INTEGER", "", "o id da linha", nullable=False),
        **override("rotulo", "TEXT", "", "como a linha se chamava", nullable=False),
        **override("valor", "MONEY", "", "o valor como se imprimia; nulo onde a linha não mostra um"),
        **override("pessoa_id", "INTEGER", "", "em pagar, a quem se paga"),
        **override("documento", "TEXT", "", "em pagar, o CPF ou CNPJ dessa pessoa"),
        **override("data_vencimento", "DATE", "", "em pagar, o vencimento"),
        **override("conta_id", "INTEGER", "", "em pagar, a conta do título"),
        **override("conta", "TEXT", "", "em pagar, o nome dela como se imprimia; nulo em arquivos do 0.3.0"),
        **override("perguntado", "BOOLEAN", "", "se a linha pedia resposta, em Já pagos; nulo em arquivos do 0.3.0"),
        **override("execucao_id", "INTEGER", "", "execução que escreveu o arquivo", nullable=False),
    },
)
DESK_FILES = TableDef(
    "hist.arquivos_mesa",
    "um conteúdo de um arquivo de uma mesa, escrito ou lido; não se lê duas vezes",
    ("sha256",),
    ("sha256", "arquivo", "situacao", "execucao_id", "arquivo_id", "celulas"),
    {
        **override("arquivo_id", "TEXT", "", "de que arquivo escrito pelo lastro ele é, ou é cópia"),
        **override("celulas", "JSON", "", "as células amarelas que não eram como o lastro as escreveu, por linha"),
        **override("sha256", "TEXT", "", "resumo do conteúdo", nullable=False),
        **override("arquivo", "TEXT", "", "nome do arquivo"),
        **override("situacao", "TEXT", "", "escrito, lido, ou lido em parte: então é de uma pessoa, e fica"),
    },
)

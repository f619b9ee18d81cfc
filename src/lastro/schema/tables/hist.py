"""Versions of everything a run read, and what became of what is no longer listed."""

from __future__ import annotations

from lastro.schema.columns import MONEY
from lastro.schema.tables.core import CORE
from lastro.schema.tables.definition import TableDef, override

_CORE = {table.name: table for table in CORE}


def _version(name: str, key: tuple[str, ...], *, extra: tuple[str, ...] = ()) -> TableDef:
    """Derive the table of versions of a core table: its columns, then since when and until when they held."""
    core = _CORE[f"core.{name}"]
    columns = tuple(column for column in core.columns if column != "execucao_id")
    return TableDef(
        f"hist.{name}",
        f"S13: uma versão: {core.comment}",
        (*key, "valido_de"),
        (*columns, *extra, "valido_de", "valido_ate", "execucao_id"),
        core.overrides,
    )


HISTORY = (
    # An item's id may come back in another composite (S2.2), so the título is part of a linha's identity here.
    _version("linhas", ("origem", "linha_id", "titulo_id"), extra=("tags",)),
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
            "saldos_conferidos",
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
        **override("motivo", "VARCHAR", "S13", "o que levou ao estado"),
        **override("valor", MONEY, "S13", "último valor conhecido, com sinal"),
        **override("data_vencimento", "DATE", "S13", "último vencimento conhecido"),
    },
)

ATTACHMENTS = TableDef(
    "hist.anexos",
    "um anexo de um lançamento, perguntado uma só vez; sem nome quando o serviço não o tem (desligado por padrão)",
    ("anexo_id",),
    (
        "anexo_id",
        "lancamento_id",
        "lancamento_composto_id",
        "filename",
        "content_type",
        "size",
        "sha256",
        "situacao",
        "execucao_id",
    ),
    {
        **override("anexo_id", "BIGINT", "", "id do anexo"),
        **override(
            "lancamento_id", "BIGINT", "", "lançamento a que pertence; nulo se é de um composto ou desconhecido"
        ),
        **override("filename", "VARCHAR", "", "nome do arquivo como recebido; nunca um caminho"),
        **override("content_type", "VARCHAR", "", "tipo do conteúdo como recebido"),
        **override("size", "BIGINT", "", "tamanho em bytes como recebido"),
        **override("sha256", "VARCHAR", "", "resumo do arquivo baixado, seu lugar é anexos/<dois dígitos>/<sha256>"),
        **override("situacao", "VARCHAR", "", "lido ou ausente"),
    },
)

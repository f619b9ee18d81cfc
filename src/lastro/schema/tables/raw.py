"""Tables of records as received from the service."""

from __future__ import annotations

from lastro.schema.tables.definition import TableDef, override

LISTAS = ("lancamentos", "cobrancas", "categorias", "clientes", "fornecedores", "classificacoes", "contas", "detalhes")
"""Lists whose records the warehouse keeps as received; `detalhes` are entries read one by one (V15, S13)."""
_RAW_COLUMNS = ("execucao_id", "extraido_em", "origem", "pagina", "posicao", "payload")
_RAW_ORIGEM = override("origem", "VARCHAR", "S13", "caminho pedido ao serviço, sem o token")

RAW = (
    *(
        TableDef(
            f"raw.{lista}",
            f"S13: um registro de /v1/{lista} como recebido na execução corrente (as anteriores ficam em páginas)",
            ("pagina", "posicao", "origem"),
            _RAW_COLUMNS,
            _RAW_ORIGEM,
        )
        for lista in LISTAS
    ),
    TableDef(
        "raw.rejeitados",
        "S13: um registro que não pôde ser lido, guardado com o motivo e o lugar",
        ("lista", "origem", "pagina", "posicao"),
        ("execucao_id", "extraido_em", "lista", "conta_id", "origem", "pagina", "posicao", "payload", "motivo"),
        _RAW_ORIGEM,
    ),
    TableDef(
        "raw.arquivo_rejeitados",
        "S18: um arquivo que uma pessoa deixou, ou parte dele, que não foi lido, com o motivo",
        ("execucao_id", "arquivo", "linha", "motivo"),
        ("execucao_id", "arquivo", "linha", "motivo", "texto"),
        {
            **override("arquivo", "VARCHAR", "S18", "nome do arquivo"),
            **override("linha", "BIGINT", "S18", "linha do arquivo; nula quando se trata do arquivo todo"),
            **override("texto", "VARCHAR", "S18", "a linha como estava"),
        },
    ),
)

"""Tables of records as received from the service."""

from __future__ import annotations

from lastro.schema.tables.definition import TableDef, override

LISTAS = ("lancamentos", "cobrancas", "categorias", "clientes", "fornecedores", "classificacoes", "contas", "detalhes")
"""Lists whose records the warehouse keeps as received; `detalhes` are entries read one by one (V15, S13)."""
_RAW_COLUMNS = ("execucao_id", "extraido_em", "origem", "pagina", "posicao", "payload", "conta_listada")
_RAW_ORIGEM = override("origem", "TEXT", "S13", "caminho pedido ao serviço, sem o token")
_RAW_LISTED = override(
    "conta_listada", "INTEGER", "S13", "conta em cuja listagem veio; nula fora de uma listagem por conta"
)
SIGNATURES = {
    "vencimento": "das datas de vencimento",
    "pagamento": "das datas de pagamento",
    "competencia": "das datas de competência",
    "categoria": "das categorias",
    "pessoa": "das pessoas",
    "transferencia": "das outras pernas de transferências",
}
"""What control totals sign, and how the dictionary says it (V10)."""

RAW = (
    *(
        TableDef(
            f"raw.{lista}",
            f"S13: um registro de /v1/{lista} como recebido na execução corrente (as anteriores ficam em páginas)",
            ("pagina", "posicao", "origem"),
            _RAW_COLUMNS,
            _RAW_ORIGEM | _RAW_LISTED,
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
        "raw.vencidos",
        "S16: um lançamento que o serviço filtra por vencido, só da última leitura carregada (V09)",
        ("tipo", "conta_id", "lancamento_id"),
        ("tipo", "conta_id", "lancamento_id", "valor", "lancamento_transferencia_id"),
        {
            **override("tipo", "TEXT", "S16", "filtro: PA a pagar, RA a receber", nullable=False),
            **override("conta_id", "INTEGER", "S16", "conta em cuja listagem veio"),
            **override("lancamento_id", "INTEGER", "S16", "lançamento", nullable=False),
            **override("valor", "MONEY", "S16", "valor com sinal, como listado", nullable=False),
        },
    ),
    TableDef(
        "raw.controle",
        "V10: o que as linhas de uma conta devem somar, pelos registros da última leitura carregada; uma assinatura é "
        "a soma de (x mod p)(1 + |centavos| mod p), p = 1000003, x um dia desde 1970 ou um id, zero se nulo",
        ("conta_id",),
        ("conta_id", "linhas", "valor", *SIGNATURES),
        {
            **override("linhas", "INTEGER", "V10", "quantas são", nullable=False),
            **override("valor", "MONEY", "V10", "soma dos valores, com sinal", nullable=False),
            **{
                key: column
                for name, what in SIGNATURES.items()
                for key, column in override(name, "INTEGER", "V10", f"assinatura {what}", nullable=False).items()
            },
        },
    ),
    TableDef(
        "raw.arquivo_rejeitados",
        "S18: um arquivo que uma pessoa deixou, ou parte dele, que não foi lido, com o motivo",
        ("execucao_id", "arquivo", "linha", "motivo", "valor"),
        ("execucao_id", "arquivo", "linha", "motivo", "texto", "valor"),
        {
            **override("arquivo", "TEXT", "S18", "nome do arquivo"),
            **override("linha", "INTEGER", "S18", "linha do arquivo; nula quando se trata do arquivo todo"),
            **override("texto", "TEXT", "S18", "a linha como estava"),
            **override("valor", "MONEY", "S18", "de um orçamento, o valor como digitado; nulo onde não é um número"),
        },
    ),
)

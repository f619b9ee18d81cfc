"""The bank's side: what its statements hold, and which títulos they stand for (S20)."""

from __future__ import annotations

from lastro.schema.dictionary import ColumnDef
from lastro.schema.tables.definition import TableDef, override

_FILE = {
    **override("sha256", "TEXT", "S18", "resumo do conteúdo do arquivo", nullable=False),
    **override("extrato", "INTEGER", "S20", "qual dos extratos do arquivo, desde 1", nullable=False),
}
_LINE = {
    **override("conta_id", "INTEGER", "S20", "conta ligada ao extrato", nullable=False),
    **override("dia", "DATE", "S20", "dia do banco", nullable=False),
    **override("valor", "MONEY", "S20", "valor, com sinal: positivo entra, negativo sai", nullable=False),
    **override("historico", "TEXT", "S20", "texto do banco", nullable=False),
    **override("fitid", "TEXT", "S20", "número do banco, como está no arquivo", nullable=False),
    **override("arquivo", "TEXT", "S20", "arquivo em que a linha está", nullable=False),
    **override("ordem", "INTEGER", "S20", "qual das transações do arquivo, desde 1", nullable=False),
    **override("extrato_id", "INTEGER", "S20", "número que a linha tem em qualquer arquivo", nullable=False),
}


def _pick(*names: str) -> dict[str, ColumnDef]:
    """Take what some columns mean here."""
    return {name: column for name, column in {**_FILE, **_LINE}.items() if name in names}


BANCO = (
    TableDef(
        "banco.extratos_lidos",
        "S20: um extrato de um arquivo, guardado quando se leu o conteúdo pela primeira vez",
        ("sha256", "extrato"),
        (
            "sha256",
            "extrato",
            "vista_em",
            "banco",
            "conta",
            "inicio",
            "fim",
            "saldo",
            "saldo_em",
            "tipo",
            "servidor",
            "na_hora",
            "duvida",
            "recusadas",
        ),
        {
            **_FILE,
            **override("vista_em", "DATE", "S20", "dia local da primeira execução que o leu", nullable=False),
            **override("banco", "TEXT", "S20", "BANKID, como está no arquivo", nullable=False),
            **override("conta", "TEXT", "S20", "ACCTID, como está no arquivo", nullable=False),
            **override("inicio", "DATE", "S20", "DTSTART"),
            **override("fim", "DATE", "S20", "DTEND"),
            **override(
                "saldo",
                "MONEY",
                "S20",
                "LEDGERBAL, com sinal; nulo quando não se acredita nele, e não conta enquanto há dúvida",
            ),
            **override("saldo_em", "DATE", "S20", "o dia do LEDGERBAL"),
            **override("tipo", "TEXT", "S20", "ACCTTYPE"),
            **override("servidor", "TEXT", "S20", "algarismos de DTSERVER"),
            **override("na_hora", "BOOLEAN", "S20", "o LEDGERBAL diz a hora do dia em que foi tirado"),
            **override("duvida", "TEXT", "S20", "por que não se acredita no LEDGERBAL; vazio quando se acredita"),
            **override("recusadas", "INTEGER", "S20", "transações recusadas"),
        },
    ),
    TableDef(
        "banco.linhas_lidas",
        "S20: uma transação que se entendeu, de cada conteúdo que se leu",
        ("sha256", "extrato", "ordem"),
        ("sha256", "extrato", "ordem", "dia", "valor", "historico", "fitid"),
        _pick("sha256", "extrato", "ordem", "dia", "valor", "historico", "fitid"),
    ),
    TableDef(
        "banco.linhas",
        "S20: uma linha do banco, em quantos arquivos esteja; também as de depois da data-base",
        ("extrato_id",),
        ("extrato_id", "conta_id", "dia", "valor", "historico", "fitid", "arquivo", "ordem", "conta_em"),
        {
            **_LINE,
            **override(
                "conta_em",
                "DATE",
                "S20",
                "dia em que moveu o saldo: o do banco; de uma linha anterior ao período do arquivo, o primeiro dele",
            ),
        },
    ),
    TableDef(
        "banco.saldos",
        "S20: o que o banco mostrou de uma conta num dia; de dois arquivos vale o dia inteiro, depois o mais novo",
        ("conta_id", "dia"),
        ("conta_id", "dia", "valor", "parcial"),
        {
            **_pick("conta_id", "dia"),
            **override("valor", "MONEY", "S20", "LEDGERBAL, ou uma transação que é saldo; com sinal", nullable=False),
            **override(
                "parcial", "BOOLEAN", "S20", "tirado antes de o dia acabar: não confere nem ancora", nullable=False
            ),
        },
    ),
    TableDef(
        "banco.blocos",
        "S20: os dias que os extratos de uma conta cobrem sem intervalo; concilia-se o último",
        ("conta_id", "inicio"),
        ("conta_id", "inicio", "fim", "saldo_em"),
        {
            **_pick("conta_id"),
            **override("inicio", "DATE", "S20", "primeiro dia, inclusive", nullable=False),
            **override("fim", "DATE", "S20", "último dia, inclusive, no máximo a data-base", nullable=False),
            **override("saldo_em", "DATE", "S20", "dia do saldo de que segue o do fim; nulo sem nenhum"),
        },
    ),
)

"""The sheet Parâmetros: what every figure of the workbook rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lastro.grid.cells import Cell, Kind, Value
from lastro.grid.prints import Columns, Print, list_columns
from lastro.grid.sections import Row
from lastro.grid.storage import store_each
from lastro.grid.tables import Table
from lastro.grid.workbook import Family
from lastro.reports.spec import Phase, ReportSpec
from lastro.settings import setting_rows

if TYPE_CHECKING:
    from lastro.reports.view import View

UNENCRYPTED: Final = "o serviço é lido por http://: token e lançamentos passam pela rede sem criptografia"

DEFINITIONS: Final = (
    ("Data-base", "Dia a que todos os relatórios se referem (D)."),
    ("Linha", "Menor valor com uma só categoria; as somas por categoria, centro, mês e conta são de linhas (S1)."),
    (
        "Título",
        "O que se paga ou recebe de uma vez: lançamento simples, ou linhas de um composto de mesma conta e datas (S1).",
    ),
    ("Realizado", "Pago até a data-base e dentro do controle da conta, na data de pagamento (S4, S7)."),
    ("Previsto", "Em aberto na data-base, no dia em que deve se realizar; vencidos conforme o parâmetro (S4)."),
    ("Entradas e Saídas", "Linhas de caixa por natureza; um estorno de receita diminui as Entradas (S5)."),
    ("Não operacional", "Linhas de categorias do grupo fora: empréstimos, aportes, investimentos (S5)."),
    ("Transferências", "Entre contas próprias; fora de Entradas, Saídas, DRE, vencidos e pessoas (S6)."),
    ("Saldos implantados", "Saldo inicial de conta cujo controle começa dentro do período (S7)."),
    ("Variação, não saldo", "Conta sem saldo inicial informado: o número é a soma dos movimentos (S7)."),
    ("Fora do controle", "Pagamento anterior ao início do controle da conta: já está no saldo inicial (S7)."),
    ("Vencido", "Título em aberto com data de referência anterior à data-base; não inclui transferências (S8)."),
    ("Em carência", "Vencido em dia não útil e ainda pagável sem encargos, no dia útil seguinte (S8)."),
    ("Encargos estimados", "Estimativa contratual de multa e juros; nunca entra em fluxo (S8)."),
    ("Competência presumida", "Lançamento sem data de competência: usa-se a do parâmetro (S4)."),
    ("Cobrança em trânsito", "Paga pelo cliente e ainda não transferida, líquida de taxa (S12)."),
    ("RECONSTITUÍDO", "Posição passada refeita do estado atual: exclusões e edições posteriores se perdem (S3)."),
    ("NÃO CONFIÁVEL", "Alguma verificação de severidade erro falhou; ver a planilha Qualidade (S15)."),
)


NAMED: Final = frozenset({"data_base", "execucao_id"})
"""Rows to which the workbook gives a name of its own, for formulas of whoever works with it."""
CERTIFICATE: Final = (
    "listagem", "conta", "passada", "contagem_antes", "paginas", "recebidas", "distintas", "repetidas", "ilegiveis",
    "contagem_depois", "veredito", "prova", "motivo",
)  # fmt: skip
"""What the completeness certificate says of a listing (S13)."""


def list_parameters(view: View) -> Columns:
    """List what was set and what the run decided; neither the address of the service nor its token is among it.

    Raises:
        ValueError: the view has no settings.
    """
    position, empresa = view.position, view.empresa
    if empresa is None:
        raise ValueError("Parâmetros prints the settings of the company: give the view its `empresa`")
    modo = f"{position.composto_modo} ({position.composto_n1} a favor de total, {position.composto_n0} contra)"
    rows = [
        ("empresa", empresa.nome, "empresa a que o arquivo se refere"),
        ("data_base", position.data_base.isoformat(), "dia a que os relatórios se referem (D)"),
        ("data_extracao", position.data_extracao.isoformat(), "dia em que os dados foram lidos"),
        *view.facts.extras,
        *([("permitir_http", "sim", UNENCRYPTED)] if empresa.em_claro else []),
        ("composto decidido", modo, "como os lançamentos compostos foram lidos nesta execução (S2)"),
        *setting_rows(position.parametros),
    ]
    return list_columns(("parametro", "valor", "significado"), rows)


def _show_parameters(view: View, table: Table) -> list[Row]:
    """Print the parameters; dates and numbers of runs keep their type on the sheet."""
    days = {"data_base": view.position.data_base, "data_extracao": view.position.data_extracao}

    def type_value(name: str, text: Value) -> Value | Cell:
        if name in days:
            return Cell(days[name], Kind.DATE)
        return Cell(int(str(text)), Kind.INTEGER) if name == "execucao_id" else text

    return [
        Row(
            (name, type_value(str(name), text), meaning),
            key=str(name) if name in ("data_base", "execucao_id") else None,
        )
        for name, text, meaning in table.rows
    ]


def list_accounts(view: View) -> Columns:
    """List the accounts, and from when and which balance on each is controlled (S7)."""
    contas = view.position.contas
    return {
        "conta": contas["descricao"],
        "id": contas["conta_id"],
        "tipo": store_each(Kind.TEXT, contas["tipo"], lambda tipo: "Cartão" if tipo == "cartao" else "Conta", "Conta"),
        **{key: contas[key].astype(bool) for key in ("configurada", "ativa")},
        "data_saldo_inicial": contas["data_saldo_inicial"],
        "valor_saldo_inicial": contas["valor_saldo_inicial_centavos"]
        .astype("Int64")
        .where(contas["tem_saldo_inicial"]),
    }


PARAMETERS: Final = Print(
    "parametros",
    "Parâmetros com que a execução foi calculada (PAR)",
    list_parameters,
    about={"valor": "valor do parâmetro como texto"},
    kinds={"valor": Kind.TEXT},
    widths={"parametro": 32, "valor": 48, "significado": 64},
    title="Parâmetros",
    rows=_show_parameters,
)
ACCOUNTS: Final = Print("parametros_contas", "", list_accounts, undefined=("valor_saldo_inicial",), title="Contas")
LISTINGS: Final[Print[View]] = Print(
    "parametros_certificado",
    "",
    lambda view: list_columns(CERTIFICATE, view.facts.certificado),
    headers={"paginas": "Páginas", "ilegiveis": "Ilegíveis"},
    kinds=dict.fromkeys(CERTIFICATE[2:10], Kind.INTEGER),
    widths={"listagem": 26, "motivo": 45},
    title="Certificado de completude da extração (S13)",
    optional=True,
)
TERMS: Final[Print[View]] = Print(
    "parametros_definicoes",
    "",
    lambda _: list_columns(("termo", "definicao"), DEFINITIONS),
    headers={"definicao": "Definição"},
    widths={"definicao": 45},
    title="Definições",
)
SPEC: Final = ReportSpec(
    code="PAR",
    name="parametros",
    title="Parâmetros",
    question="Com que regras os números foram feitos?",
    family=Family.RECORDS,
    tables=(PARAMETERS,),
    sections=(PARAMETERS, ACCOUNTS, LISTINGS, TERMS),
    phase=Phase.VERDICT,
)

"""The sheet Parâmetros: what every figure of the workbook rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.grid.cells import UNDEFINED, Cell, Kind, Value
from lastro.grid.sections import Row, Section, join_columns
from lastro.grid.tables import Column, Table
from lastro.grid.workbook import Family, Report
from lastro.money import to_decimal
from lastro.reports.spec import Phase, ReportSpec
from lastro.settings import setting_rows
from lastro.transform.position import Position, as_date

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
CERTIFICATE = (
    Column("Listagem", Kind.TEXT, width=26),
    Column("Conta", Kind.TEXT),
    Column("Passada", Kind.INTEGER),
    Column("Contagem antes", Kind.INTEGER),
    Column("Páginas", Kind.INTEGER),
    Column("Recebidas", Kind.INTEGER),
    Column("Distintas", Kind.INTEGER),
    Column("Repetidas", Kind.INTEGER),
    Column("Ilegíveis", Kind.INTEGER),
    Column("Contagem depois", Kind.INTEGER),
    Column("Veredito", Kind.TEXT),
    Column("Prova", Kind.TEXT),
    Column("Motivo", Kind.TEXT, width=45),
)
"""The completeness certificate as printed on Parâmetros (S13)."""


def build_parametros(view: View) -> Report:
    """Build the sheet Parâmetros.

    Neither the address of the company's service nor its token is printed.

    Returns:
        Sections: parameters, accounts, completeness certificate, definitions.

    Raises:
        ValueError: the view has no settings.
    """
    position, empresa, certificado = view.position, view.empresa, view.facts.certificado
    if empresa is None:
        raise ValueError("Parâmetros prints the settings of the company: give the view its `empresa`")
    modo = f"{position.composto_modo} ({position.composto_n1} a favor de total, {position.composto_n0} contra)"
    parameters: list[tuple[str, str, str]] = [
        ("empresa", empresa.nome, "empresa a que o arquivo se refere"),
        ("data_base", position.data_base.isoformat(), "dia a que os relatórios se referem (D)"),
        ("data_extracao", position.data_extracao.isoformat(), "dia em que os dados foram lidos"),
        *view.facts.extras,
        *([("permitir_http", "sim", UNENCRYPTED)] if empresa.em_claro else []),
        ("composto decidido", modo, "como os lançamentos compostos foram lidos nesta execução (S2)"),
        *setting_rows(position.parametros),
    ]
    columns = (
        Column("Parâmetro", Kind.TEXT, "chave em lastro.toml, ou o que a execução decidiu", width=32),
        Column("Valor", Kind.TEXT, "valor do parâmetro como texto", width=48),
        Column("Significado", Kind.TEXT, "o que a chave muda", width=64),
    )
    table = Table("parametros", columns, parameters, "Parâmetros com que a execução foi calculada (PAR)")
    rows = tuple(_parameter_row(str(name), text, meaning, position) for name, text, meaning in table.rows)
    sections = [
        Section(table.name, columns, rows, title="Parâmetros"),
        _build_accounts(position),
    ]
    if certificado:
        sections.append(
            Section(
                "parametros_certificado",
                CERTIFICATE,
                tuple(Row(cells) for cells in certificado),
                title="Certificado de completude da extração (S13)",
            )
        )
    sections.append(
        Section(
            "parametros_definicoes",
            (Column("Termo", Kind.TEXT), Column("Definição", Kind.TEXT, width=45)),
            tuple(Row(cells) for cells in DEFINITIONS),
            title="Definições",
        )
    )
    return SPEC.report(tuple(sections), (table,))


def _parameter_row(name: str, text: Value, meaning: Value, position: Position) -> Row:
    """Print a parameter; what is a date or the number of a run stays one on the sheet."""
    typed: Value | Cell = text
    if name in {"data_base", "data_extracao"}:
        typed = Cell(position.data_base if name == "data_base" else position.data_extracao, Kind.DATE)
    elif name == "execucao_id":
        typed = Cell(int(str(text)), Kind.INTEGER)
    return Row((name, typed, meaning), key=name if name in NAMED else None)


def _build_accounts(position: Position) -> Section:
    contas = position.contas.to_dict("records")
    openings = [
        to_decimal(row["valor_saldo_inicial_centavos"]) if row["tem_saldo_inicial"] else UNDEFINED for row in contas
    ]
    columns = (
        (Column("Conta", Kind.TEXT), [str(row["descricao"]) for row in contas]),
        (Column("Id", Kind.INTEGER), [None if pd.isna(row["conta_id"]) else int(row["conta_id"]) for row in contas]),
        (Column("Tipo", Kind.TEXT), ["Cartão" if row["tipo"] == "cartao" else "Conta" for row in contas]),
        (Column("Configurada", Kind.TEXT), ["Sim" if row["configurada"] else "Não" for row in contas]),
        (Column("Ativa", Kind.TEXT), ["Sim" if row["ativa"] else "Não" for row in contas]),
        (Column("Início do controle", Kind.DATE), [as_date(row["data_saldo_inicial"]) for row in contas]),
        (Column("Saldo inicial", Kind.MONEY), openings),
    )
    return Section("parametros_contas", *join_columns(columns), title="Contas")


SPEC: Final = ReportSpec(
    code="PAR",
    name="parametros",
    title="Parâmetros",
    question="Com que regras os números foram feitos?",
    family=Family.RECORDS,
    builder=build_parametros,
    phase=Phase.VERDICT,
)

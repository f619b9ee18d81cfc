"""The sheet Parâmetros: what every figure of the workbook rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pandas as pd

from lastro.grid.cells import UNDEFINED, Cell, Kind, Value
from lastro.grid.model import Column, Family, Printing, Report, Row, Section, Table
from lastro.money import to_decimal
from lastro.reports.spec import ReportSpec, Stage
from lastro.settings import setting_rows
from lastro.transform.position import Position, as_date

if TYPE_CHECKING:
    from lastro.reports.view import View

MEANINGS: Final = {
    "saldo_inicial_ref": "o saldo inicial é antes (abertura) ou depois (fechamento) dos movimentos do dia (S7)",
    "saldo_inicial_lancamentos": "lançamentos que são saldo inicial de conta (S7)",
    "saldo_inicial_categorias": "categorias cujos lançamentos são saldo inicial de conta (S7)",
    "composto_valor_pai": "se o valor do lançamento composto inclui os itens (S2)",
    "competencia_nula": "mês de competência de um lançamento sem data de competência (S4)",
    "natureza_por": "o que faz de um lançamento receita ou despesa (S5)",
    "dre_mapa": "categoria e seu grupo na DRE; vale o ancestral mapeado mais próximo (R06)",
    "dre_mapa_tolerancia_pct": "% sem grupo até o qual um mapa parcial ainda dá margem e EBITDA (S17)",
    "venc_regra": "vencido por dia corrido ou por dia útil (S8)",
    "proj_dia_util": "projetar na data efetiva, em dia útil (S4)",
    "vencidos_na_projecao": "onde os vencidos ficam na projeção (S4)",
    "horizonte": "até onde vão as projeções",
    "historico_meses": "meses fechados mostrados antes do atual",
    "feriados_extras": "feriados bancários locais (S8)",
    "categorias_antecipam": "categorias que vencem no dia útil anterior, como tributos (S3)",
    "ultimo_dia_util_ano": "o último dia de semana de dezembro é dia útil (S8)",
    "multa_pct": "multa em % para as estimativas contratuais (S8)",
    "juros_pct_mes": "juros em % ao mês para as estimativas contratuais (S8)",
    "inadimplencia_dias": "dias de atraso que contam como inadimplência (R10)",
    "janela_prazos_dias": "janela do PMR e do PMP, em dias (R12)",
    "abc_cortes": "cortes da curva ABC, em % (R12)",
    "saldo_minimo": "saldo projetado abaixo do qual há alerta",
    "fazer_minimo": "menor valor que a capa põe em «Fazer hoje» (R00)",
    "vencido_cortes": "% vencido do que está em aberto a partir do qual a capa diz Atenção e Crítico (R00)",
    "comparativo_dias": "comparar com os mesmos dias do ano anterior, ou até os mesmos dias úteis (R19)",
    "comparativo_base_minima": "base menor que isto não dá variação em %: «n/s» (R04)",
    "data_fechamento": "último dia fechado; mudança até ele é apontada (R14)",
    "fechamento": "fechamento por regra: dia útil do mês seguinte em que um mês se fecha (R14)",
    "projetar_infinitos": "projetar as recorrências sem fim ainda não geradas (S10)",
    "repasse_dias_max": "maior intervalo normal entre o vencimento da cobrança e o do lançamento, em dias (R11)",
    "formas": "nomes das formas de pagamento (S11)",
    "centros": "nomes dos centros de custo e lucro (S11)",
    "tags": "nomes das tags (S11)",
    "tipos_documento": "nomes dos tipos de documento (S11)",
    "tolerancia": "sempre 0,00: as verificações de severidade erro são exatas",
    "regua": "etapas da régua de cobrança por dias de mora (R10)",
    "lembrete_dias": "dias antes do vencimento em que a régua lembra (R10)",
    "ordem_categorias": "categorias do Fluxo mensal por nome, ou da maior para a menor (R04)",
    "fluxo_por_centro": "também a planilha Fluxo por centro, sem saldos (R05)",
    "limite_exclusoes": "% de linhas ou de valor que uma execução pode retirar sem confirmação (S13)",
    "limite_alteracoes": "% do valor dos meses passados que uma execução pode alterar sem confirmação (S13)",
    "listas_observadas": "procurar listas de contas, centros, formas, tags e tipos de documento no serviço",
    "anexos": "ler os dados dos anexos",
    "baixar_anexos": "baixar também os arquivos dos anexos",
}
"""Setting -> its meaning as printed; `about` of the settings is for who writes the file."""

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
        *((name, value, MEANINGS.get(name, about)) for name, value, about in setting_rows(position.parametros)),
    ]
    columns = (
        Column("Parâmetro", Kind.TEXT, width=32),
        Column("Valor", Kind.TEXT, width=48),
        Column("Significado", Kind.TEXT, width=64),
    )
    sections = [
        Section(
            "parametros", columns, tuple(_parameter_row(cells, position) for cells in parameters), title="Parâmetros"
        ),
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
    return SPEC.report(
        tuple(sections),
        (Table("parametros", columns, tuple(parameters), "Parâmetros com que a execução foi calculada (PAR)"),),
    )


def _parameter_row(cells: tuple[str, str, str], position: Position) -> Row:
    """Print a parameter; what is a date or the number of a run stays one on the sheet."""
    name, text, meaning = cells
    typed: Value | Cell = text
    if name in {"data_base", "data_extracao"}:
        typed = Cell(position.data_base if name == "data_base" else position.data_extracao, Kind.DATE)
    elif name == "execucao_id":
        typed = Cell(int(text), Kind.INTEGER)
    return Row((name, typed, meaning), key=name if name in NAMED else None)


def _build_accounts(position: Position) -> Section:
    rows: list[Row] = []
    for row in position.contas.to_dict("records"):
        known = bool(row["tem_saldo_inicial"])
        cells: tuple[Value, ...] = (
            str(row["descricao"]),
            None if pd.isna(row["conta_id"]) else int(row["conta_id"]),
            "Cartão" if row["tipo"] == "cartao" else "Conta",
            "Sim" if row["configurada"] else "Não",
            "Sim" if row["ativa"] else "Não",
            as_date(row["data_saldo_inicial"]),
            to_decimal(row["valor_saldo_inicial_centavos"]) if known else UNDEFINED,
        )
        rows.append(Row(cells))
    return Section(
        "parametros_contas",
        (
            Column("Conta", Kind.TEXT),
            Column("Id", Kind.INTEGER),
            Column("Tipo", Kind.TEXT),
            Column("Configurada", Kind.TEXT),
            Column("Ativa", Kind.TEXT),
            Column("Início do controle", Kind.DATE),
            Column("Saldo inicial", Kind.MONEY),
        ),
        tuple(rows),
        title="Contas",
    )


SPEC: Final = ReportSpec(
    code="PAR",
    name="parametros",
    sheet="Parâmetros",
    title="Parâmetros",
    question="Com que regras os números foram feitos?",
    family=Family.RECORDS,
    build=build_parametros,
    printing=Printing.FIRST_PAGE,
    stage=Stage.VERDICT,
)

"""S17: every name of the design gets the group that the design says, or none."""

from __future__ import annotations

import re

import pytest

from lastro.analysis.dre_suggestions import MISTA, suggest_group

TRAPS = """
Venda de imobilizado (2) fora | Venda de veículo (2) fora | Venda de mercadorias (2) receita_bruta
Mercadorias para revenda (1) custos_variaveis | Juros recebidos (2) financeiro | Juros de empréstimos (1) financeiro
Rendimentos de aplicação (2) financeiro | Aplicação financeira (0) fora | Comissão de cartão (1) custos_variaveis
Comissões sobre vendas (1) comerciais | Taxa de boleto (1) financeiro | Taxa de maquininha (1) custos_variaveis
Devolução de vendas (2) deducoes | Descontos concedidos (1) none | Frete (1) none
Frete sobre vendas (1) custos_variaveis | Empréstimo a funcionário (1) fora | Seguro de vida funcionários (1) pessoal
Seguro (1) administrativas | Adiantamento salarial (1) pessoal | Imposto de renda (1) ir_csll
Imposto de renda retido (1) none | INSS (1) pessoal | INSS retido (1) none | PIS/COFINS (1) deducoes
PIS sobre folha (1) pessoal | ISS retido na fonte (2) none | Parcelamento de impostos (1) none
Investimento em marketing (1) comerciais | Compra de equipamentos (1) fora | Aluguéis recebidos (2) none
Aluguel de equipamentos (1) administrativas | Manutenção de equipamentos (1) administrativas
Receita de frete (2) receita_bruta | Fornecedores (1) none | Adiantamento a fornecedores (1) none
Compra de mercadorias (1) custos_variaveis | Honorários contábeis (2) receita_bruta
"""
OTHERS = {
    "deducoes": "Simples Nacional, DAS - Simples Nacional, ICMS, ISS, Impostos, Impostos federais, Impostos sobre "
    "vendas, Devoluções de Vendas, Descontos incondicionais",
    "custos_variaveis": "CMV, Custo dos serviços prestados, Matéria-prima, Embalagens, Fretes s/ vendas, Frete e "
    "entregas, Taxas de marketplace, Compra de mercadorias",
    "financeiro": "Tarifas bancárias, IOF, Juros pagos, Multas e juros de mora, Descontos obtidos (2), Receita "
    "de juros (2), Despesas financeiras",
    "ir_csll": "IRPJ, CSLL, Contribuição social",
    "pessoal": "Salários, Folha de pagamento, FGTS, Férias, 13º salário, Décimo terceiro, Pró-labore, Vale-transporte",
    "administrativas": "Aluguel, Locação de imóveis, Energia elétrica, Honorários contábeis, IPTU, Serviços de "
    "terceiros, Despesas administrativas",
    "comerciais": "Marketing, Propaganda e publicidade, Google Ads, Comerciais",
    "divida": "Empréstimos (0), Financiamento de veículo",
    "fora": "Aporte de sócios (2), Retirada dos sócios (0), Distribuição de "
    "lucros, Compra de veículo, Resgate de aplicação (2), Consórcio",
    "receita_bruta": "Vendas de produtos (2), Serviços (2), Produtos (2), Honorários contábeis (2)",
    "outras": "Outras receitas (2), Outras despesas",
    "none": "IRRF sobre serviços, Transferência entre contas (0), Diversos",
}
"""Expense where no kind is given."""
OWN = """
Custo das vendas (1) custos_variaveis | Frete das vendas (1) custos_variaveis | Receitas financeiras (2) financeiro
Deduções da receita bruta (2) deducoes | Filial 13 (1) none | Vendas canceladas (2) deducoes | Impostos retidos (1) none
Móveis e utensílios (1) none | Venda de móveis (2) fora | Empréstimo Pronampe (1) divida | Despesas (1) none
Taxa cartão de crédito (1) custos_variaveis | Despesas bancárias (1) financeiro | Movimentações (0) none
Antecipação de recebíveis (0) divida | Antecipação de recebíveis (FIDC) (1) divida | Operações FIDC (2) divida
Desconto de duplicatas (0) divida | Duplicatas descontadas (2) divida | Cessão de crédito (2) divida
Cessão (0) divida | Recompra de títulos (1) divida | Mútuo de sócios (0) divida | Antecipação (0) divida
Mútuo a sócios (0) fora | Empréstimo concedido (1) fora | Capital de giro Sicoob (1) divida
Antecipação de cartão (2) divida | Amortização de empréstimos (1) divida
Adiantamento de recebíveis (2) divida | Juros sobre antecipação (1) financeiro | Taxa de antecipação (1) financeiro
Deságio FIDC (1) financeiro | Despesas com desconto de duplicatas (1) financeiro | Cessão de mão de obra (1) none
Desconto em vendas (1) none | ICMS antecipação (1) deducoes | Antecipação de férias (1) pessoal
"""
"""Names in which a word of the list hides: an article that is also a tax, a number that is also a salary."""


def _cells(text: str) -> list[tuple[str, int, str]]:
    found = (re.fullmatch(r"(.+) \((\d)\) (\w+)", cell.strip()) for cell in re.split(r"[|\n]", text) if cell.strip())
    return [(cell[1], int(cell[2]), cell[3]) for cell in found if cell]


def _others() -> list[tuple[str, int, str]]:
    names = [(name, group) for group, text in OTHERS.items() for name in text.split(", ")]
    read = [(re.fullmatch(r"(.+?)(?: \((\d)\))?", name), group) for name, group in names]
    return [(found[1], int(found[2] or 1), group) for found, group in read if found]


@pytest.mark.parametrize(("nome", "tipo", "grupo"), [*_cells(TRAPS), *_others(), *_cells(OWN)])
def test_name(nome: str, tipo: int, grupo: str) -> None:
    assert (suggest_group(nome, tipo) or "none") == grupo


def test_the_tables_were_read_whole() -> None:
    assert (len(_cells(TRAPS)), len(_others())) == (38, 63)


def test_case_accents_and_signs_make_no_difference() -> None:
    for name in ("PRÓ-LABORE", "pro labore", "Pro_labore."):
        assert suggest_group(name, 1) == "pessoal"


def test_an_unknown_kind_is_a_mixed_one() -> None:
    assert suggest_group("Empréstimos", None) == suggest_group("Empréstimos", MISTA) == "divida"
    assert suggest_group("Aluguel", None) is None

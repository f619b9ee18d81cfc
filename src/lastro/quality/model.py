"""What a check and a data-quality rule answer: values that R15 prints and `ops.verificacoes` keeps (S15).

Belongs here: the shapes, and the catalogue of the V rules. Does not belong here: how anything is checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

Amount = Decimal | int | str | None
ERRO, ALERTA = "erro", "alerta"
OK, FALHOU, NAO_SE_APLICA = "ok", "falhou", "não se aplica"
MAX_KEYS: Final = 10
"""Offending keys that a check hands over; `registros` counts them all."""
MAX_EXAMPLES: Final = 5
"""Ids that R15 prints per Q rule."""


@dataclass(frozen=True)
class Verification:
    """The result of one V rule (S15).

    Attributes:
        id: "V01" to "V21", "V32".
        descricao: the rule in words, pt-BR.
        severidade: "erro" or "alerta", as this result calls for (V09 and V14 can be either).
        situacao: "ok", "falhou" or "não se aplica".
        esperado: headline of the rule when it holds; of the first difference when it fails.
        encontrado: the same, as found.
        diferenca: found minus expected where both are amounts.
        registros: how many keys differ.
        chaves: those keys, at most 10 ("linha 1011", "conta 101 · 2026-03").
        detalhe: how many comparisons were made, or what differs; never a name of a person or a document number.
        resumo: what the cover says of it; empty: the rule in words.
    """

    id: str
    descricao: str
    severidade: str
    situacao: str
    esperado: Amount = None
    encontrado: Amount = None
    diferenca: Decimal | None = None
    registros: int = 0
    chaves: tuple[str, ...] = ()
    detalhe: str = ""
    resumo: str = ""

    @property
    def failed(self) -> bool:
        """Whether the rule does not hold."""
        return self.situacao == FALHOU


@dataclass(frozen=True)
class Finding:
    """What one Q rule noticed (R15).

    Attributes:
        regra: "Q01" to "Q20", or "MEMO".
        titulo: the rule in a few words, pt-BR.
        gravidade: "erro", "alerta" or "informação".
        qtde: how many records.
        valor: their signed sum, or None where a sum says nothing (Q11, Q17).
        ids: their keys, ascending: título, linha, conta, grupo, pessoa or categoria, as the rule names them.
        por_que: why it matters, pt-BR.
        como_corrigir: what to do, pt-BR.
    """

    regra: str
    titulo: str
    gravidade: str
    qtde: int
    valor: Decimal | None
    ids: tuple[int, ...]
    por_que: str
    como_corrigir: str

    @property
    def exemplos(self) -> tuple[int, ...]:
        """The first five ids."""
        return self.ids[:MAX_EXAMPLES]


@dataclass(frozen=True)
class Rule:
    """A V rule as the design states it."""

    id: str
    descricao: str
    severidade: str


_RULES = (
    Rule("V01", "Saldos iniciais + linhas de caixa = saldos na data-base, por conta e no total", ERRO),
    Rule("V02", "Saldo inicial + implantados + quatro classes = saldo final em cada período de R01 a R05", ERRO),
    Rule("V03", "Soma dos dias = mês; soma dos dias = semana", ERRO),
    Rule("V04", "As quatro classes partem as linhas de caixa, e os relatórios somam as mesmas linhas", ERRO),
    Rule("V05", "A ponte competência x caixa fecha em cada mês com o fluxo e com a variação do saldo", ERRO),
    Rule("V06", "Posição em aberto: resumo = detalhe = títulos em aberto; a vencer + hoje + vencido = total", ERRO),
    Rule("V07", "Árvore de categorias: nó = direto + filhas; raízes = total da seção", ERRO),
    Rule("V08", "DRE de todos os meses = linhas fora de transferências e de 'fora'; DRE por centro = DRE", ERRO),
    Rule("V09", "Vencidos por conta = filtros PA e RA do serviço", ERRO),
    Rule("V10", "Leituras provadas por contagem; linhas por conta = registros recebidos", ERRO),
    Rule("V11", "Lançamentos citados por cobranças vivas existem", ALERTA),
    Rule("V12", "Valor da cobrança viva = soma das linhas positivas de seus títulos", ALERTA),
    Rule("V13", "Situação da cobrança viva concorda com a do lançamento; cobranças por situação", ALERTA),
    Rule("V14", "Evidência sobre o valor do pai dos compostos", ERRO),
    Rule("V15", "Componentes dos compostos: listagem = detalhe", ERRO),
    Rule("V16", "Transferências com par recíproco, oposto e na mesma data", ALERTA),
    Rule("V17", "A ponte da carteira em aberto fecha (R14)", ERRO),
    Rule("V18", "Previsto + desvios = realizado (R13)", ERRO),
    Rule("V19", "Saldos conferidos em extrato = saldos calculados", ALERTA),
    Rule("V20", "Toda categoria, pessoa e conta citada é conhecida", ALERTA),
    Rule("V21", "Lançamentos de saldo inicial concordam com o configurado; no máximo um por conta e data", ERRO),
    Rule("V32", "Meses fechados como no relatório anterior", ALERTA),
)
RULES: Final[Mapping[str, Rule]] = MappingProxyType({rule.id: rule for rule in _RULES})

"""What analysts are told of the columns of the budget's views (`lastro.schema.mart`, R18)."""

from __future__ import annotations

from typing import Final

BUDGET_MEANINGS: Final[dict[str, str]] = {
    "orcado.mes_orcado": "orçado do último mês fechado; nulo em janeiro",
    "orcado.mes_realizado": "realizado do último mês fechado; nulo em janeiro",
    "orcado.mes_desvio": "realizado - orçado do último mês fechado: negativo é desfavorável; nulo em janeiro",
    "orcado.ate_orcado": "orçado do ano até o último mês fechado; nulo em janeiro",
    "orcado.ate_realizado": "realizado do ano até o último mês fechado; nulo em janeiro",
    "orcado.ate_desvio": "realizado - orçado do ano até o último mês fechado; nulo em janeiro",
    "orcado.desvio_pct": "ate_desvio em % de |ate_orcado|; nulo onde a base é menor que R$ 100,00",
    "orcado.situacao": "OK, Atenção, Crítico ou Não orçado; nula numa categoria mista e em janeiro",
    "orcado.ano_orcado": "orçado do ano inteiro",
    "orcado.realizado_e_contratado": "lançado com competência no ano inteiro",
    "orcado.ano_desvio": "projecao - ano_orcado: negativo é desfavorável",
    "orcado.realizado": "competência no ano e até a data-base",
    "orcado.contratado": "competência no ano e depois da data-base, pago ou não",
    "orcado_mensal.original": "valor orçado; nulo onde o arquivo não tem linha",
    "orcado_mensal.vigente": "o revisado onde há um, senão o original; nulo onde o arquivo não tem linha",
    "orcado_mensal.realizado": "competência no mês e até a data-base",
    "orcado_mensal.contratado": "competência no mês e depois da data-base, pago ou não",
    "saldo_a_contratar": "o que falta contratar do orçado, do mês da data-base em diante",
    "projecao": "realizado + contratado + saldo_a_contratar",
    "orcada": "há valor orçado no ano",
    "fora_do_resultado": "o mapa a põe fora do resultado (S17): em nenhum total",
    "orcado_nao_lido.linha": "linha do arquivo, o cabeçalho é a 1; nula quando se trata do arquivo todo",
    "orcado_nao_lido.texto": "a linha como estava",
    "orcado_nao_lido.motivo": "por que não conta",
    "orcado_nao_lido.valor": "valor como digitado; nulo onde não é um número",
}

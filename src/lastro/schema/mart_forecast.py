"""What analysts are told of the columns of the forecast's views (`lastro.schema.mart`, R23)."""

from __future__ import annotations

from typing import Final

FORECAST_MEANINGS: Final[dict[str, str]] = {
    "lancado_entra": "Entradas lançadas na semana, no dia em que se costuma receber; nas realizadas, o que entrou",
    "lancado_sai": "Saídas lançadas na semana, negativa; nas realizadas, o que saiu",
    "esperado_entra": "Entradas além do lançado; nulo nas semanas realizadas",
    "esperado_sai": "Saídas além do lançado, negativa; nulo nas semanas realizadas",
    "nao_operacional_e_transf": "fora do resultado, transferências e saldos implantados da semana, com sinal",
    "previsao_semanal.tipo": "Realizado, até a data-base, ou Previsto, a partir dela: a semana dela está em ambos",
    "previsao_semanal.correcao": "o que a mediana dos erros medidos soma nesta semana; as semanas somam a do horizonte",
    "saldo_previsto": "saldo: não se soma entre semanas; no fim da semana",
    "faixa_de": "saldo: não se soma entre semanas; ponta de baixo da faixa, nula com menos de 9 erros medidos",
    "faixa_ate": "saldo: não se soma entre semanas; ponta de cima da faixa, nula com menos de 9 erros medidos",
    "medicoes": "erros medidos desse horizonte; nulo nas semanas realizadas",
    "previsao_categorias.regra": "corrente (mediana dos 6 últimos meses) ou anual (o mesmo mês do ano anterior); nula "
    "sem movimento em 12 meses",
    "ritmo_mensal": "quanto a categoria costuma mover no mês; positivo entra, negativo sai",
    "previsao_categorias.realizado": "já pago no mês, até a data-base; positivo entra, negativo sai",
    "lancado": "em aberto e lançado para o mês; positivo entra, negativo sai",
    "previsao_categorias.esperado": "o que falta ao ritmo do mês; positivo entra, negativo sai",
    "horizonte": "semanas à frente: 1 é a da própria data-base",
    "previsao_teste.data_base": "o dia em que se previu, ou a segunda-feira reconstituída",
    "previsao_teste.previsto": "entradas e saídas da data-base até o fim, como se previu; positivo entra, negativo sai",
    "previsao_teste.realizado": "o que veio, sem o que já estava pago quando se previu; nulo até o fim passar",
    "previsao_teste.origem": "gravada por uma execução daquele dia, ou reconstituida depois",
    "medidas": "erros do horizonte que contam, no máximo 52",
    "gravadas": "quantos deles uma execução previu; os demais são reconstituídos",
    "previsao_cobertura.correcao": "mediana dos erros do horizonte; 0 com menos de 9",
    "erro_de": "ponta de baixo dos erros da faixa; nula com menos de 9",
    "erro_ate": "ponta de cima dos erros da faixa; nula com menos de 9",
    "dentro": "quantas previsões anteriores acabaram dentro da faixa do seu dia",
    "janelas": "quantas previsões anteriores puderam ser comparadas com uma faixa, no máximo 10",
}
"""`coluna`, or `visao.coluna`, as in `MEANINGS`."""

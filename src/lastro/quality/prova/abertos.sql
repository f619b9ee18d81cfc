-- Cada título em aberto na data-base, fora transferências e os de valor zero (S8, S9), como Pagar e Receber o mostram.
--   lado: Receber ou Pagar, pelo sinal
--   bruto: soma das linhas com o sinal do título
--   deducoes: soma das outras
--   centro_custo_lucro_id: centro de custo ou lucro
--   fora: todas as linhas estão fora do resultado
--   descricao: a do título, e quantas linhas mais ele tem
--   parcela: qual de quantas
--   prevista: dia em que se espera o pagamento (S3)
--   efetiva: prevista levada a um dia útil (S3)
--   vencido: com referência antes da data-base (S8)
--   suspeito: um dia dele parece mal digitado (Q43): fora da régua
--   dias: dias de atraso (S8)
--   faixa: faixa de atraso
--   situacao: Agendado, Em carência, Vencido, Vence hoje ou A vencer (S8)
--   prazo: em quantos dias vence o que não venceu
--   carencia: pagável hoje sem encargos (S8)
--   projetada: dia em que conta na projeção (S4)
--   cobranca_id: do que se recebe, a cobrança viva de menor número (S9)
--   cobranca: o que o serviço diz dela; se está vencido e uma cobrança viva consta paga, também isso
--   cobranca_paga: uma cobrança viva dele consta paga (S12)
--   multa: estimada, com o sinal do título (S8)
--   juros: estimados, com o sinal do título (S8)
--   etapa: do que se recebe, o lugar na régua de prova.parametros, de zero (R10)
SELECT t.titulo_id, CASE WHEN t.valor > 0 THEN 'Receber' ELSE 'Pagar' END AS lado, t.valor,
  CASE WHEN t.valor > 0 THEN t.positivas ELSE (t.valor - t.positivas)::DECIMAL(18,2) END AS bruto,
  (t.valor - bruto)::DECIMAL(18,2) AS deducoes, t.conta_id, t.pessoa_id, g.categoria_id,
  g.centro_custo_lucro_id, t.forma_pagamento_id, t.grupo_id, t.fora,
  CASE WHEN t.linhas > 1 THEN trim(coalesce(g.descricao, '') || ' + ' || (t.linhas - 1)
    || CASE WHEN t.linhas > 2 THEN ' itens' ELSE ' item' END) ELSE coalesce(g.descricao, '') END AS descricao,
  coalesce(g.documento, '') AS documento, coalesce(t.numero_repeticao || CASE WHEN t.total_repeticoes <> 0
    THEN '/' || t.total_repeticoes ELSE '' END, '') AS parcela, t.pagamento_automatico,
  t.data_vencimento, t.prevista, t.efetiva, t.projetada, t.vencido, t.suspeito, t.carencia, t.dias, t.faixa, t.situacao,
  CASE WHEN t.vencido THEN NULL WHEN dias >= 0 THEN 'Hoje' WHEN dias >= -7 THEN '1-7' WHEN dias >= -15 THEN '8-15'
    WHEN dias >= -30 THEN '16-30' WHEN dias >= -60 THEN '31-60' WHEN dias >= -90 THEN '61-90' ELSE '>90' END AS prazo,
  CASE WHEN t.valor > 0 THEN t.cobranca_id END AS cobranca_id,
  CASE WHEN t.valor < 0 THEN NULL WHEN t.cobranca_id IS NULL THEN 'sem cobrança' WHEN t.cobranca_paga AND t.vencido
    THEN 'cobrança consta paga (' || t.cobranca || ')' ELSE t.cobranca END AS cobranca,
  t.cobranca_paga, t.multa, t.juros,
  CASE WHEN t.valor < 0 THEN NULL WHEN t.cobranca_paga THEN 1 WHEN t.suspeito THEN 0
    WHEN coalesce(t.cobranca_vence, t.prevista) > p.data_base
      THEN CASE WHEN coalesce(t.cobranca_vence, t.prevista) <= p.data_base + 3 THEN 2 ELSE 0 END
    ELSE 3 + len(list_filter(p.regua_ate, lambda ate: ate < t.dias_mora)) END AS etapa
FROM prova.titulos t CROSS JOIN prova.parametros p LEFT JOIN core.titulos g ON g.titulo_id = t.titulo_id WHERE t.aberto

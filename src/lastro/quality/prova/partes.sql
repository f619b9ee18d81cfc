-- Tudo o que move o caixa, por conta e categoria: o realizado e o previsto (S4), linha por linha, e o saldo inicial de
-- cada conta: do dia em que começa o controle, ou antes de tudo, em 1700 (S7).
--   previsto: projetado, ou saldo inicial depois da data-base
--   linha: saldos_implantados, entradas, saidas, nao_operacional, transf_recebidas ou transf_enviadas (S5, S6)
SELECT conta_id, categoria_id, dia, previsto, valor,
  CASE classe WHEN 'Entradas' THEN 'entradas' WHEN 'Saídas' THEN 'saidas' WHEN 'Não operacional' THEN 'nao_operacional'
    WHEN 'Transferências' THEN CASE WHEN valor < 0 THEN 'transf_enviadas' ELSE 'transf_recebidas' END
    ELSE 'saldos_implantados' END AS linha
FROM (
  SELECT conta_id, categoria_id, data_pagamento AS dia, classe, false AS previsto, valor FROM prova.linhas WHERE caixa
  UNION ALL
  SELECT l.conta_id, l.categoria_id, t.data_projetada, l.classe, true, l.valor
  FROM prova.linhas l JOIN prova.titulos t ON t.titulo_id = l.titulo_id
  WHERE NOT l.pago AND t.data_projetada IS NOT NULL
  UNION ALL
  SELECT conta_id, NULL, coalesce(data_saldo_inicial, DATE '1700-01-01'), NULL,
    coalesce(data_saldo_inicial > data_base, false), valor_saldo_inicial
  FROM core.contas CROSS JOIN prova.parametros)

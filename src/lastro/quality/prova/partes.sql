-- Tudo o que move o caixa, por conta e categoria: o realizado e o previsto (S4), linha por linha, e os saldos de contas
-- cujo controle tem dia (S7).
--   dia: dia do movimento
--   previsto: projetado, ou saldo inicial depois da data-base
--   linha: implantados, Entradas, Saídas, Não operacional, recebidas ou enviadas (S5, S6)
SELECT conta_id, categoria_id, dia, previsto, valor,
  CASE WHEN classe <> 'Transferências' THEN classe WHEN valor < 0 THEN 'enviadas' ELSE 'recebidas' END AS linha
FROM (
  SELECT conta_id, categoria_id, data_pagamento AS dia, classe, false AS previsto, valor FROM prova.linhas WHERE caixa
  UNION ALL
  SELECT l.conta_id, l.categoria_id, t.data_projetada, l.classe, true, l.valor
  FROM prova.linhas l JOIN prova.titulos t ON t.titulo_id = l.titulo_id
  WHERE NOT l.pago AND t.data_projetada IS NOT NULL
  UNION ALL
  SELECT conta_id, NULL, data_saldo_inicial, 'implantados', data_saldo_inicial > data_base, valor_saldo_inicial
  FROM core.contas CROSS JOIN prova.parametros WHERE data_saldo_inicial IS NOT NULL)

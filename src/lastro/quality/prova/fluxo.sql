-- Os movimentos por conta, categoria, mês, momento e linha do fluxo: o mês da data-base tem o realizado e o que falta
-- realizar (S4).
--   linha: saldos_implantados, entradas, saidas, nao_operacional, transf_recebidas ou transf_enviadas (S5, S6)
SELECT m.conta_id, m.categoria_id, date_trunc('month', m.dia)::DATE AS mes, m.linha,
  sum(m.valor)::DECIMAL(18,2) AS valor,
  CASE WHEN date_trunc('month', m.dia)::DATE > p.mes THEN 'previsto' WHEN m.previsto THEN 'a_realizar'
    ELSE 'realizado' END AS momento
FROM prova.partes m CROSS JOIN prova.parametros p GROUP BY ALL

-- Os títulos que uma cobrança viva e paga pelo cliente cobra (S12), com o dia em que o dinheiro chega ao banco (S23).
--   chegada: o último das cobranças; o fim dos tempos enquanto nenhum dia foi dito e não foi transferida
SELECT t.titulo_id, max(coalesce(c.data_transferido, c.data_a_transferir,
  CASE WHEN c.rank < 5 THEN DATE '9999-12-31' END)) AS chegada
FROM core.cobranca_titulos t JOIN core.cobrancas c ON c.cobranca_id = t.cobranca_id
WHERE c.viva AND c.rank >= 3 GROUP BY t.titulo_id

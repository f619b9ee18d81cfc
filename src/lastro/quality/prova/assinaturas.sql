-- As linhas de cada conta, somadas e assinadas como as do controle: a soma de (x mod p)(1 + |centavos| mod p), onde x é
-- o dia ou o id, zero se nulo, e p = 1000003. Uma data ou ligação que troca de linha muda a assinatura.
--   linhas: quantas são
--   vencimento: assinatura das datas de vencimento
--   pagamento: assinatura das datas de pagamento
--   competencia: assinatura das datas de competência
--   categoria: assinatura das categorias
--   pessoa: assinatura das pessoas
--   transferencia: assinatura das outras pernas
WITH numeros AS (
  SELECT conta_id, valor, 1 + abs((100 * valor)::BIGINT) % 1000003 AS peso, data_vencimento - DATE '1970-01-01' AS v,
    data_pagamento - DATE '1970-01-01' AS p, data_competencia - DATE '1970-01-01' AS c, categoria_id AS g,
    pessoa_id AS q, lancamento_transferencia_id AS t FROM prova.linhas)
SELECT conta_id, count(*) AS linhas, sum(valor)::DECIMAL(18,2) AS valor,
  sum((coalesce(v, 0) % 1000003 + 1000003) % 1000003 * peso)::BIGINT AS vencimento,
  sum((coalesce(p, 0) % 1000003 + 1000003) % 1000003 * peso)::BIGINT AS pagamento,
  sum((coalesce(c, 0) % 1000003 + 1000003) % 1000003 * peso)::BIGINT AS competencia,
  sum((coalesce(g, 0) % 1000003 + 1000003) % 1000003 * peso)::BIGINT AS categoria,
  sum((coalesce(q, 0) % 1000003 + 1000003) % 1000003 * peso)::BIGINT AS pessoa,
  sum((coalesce(t, 0) % 1000003 + 1000003) % 1000003 * peso)::BIGINT AS transferencia
FROM numeros GROUP BY conta_id

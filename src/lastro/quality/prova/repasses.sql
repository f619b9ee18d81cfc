-- Os títulos a receber que uma adquirente repassa em lotes e ninguém cobra (S12): de uma forma ou pessoa que a
-- configuração nomeia, sem cobrança viva.
--   quem: a pessoa que ela nomeia; senão menos a forma
SELECT t.titulo_id, CASE WHEN list_contains(p.pessoas_sem_cobranca, t.pessoa_id) THEN t.pessoa_id
  ELSE -t.forma_pagamento_id END AS quem
FROM prova.titulos t CROSS JOIN prova.parametros p
WHERE t.valor > 0 AND t.cobranca_id IS NULL AND (list_contains(p.formas_sem_cobranca, t.forma_pagamento_id)
  OR list_contains(p.pessoas_sem_cobranca, t.pessoa_id))

-- Q09 · Transferência sem par
-- Gravidade: alerta
-- Por que importa: Uma conta mudou e a outra não, ou não no mesmo dia e valor.
-- O que fazer: Refazer a transferência com as duas contas.

-- Pernas de transferência cuja outra perna falta, não aponta de volta, ou difere em valor ou dia do pagamento (S6).
-- Num recorte, aquela cuja outra perna fica fora dele não está entre elas.
WITH pernas AS (
  SELECT origem, linha_id, lancamento_transferencia_id AS outra, valor, pessoa_id, data_vencimento, data_pagamento
  FROM prova.linhas WHERE transferencia)
SELECT 'linha' AS tipo, l.linha_id AS id, l.valor, l.pessoa_id, l.data_vencimento AS dia
FROM pernas l LEFT JOIN (SELECT DISTINCT ON (linha_id) * FROM pernas WHERE origem = 'lancamento') o
  ON o.linha_id = l.outra
WHERE (o.linha_id IS NULL OR o.outra IS DISTINCT FROM l.linha_id OR o.valor <> -l.valor
    OR o.data_pagamento IS DISTINCT FROM l.data_pagamento)
  AND l.linha_id NOT IN (SELECT id FROM prova.notados WHERE regra = 'Q09')

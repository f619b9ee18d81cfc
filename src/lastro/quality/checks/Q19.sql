-- Q19 · Possível lançamento de saldo inicial não configurado
-- Gravidade: erro
-- Por que importa: O saldo inicial contaria duas vezes.
-- O que fazer: Pôr o id em saldo_inicial_lancamentos ou excluir o lançamento.

-- Linhas cujo texto diz "saldo inicial", ou pagas no dia e com o valor do saldo inicial configurado da conta (S7).
SELECT 'linha' AS tipo, l.linha_id AS id, l.valor, l.pessoa_id, l.data_pagamento AS dia
FROM prova.linhas l
LEFT JOIN prova.contas c ON c.conta_id = l.conta_id AND c.com_abertura
LEFT JOIN prova.saldo_inicial_dito d ON d.linha_id = l.linha_id AND d.origem = l.origem
WHERE l.origem = 'lancamento'
  AND (d.linha_id IS NOT NULL OR (l.data_pagamento = c.inicio AND l.valor = c.abertura))

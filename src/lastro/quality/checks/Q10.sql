-- Q10 · Pagamento anterior ao controle
-- Gravidade: informação
-- Por que importa: Já está dentro do saldo inicial: fica fora do caixa e dentro da DRE.
-- O que fazer: Conferir a data de pagamento e a data do saldo inicial da conta.

-- Linhas pagas antes do início do controle da conta (S7), transferências também.
SELECT 'linha' AS tipo, linha_id AS id, valor, pessoa_id, data_pagamento AS dia
FROM prova.linhas WHERE pago AND NOT caixa

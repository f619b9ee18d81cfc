-- MEMO · Baixas automáticas do mês
-- Gravidade: informação
-- Por que importa: São baixas por data, não confirmação do banco.
-- O que fazer: Conferir com o extrato.

-- Linhas de baixa automática pagas no mês da data-base, até ela (S10).
SELECT 'linha' AS tipo, linha_id AS id, valor, pessoa_id, data_pagamento AS dia
FROM prova.linhas CROSS JOIN prova.parametros
WHERE NOT transferencia AND pagamento_automatico AND pago AND data_pagamento >= mes

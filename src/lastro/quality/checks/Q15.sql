-- Q15 · Pagamento com data futura
-- Gravidade: alerta
-- Por que importa: Conta como aberto e agendado até essa data.
-- O que fazer: Conferir a data de pagamento.

-- Linhas com pagamento depois da extração (S3), transferências também.
SELECT 'linha' AS tipo, linha_id AS id, valor, pessoa_id, data_pagamento AS dia
FROM prova.linhas CROSS JOIN prova.parametros WHERE data_pagamento > data_extracao

-- Q03 · Sem pessoa
-- Gravidade: informação
-- Por que importa: Não aparece na posição do cliente ou fornecedor.
-- O que fazer: Informar a pessoa no lançamento.

-- Títulos sem pessoa.
SELECT 'titulo' AS tipo, titulo_id AS id, valor, data_vencimento AS dia
FROM prova.titulos WHERE NOT transferencia AND pessoa_id IS NULL

-- Q04 · Valor zero
-- Gravidade: informação
-- Por que importa: Não entra em relatório nenhum: pode ser valor que falta digitar.
-- O que fazer: Informar o valor ou excluir o lançamento.

-- Títulos de valor zero (S8).
SELECT 'titulo' AS tipo, titulo_id AS id, valor, pessoa_id, data_vencimento AS dia
FROM prova.titulos WHERE NOT transferencia AND tipo = 'Z'

-- Q05 · Competência presumida
-- Gravidade: informação
-- Por que importa: O mês da DRE foi suposto pela regra competencia_nula.
-- O que fazer: Informar a data de competência.

-- Linhas sem data de competência (S4).
SELECT 'linha' AS tipo, linha_id AS id, valor, pessoa_id, data_vencimento AS dia
FROM prova.linhas WHERE NOT transferencia AND data_competencia IS NULL

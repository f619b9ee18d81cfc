-- Q01 · Sem categoria
-- Gravidade: alerta
-- Por que importa: O valor entra no fluxo e na DRE só como «Sem categoria».
-- O que fazer: Escolher a categoria no lançamento.

-- Linhas sem categoria; uma transferência não tem.
SELECT 'linha' AS tipo, linha_id AS id, valor, pessoa_id, data_vencimento AS dia
FROM prova.linhas WHERE NOT transferencia AND categoria_id IS NULL

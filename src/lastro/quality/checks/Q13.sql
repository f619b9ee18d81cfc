-- Q13 · Possível duplicidade
-- Gravidade: alerta
-- Peso: 2
-- Por que importa: Mesma pessoa, valor e vencimento: pode estar lançado duas vezes.
-- O que fazer: Comparar os documentos e excluir o repetido.

-- Títulos com a pessoa, o valor e o vencimento de outro; os de um só grupo de repetições não contam entre si.
WITH iguais AS (
  SELECT pessoa_id, valor, data_vencimento, count(*) AS titulos FROM prova.titulos
  WHERE NOT transferencia AND tipo <> 'Z' AND pessoa_id IS NOT NULL GROUP BY ALL HAVING count(*) > 1)
SELECT 'titulo' AS tipo, titulo_id AS id, valor, pessoa_id, data_vencimento AS dia
FROM prova.titulos JOIN iguais USING (pessoa_id, valor, data_vencimento) WHERE NOT transferencia
QUALIFY grupo_id IS NULL OR count(*) OVER (PARTITION BY pessoa_id, valor, data_vencimento, grupo_id) < titulos

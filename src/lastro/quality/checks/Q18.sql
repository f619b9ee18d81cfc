-- Q18 · Parcelas faltando no grupo
-- Gravidade: alerta
-- Por que importa: Alguma parcela foi excluída ou não foi gerada.
-- O que fazer: Conferir as parcelas do grupo e recriar as que faltam.

-- Grupos de total conhecido a que falta algum dos números de 1 ao total; o que os seus títulos somam, a receber e a
-- pagar em uma linha cada.
WITH grupos AS (SELECT *, max(total_repeticoes) OVER (PARTITION BY grupo_id) AS total FROM prova.titulos
  WHERE NOT transferencia AND grupo_id IS NOT NULL),
curtos AS (
  SELECT grupo_id FROM grupos WHERE total > 0 GROUP BY grupo_id, total
  HAVING count(DISTINCT numero_repeticao) FILTER (numero_repeticao BETWEEN 1 AND total) < total)
SELECT 'grupo' AS tipo, grupo_id AS id, sum(valor)::DECIMAL(18,2) AS valor, any_value(pessoa_id) AS pessoa_id,
  min(data_vencimento) AS dia
FROM grupos SEMI JOIN curtos USING (grupo_id) GROUP BY grupo_id, valor < 0

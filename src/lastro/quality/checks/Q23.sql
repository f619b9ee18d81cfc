-- Q23 · Categoria com valores no ano e sem orçamento
-- Gravidade: informação
-- Relatório: R15
-- Por que importa: O que não foi orçado não tem com que se comparar, e muda o fechamento do ano.
-- O que fazer: Pôr uma linha em orcamento.csv, com 0 se nada era esperado; a de um subtotal pode ficar.
-- Cada um: Por que importa

-- Categorias de que nem elas nem as de cima têm orçamento no ano, com realizado a partir de fazer_minimo (R18).
-- E linhas do arquivo que em alguns meses só somam as de baixo: lá não contam outra vez.
SELECT 'categoria' AS tipo, e.categoria_id AS id, sum(e.realizado)::DECIMAL(18,2) AS valor, NULL::VARCHAR AS texto
FROM prova.orcado e CROSS JOIN prova.parametros p WHERE NOT e.orcada
GROUP BY e.categoria_id HAVING abs(sum(e.realizado)) >= any_value(p.fazer_minimo)
UNION ALL
SELECT 'linha do arquivo', NULL, NULL, concat(arquivo, ', linha ', linha, ': ', any_value(motivo), ' · ', count(*),
  CASE count(*) WHEN 1 THEN ' mês · ' ELSE ' meses · ' END, any_value(texto))
FROM prova.recusados WHERE arquivo ILIKE 'entrada/orcamento.%' AND starts_with(motivo, 'subtotal: ')
GROUP BY arquivo, linha

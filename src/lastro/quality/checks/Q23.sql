-- Q23 · Categoria com valores no ano e sem orçamento
-- Gravidade: informação
-- Por que importa: O que não foi orçado não tem com que se comparar, e muda o fechamento do ano.
-- O que fazer: Orçá-la em orcamento.xlsx, com 0 se nada era esperado; lastro orcamento escreve o formulário.
-- Cada um: Por que importa

-- Categorias de que nem elas nem as de cima têm orçamento no ano, com realizado a partir de fazer_minimo (R18).
SELECT 'categoria' AS tipo, e.categoria_id AS id, sum(e.realizado)::DECIMAL(18,2) AS valor
FROM prova.orcado e CROSS JOIN prova.parametros p WHERE NOT e.orcada
GROUP BY e.categoria_id HAVING abs(sum(e.realizado)) >= any_value(p.fazer_minimo)

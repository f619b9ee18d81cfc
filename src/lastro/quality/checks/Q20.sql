-- Q20 · Categoria sem grupo na DRE
-- Gravidade: alerta
-- Por que importa: Sem grupo não há margem de contribuição nem EBITDA em que confiar.
-- O que fazer: Pôr a categoria, ou a mãe dela, em dre_mapa: `lastro mapa` sugere as linhas.

-- Categorias com valores, de qualquer dia, que nem elas nem uma ancestral estão no mapa (S17): o que as linhas somam,
-- entradas e saídas em uma linha cada.
SELECT 'categoria' AS tipo, l.categoria_id AS id, sum(l.valor)::DECIMAL(18,2) AS valor
FROM prova.linhas l JOIN prova.categorias c ON c.categoria_id = l.categoria_id
WHERE NOT l.transferencia AND l.valor <> 0 AND NOT c.dre_mapeada GROUP BY l.categoria_id, l.valor < 0

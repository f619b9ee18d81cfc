-- Q21 · Parece empréstimo ou retirada e está no resultado
-- Gravidade: alerta
-- Por que importa: Empréstimo, aporte, retirada e investimento não são receita nem despesa: distorcem o resultado.
-- O que fazer: Decidir em [empresa.parametros.dre_mapa]: fora, se for o caso, ou a linha da DRE a que pertence.

-- Categorias que o mapa não põe em "fora" e que são mistas (nem receita nem despesa), ou cujo nome tem jeito de
-- empréstimo, aporte ou investimento: o que as linhas somam nos doze meses fechados e no da data-base (S17), entradas e
-- saídas em uma linha cada. A que tem linha própria no mapa já foi decidida por alguém.
SELECT 'categoria' AS tipo, l.categoria_id AS id, sum(l.valor)::DECIMAL(18,2) AS valor
FROM prova.linhas l CROSS JOIN prova.parametros p JOIN prova.categorias c ON c.categoria_id = l.categoria_id
WHERE NOT l.transferencia AND l.valor <> 0 AND l.data_competencia_ef BETWEEN p.mes - INTERVAL 12 MONTHS AND p.data_base
  AND c.conhecida AND NOT c.fora_resultado AND NOT list_contains(p.mapeadas, c.categoria_id)
  AND (coalesce(c.tipo_categoria_id, 0) = 0 OR c.categoria_id IN (SELECT id FROM prova.notados WHERE regra = 'Q21'))
GROUP BY l.categoria_id, l.valor < 0;

-- As linhas a colar no mapa.
SELECT string_agg(id || ' = "fora"', ' · ' ORDER BY id) AS colar
FROM (SELECT DISTINCT id FROM mart.achados_itens WHERE regra = 'Q21')

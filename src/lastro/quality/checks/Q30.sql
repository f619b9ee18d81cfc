-- Q30 · DRE não mapeada: indicadores de margem ausentes
-- Gravidade: informação
-- Por que importa: Sem o mapa não há margem, EBITDA, ponto de equilíbrio nem margem de segurança.
-- O que fazer: Pôr cada categoria em uma linha de [empresa.parametros.dre_mapa]; lastro mapa propõe as linhas.

-- Categorias em uso sem linha no mapa, enquanto ele não deixa mostrar margens (S17): o que as linhas somam nos doze
-- meses fechados e no da data-base, entradas e saídas em uma linha cada.
SELECT 'categoria' AS tipo, l.categoria_id AS id, sum(l.valor)::DECIMAL(18,2) AS valor
FROM prova.linhas l CROSS JOIN prova.parametros p CROSS JOIN prova.mapa m
JOIN prova.categorias c ON c.categoria_id = l.categoria_id
WHERE NOT coalesce(m.margens, false) AND NOT l.transferencia AND l.valor <> 0
  AND l.data_competencia_ef BETWEEN p.mes - INTERVAL 12 MONTHS AND p.data_base AND c.conhecida AND NOT c.dre_mapeada
GROUP BY l.categoria_id, l.valor < 0

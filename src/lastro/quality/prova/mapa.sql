-- O que o mapa da DRE deixa mostrar (S17): sem ele, ou só com o grupo fora, há receitas e despesas pela natureza.
--   classificada: há grupos além de fora
--   margens: o mapa está completo, ou o que lhe falta em 12 meses fechados e no da data-base cabe na tolerância
WITH janela AS (
  SELECT abs(l.valor) AS valor, l.natureza = 'D' AND NOT l.fora_resultado AS despesa,
    coalesce(g.conhecida AND NOT g.dre_mapeada, false) AS sem_grupo
  FROM prova.linhas l CROSS JOIN prova.parametros p LEFT JOIN core.categorias g ON g.categoria_id = l.categoria_id
  WHERE NOT l.transferencia AND l.data_competencia_ef BETWEEN p.mes - INTERVAL 12 MONTH AND p.data_base)
SELECT any_value(p.mapa_classifica) AS classificada, classificada
  AND coalesce(100 * sum(valor) FILTER (sem_grupo), 0)
    <= coalesce(sum(valor) FILTER (despesa), 0) * any_value(p.mapa_tolerancia_pct) AS margens
FROM prova.parametros p LEFT JOIN janela ON true

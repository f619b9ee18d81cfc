-- O resultado por competência (R06), somado das linhas com valor, fora transferências e o que não tem competência.
--   mes: primeiro dia do mês da competência (S4)
--   grupo: linha da DRE: a do mapa, ou receitas e despesas pela natureza; fora do resultado é fora (S17)
--   mapeada: o mapa alcança a categoria; nula sem categoria
--   ate_d: competência até a data-base
SELECT l.categoria_id, l.centro_custo_lucro_id, date_trunc('month', l.data_competencia_ef)::DATE AS mes,
  g.dre_mapeada AS mapeada, l.pago, l.data_competencia_ef <= p.data_base AS ate_d,
  l.grupo, count(*) AS linhas, sum(l.valor)::DECIMAL(18,2) AS valor
FROM prova.linhas l CROSS JOIN prova.parametros p
LEFT JOIN core.categorias g ON g.categoria_id = l.categoria_id
WHERE NOT l.transferencia AND l.valor <> 0 AND l.data_competencia_ef IS NOT NULL GROUP BY ALL

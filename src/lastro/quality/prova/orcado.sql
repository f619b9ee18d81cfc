-- O orçamento do ano da data-base e o que as linhas lhe respondem, por categoria e mês (R18): uma categoria orçada
-- responde por si e pelas de baixo, até a próxima orçada; sem nenhuma acima, uma categoria responde por si.
--   fora: fora do resultado (S17)
--   original: valor orçado
--   vigente: o revisado onde há um, senão o original
--   realizado: competência até a data-base
--   saldo: o que falta contratar do vigente, do mês da data-base em diante
WITH valores AS (
  SELECT o.categoria_id, o.mes, max(o.valor) FILTER (o.versao = 'original') AS original,
    coalesce(max(o.valor) FILTER (o.versao = 'revisado'), max(o.valor)) AS vigente
  FROM core.orcamento o CROSS JOIN prova.parametros p WHERE year(o.mes) = year(p.data_base) GROUP BY ALL),
nos AS (SELECT DISTINCT v.categoria_id, g.fora_resultado AS fora
  FROM valores v JOIN core.categorias g USING (categoria_id)),
degraus AS (
  SELECT categoria_id, unnest(list_append(ancestrais, categoria_id)) AS degrau,
    unnest(range(len(ancestrais) + 1)) AS altura
  FROM core.categorias),
donos AS (
  SELECT d.categoria_id, arg_max(d.degrau, d.altura) AS dono
  FROM degraus d JOIN nos n ON n.categoria_id = d.degrau GROUP BY d.categoria_id),
linhas AS (
  SELECT coalesce(d.dono, l.categoria_id) AS categoria_id, d.dono IS NOT NULL AS orcada, l.fora_resultado AS fora,
    date_trunc('month', l.data_competencia_ef)::DATE AS mes,
    sum(l.valor) FILTER (l.data_competencia_ef <= p.data_base) AS realizado,
    sum(l.valor) FILTER (l.data_competencia_ef > p.data_base) AS contratado
  FROM prova.linhas l CROSS JOIN prova.parametros p LEFT JOIN donos d ON d.categoria_id = l.categoria_id
  WHERE NOT l.transferencia AND l.valor <> 0 AND year(l.data_competencia_ef) = year(p.data_base)
    AND EXISTS (FROM nos) GROUP BY ALL),
chaves AS (
  SELECT categoria_id, true AS orcada, fora FROM nos
  UNION SELECT categoria_id, orcada, fora FROM linhas WHERE orcada OR NOT fora),
meses AS (
  SELECT (date_trunc('year', data_base) + to_months(unnest(range(12))::INTEGER))::DATE AS mes FROM prova.parametros),
tudo AS (
  SELECT c.categoria_id, c.orcada, c.fora, m.mes, v.original, v.vigente, coalesce(l.realizado, 0) AS realizado,
    coalesce(l.contratado, 0) AS contratado, m.mes >= p.mes AS aberto, coalesce(v.vigente, 0) AS b,
    coalesce(l.realizado, 0) + coalesce(l.contratado, 0) AS x
  FROM chaves c CROSS JOIN meses m CROSS JOIN prova.parametros p
  LEFT JOIN nos n ON n.categoria_id = c.categoria_id AND n.fora = c.fora
  LEFT JOIN valores v ON v.categoria_id = n.categoria_id AND v.mes = m.mes
  LEFT JOIN linhas l ON l.categoria_id IS NOT DISTINCT FROM c.categoria_id AND l.fora = c.fora AND l.mes = m.mes)
SELECT categoria_id, orcada, fora, mes, original::DECIMAL(18,2) AS original, vigente::DECIMAL(18,2) AS vigente,
  realizado::DECIMAL(18,2) AS realizado, contratado::DECIMAL(18,2) AS contratado,
  CASE WHEN NOT aberto THEN 0 WHEN b > 0 THEN greatest(0, b - greatest(0, x))
    WHEN b < 0 THEN least(0, b - least(0, x)) ELSE 0 END::DECIMAL(18,2) AS saldo
FROM tudo

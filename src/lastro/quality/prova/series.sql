-- O último título de cada série sem fim e o que falta gerar dela, até o fim do horizonte mais longo (S10): uma
-- ocorrência a cada período de 7 dias, 15 dias ou n meses. Um código desconhecido não dá estimativa.
--   vencimento: do último título
--   fim: fim do horizonte mais longo
--   faltam: dias das ocorrências depois do último título; nulo se o código é desconhecido
WITH ultimos AS (
  SELECT arg_max({'titulo_id': titulo_id, 'vencimento': data_vencimento, 'codigo': trim(periodicidade),
      'total': total_repeticoes, 'grupo_id': grupo_id}, (data_vencimento, titulo_id)) AS u
  FROM core.titulos
  WHERE NOT transferencia AND data_vencimento IS NOT NULL AND (grupo_id IS NOT NULL OR trim(periodicidade) <> '')
  GROUP BY grupo_id, CASE WHEN grupo_id IS NULL THEN titulo_id END),
periodos AS (
  SELECT u.titulo_id, u.grupo_id, u.vencimento, substr(u.codigo, 1, 1) AS unidade,
    CASE WHEN u.codigo IN ('D7', 'D15', 'M1', 'M2', 'M3', 'M6', 'M12') THEN substr(u.codigo, 2)::INTEGER END AS tamanho,
    greatest(p.data_base + p.horizonte_dias - 1, date_trunc('week', p.data_base)::DATE + 7 * p.horizonte_semanas - 1,
      last_day((p.data_base + to_months(p.horizonte_meses))::DATE)) AS fim
  FROM ultimos CROSS JOIN prova.parametros p WHERE u.total IS NULL AND u.codigo <> '')
SELECT titulo_id, grupo_id, vencimento, fim, CASE WHEN tamanho IS NOT NULL THEN list_filter(list_transform(
    range(1, greatest((fim - vencimento) // 7 + 2, 1)),
    lambda k: CASE unidade WHEN 'D' THEN vencimento + (k * tamanho)::INTEGER
      ELSE (vencimento + to_months((k * tamanho)::INTEGER))::DATE END), lambda dia: dia <= fim) END AS faltam
FROM periodos

-- As ocorrências ainda não geradas das séries sem fim (S10), da data-base até o fim do horizonte mais longo: o valor
-- das linhas do último título, a cada período de 7 dias, 15 dias ou n meses. Um código desconhecido não dá estimativa.
--   classe: a da linha do último título (S5)
--   vencimento: dia da ocorrência
--   dia: dia em que conta na projeção (S4)
WITH ultimos AS (
  SELECT arg_max({'titulo_id': titulo_id, 'vencimento': data_vencimento, 'codigo': trim(periodicidade),
      'total': total_repeticoes}, (data_vencimento, titulo_id)) AS u
  FROM core.titulos
  WHERE NOT transferencia AND data_vencimento IS NOT NULL AND (grupo_id IS NOT NULL OR trim(periodicidade) <> '')
  GROUP BY grupo_id, CASE WHEN grupo_id IS NULL THEN titulo_id END),
periodos AS (
  SELECT u.titulo_id, u.vencimento, substr(u.codigo, 1, 1) AS unidade, substr(u.codigo, 2)::INTEGER AS tamanho,
    p.data_base, p.projeta_em_dia_util, greatest(p.data_base + p.horizonte_dias - 1,
      date_trunc('week', p.data_base)::DATE + 7 * p.horizonte_semanas - 1,
      last_day((p.data_base + to_months(p.horizonte_meses))::DATE)) AS fim
  FROM ultimos CROSS JOIN prova.parametros p
  WHERE u.total IS NULL AND u.codigo IN ('D7', 'D15', 'M1', 'M2', 'M3', 'M6', 'M12')),
dias AS (
  SELECT titulo_id, data_base, fim, projeta_em_dia_util, unnest(list_transform(range(1, (fim - vencimento) // 7 + 2),
    lambda k: CASE unidade WHEN 'D' THEN vencimento + (k * tamanho)::INTEGER
      ELSE (vencimento + to_months((k * tamanho)::INTEGER))::DATE END)) AS dia
  FROM periodos WHERE fim > vencimento)
SELECT d.titulo_id, l.conta_id, l.classe, l.valor, d.dia AS vencimento,
  CASE WHEN d.projeta_em_dia_util THEN k.proximo_dia_util ELSE d.dia END AS dia
FROM dias d JOIN prova.linhas l ON l.titulo_id = d.titulo_id LEFT JOIN core.calendario k ON k.dia = d.dia
WHERE d.dia BETWEEN d.data_base AND d.fim

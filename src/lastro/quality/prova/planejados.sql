-- As ocorrências ainda não geradas das séries sem fim (S10), da data-base até o fim do horizonte mais longo: o valor
-- das linhas do último título.
--   classe: a da linha do último título (S5)
--   vencimento: dia da ocorrência
--   dia: dia em que conta na projeção (S4)
WITH dias AS (SELECT titulo_id, unnest(faltam) AS dia FROM prova.series)
SELECT d.titulo_id, l.conta_id, l.categoria_id, l.classe, l.valor, d.dia AS vencimento,
  CASE WHEN p.projeta_em_dia_util THEN k.proximo_dia_util ELSE d.dia END AS dia
FROM dias d CROSS JOIN prova.parametros p JOIN prova.linhas l ON l.titulo_id = d.titulo_id
LEFT JOIN core.calendario k ON k.dia = d.dia
WHERE d.dia >= p.data_base

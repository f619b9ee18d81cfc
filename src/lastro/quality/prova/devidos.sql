-- As linhas em aberto de títulos a pagar que são tributos (R21): de uma categoria de tributo, ou parcela de um
-- parcelamento público (PGFN, REFIS) ou que diz um tributo.
--   parcelada: de um título que se repete, cuja descrição ou categoria diz parcelamento, PGFN ou REFIS
--   respondida: a mesa de pagamentos respondeu que está em parcelamento (S26)
--   quitada: vencida, e já não se deve como está: a mesa respondeu que foi paga, ou o banco a moveu (S26)
SELECT * EXCLUDE (tributo, do_fisco)
FROM (
  SELECT l.titulo_id, l.linha_id, l.categoria_id, date_trunc('month', l.data_competencia_ef)::DATE AS mes, l.valor,
    t.vencido, t.dias_de_atraso, t.grupo_id, t.pessoa_id, t.data_vencimento,
    l.categoria_id IN (SELECT categoria_id FROM prova.tributos) AS tributo,
    t.grupo_id IS NOT NULL AND (coalesce(n.parcelamento, false) OR coalesce(d.parcelamento, false)) AS parcelada,
    t.titulo_id IN (SELECT id FROM prova.notados WHERE regra = 'R21') AS respondida,
    t.vencido AND t.titulo_id IN (SELECT id FROM prova.notados WHERE regra IN ('S26', 'F3')) AS quitada,
    coalesce(n.publico OR n.tributo, false) OR coalesce(d.publico OR d.tributo, false) AS do_fisco
  FROM prova.linhas l JOIN prova.titulos t ON t.titulo_id = l.titulo_id
  JOIN core.linhas c ON c.linha_id = l.linha_id AND c.origem = l.origem
  LEFT JOIN core.categorias g ON g.categoria_id = l.categoria_id
  LEFT JOIN prova.nomes n ON n.nome = g.descricao LEFT JOIN prova.nomes d ON d.nome = c.descricao
  WHERE NOT t.pago AND NOT l.transferencia AND t.valor < 0)
WHERE coalesce(tributo, false) OR (parcelada AND do_fisco)

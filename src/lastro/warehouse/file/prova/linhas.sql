-- Cada linha na data-base (S1): paga ou não (S3), no caixa da conta ou não (S7), natureza e classe (S5), competência
-- (S4).
--   grupo: linha da DRE: a do mapa, ou receitas e despesas pela natureza; fora do resultado é fora (S17)
SELECT * EXCLUDE (competencia_nula, mapa_classifica, dre_grupo),
  CASE WHEN transferencia THEN 'Transferências' WHEN fora_resultado THEN 'Não operacional'
    WHEN natureza = 'R' THEN 'Entradas' ELSE 'Saídas' END AS classe,
  coalesce(data_competencia, CASE competencia_nula WHEN 'vencimento' THEN data_vencimento
    WHEN 'caixa' THEN coalesce(CASE WHEN pago THEN data_pagamento END, data_prevista) END) AS data_competencia_ef,
  data_competencia IS NULL AS competencia_presumida,
  CASE WHEN fora_resultado THEN 'fora' WHEN mapa_classifica THEN coalesce(nullif(dre_grupo, 'fora'), 'outras')
    WHEN natureza = 'R' THEN 'receitas' ELSE 'despesas' END AS grupo
FROM (
  SELECT l.* EXCLUDE (natureza, transferencia, fora_resultado, data_competencia_ef, competencia_presumida),
    l.lancamento_transferencia_id IS NOT NULL AS transferencia,
    coalesce(g.dre_grupo = 'fora', false) AS fora_resultado,
    CASE WHEN g.tipo_categoria_id = 2 THEN 'R' WHEN g.tipo_categoria_id = 1 THEN 'D'
      WHEN l.valor >= 0 THEN 'R' ELSE 'D' END AS natureza,
    coalesce(l.data_pagamento <= p.data_base, false) AS pago,
    pago AND (c.data_saldo_inicial IS NULL OR l.data_pagamento >= c.data_saldo_inicial) AS caixa,
    CASE WHEN pago THEN NULL WHEN l.data_pagamento > p.data_extracao THEN l.data_pagamento
      ELSE l.data_vencimento END AS data_prevista,
    p.competencia_nula, p.mapa_classifica, g.dre_grupo
  FROM core.linhas l CROSS JOIN prova.parametros p
  LEFT JOIN core.contas c ON c.conta_id = l.conta_id
  LEFT JOIN core.categorias g ON g.categoria_id = l.categoria_id)

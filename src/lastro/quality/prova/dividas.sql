-- Os títulos que são dívida (R24): em aberto a pagar, cujas linhas de categoria de dívida, ou de parcelamento, somam a
-- pagar. O que o banco ou a mesa diz pago não se deve (S26).
--   categoria: a menor das categorias dessas linhas; zero sem nenhuma
--   pessoa: zero sem pessoa
--   mes: primeiro dia do mês em que sai (S4); nulo se vencido
SELECT coalesce(d.categoria, 0) AS categoria, coalesce(t.pessoa_id, 0) AS pessoa, t.titulo_id, t.valor, t.vencido,
  t.data_vencimento, date_trunc('month', t.data_projetada)::DATE AS mes
FROM (
  SELECT t.titulo_id, min(l.categoria_id) AS categoria
  FROM prova.linhas l JOIN prova.titulos t ON t.titulo_id = l.titulo_id
  JOIN core.linhas c ON c.linha_id = l.linha_id AND c.origem = l.origem
  LEFT JOIN core.categorias g ON g.categoria_id = l.categoria_id
  LEFT JOIN prova.nomes n ON n.nome = g.descricao LEFT JOIN prova.nomes d ON d.nome = c.descricao
  WHERE t.aberto AND t.valor < 0
    AND t.titulo_id NOT IN (SELECT id FROM prova.notados WHERE regra IN ('S26', 'R21', 'F3'))
    AND (l.categoria_id IN (SELECT id FROM prova.notados WHERE regra = 'R24')
      OR (t.grupo_id IS NOT NULL AND (n.parcelamento OR d.parcelamento)))
  GROUP BY t.titulo_id HAVING sum(l.valor) < 0) d
JOIN prova.titulos t ON t.titulo_id = d.titulo_id

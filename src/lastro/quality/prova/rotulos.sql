-- As linhas somadas pelos rótulos que citam e pelo lado.
--   tag_id: das etiquetas da linha que não têm nome, a de menor número
--   entra: valor acima de zero
--   valor: soma das linhas
SELECT l.forma_pagamento_id, l.centro_custo_lucro_id, l.tipo_documento_id, t.tag_id, l.valor > 0 AS entra,
  sum(l.valor)::DECIMAL(18,2) AS valor
FROM core.linhas l
LEFT JOIN (
  SELECT g.origem, g.linha_id, min(g.tag_id) AS tag_id FROM core.linha_tags g
  ANTI JOIN (FROM core.formas WHERE dimensao = 'tags' AND rotulo <> '') n ON n.id = g.tag_id
  GROUP BY g.origem, g.linha_id) t ON t.origem = l.origem AND t.linha_id = l.linha_id
GROUP BY ALL

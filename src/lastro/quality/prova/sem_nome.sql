-- Cada forma, centro, tipo de documento e etiqueta que uma linha ou cobrança cita e que não tem nome (S11).
--   ordem: 1 a 4, na ordem acima
WITH citados AS (
  SELECT 1 AS ordem, 'formas' AS dimensao, forma_pagamento_id AS id FROM prova.rotulos
  UNION SELECT 1, 'formas', forma_pagamento_id FROM core.cobrancas
  UNION SELECT 2, 'centros', centro_custo_lucro_id FROM prova.rotulos
  UNION SELECT 3, 'tipos_documento', tipo_documento_id FROM prova.rotulos
  UNION SELECT 4, 'tags', tag_id FROM core.linha_tags)
SELECT c.ordem, c.dimensao, c.id
FROM citados c ANTI JOIN (FROM core.formas WHERE rotulo <> '') n ON n.dimensao = c.dimensao AND n.id = c.id
WHERE c.id IS NOT NULL

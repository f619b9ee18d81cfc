-- As categorias de tributos (R21): do grupo ir_csll, de categorias_tributos ou abaixo de uma, ou com nome de tributo.
SELECT g.categoria_id FROM core.categorias g CROSS JOIN prova.parametros p
WHERE g.dre_grupo = 'ir_csll' OR list_has_any(list_append(g.ancestrais, g.categoria_id), p.categorias_tributos)
  OR g.descricao IN (SELECT nome FROM prova.nomes WHERE tributo)

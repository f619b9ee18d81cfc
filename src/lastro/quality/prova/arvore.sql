-- A árvore de categorias (S11): cada categoria com ela mesma e com cada uma que está acima dela.
--   acima: a própria categoria, ou uma acima dela; nula para o que não tem categoria
--   com_filhas: a categoria tem filhas
SELECT categoria_id, unnest(list_append(ancestrais, categoria_id)) AS acima, tem_filhas AS com_filhas
FROM core.categorias
UNION ALL SELECT NULL, NULL, false

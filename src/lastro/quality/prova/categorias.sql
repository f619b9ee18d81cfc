-- As categorias, com o que o mapa da DRE diz delas (S11, S17).
SELECT categoria_id, tipo_categoria_id, conhecida, ativo, dre_mapeada, fora_resultado FROM core.categorias

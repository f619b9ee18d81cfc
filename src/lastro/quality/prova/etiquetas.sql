-- As etiquetas de cada linha (S11).
SELECT origem, linha_id, tag_id FROM core.linha_tags

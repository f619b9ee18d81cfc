-- Cada linha cuja descrição diz "saldo inicial", com ou sem acentos e maiúsculas (S7).
SELECT origem, linha_id FROM core.linhas
WHERE contains(replace(strip_accents(lower(descricao)), chr(160), ' '), 'saldo inicial')

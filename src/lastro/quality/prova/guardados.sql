-- Cada título como a carga o guardou (S1), para ver se é a soma de suas linhas.
SELECT titulo_id, valor, qtde_linhas FROM core.titulos

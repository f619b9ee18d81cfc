-- Cada título como a carga o guardou (S1), para ver se é a soma de suas linhas.
--   linhas: quantas linhas diz que tem
SELECT titulo_id, valor, qtde_linhas AS linhas FROM core.titulos

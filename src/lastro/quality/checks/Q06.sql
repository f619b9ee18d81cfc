-- Q06 · Competência a mais de 60 dias do vencimento
-- Gravidade: informação
-- Por que importa: Pode ser erro de digitação: o resultado cai em mês distante.
-- O que fazer: Conferir as duas datas.

-- Linhas cuja competência está a mais de 60 dias do vencimento, para um lado ou para o outro.
SELECT 'linha' AS tipo, linha_id AS id, valor, pessoa_id, data_vencimento AS dia
FROM prova.linhas WHERE NOT transferencia AND abs(data_competencia - data_vencimento) > 60

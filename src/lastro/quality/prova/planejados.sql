-- As ocorrências ainda não geradas das séries sem fim (S10), da data-base até o fim do horizonte mais longo: o valor
-- das linhas do último título.
--   vencimento: dia da ocorrência
WITH dias AS (SELECT titulo_id, unnest(faltam) AS dia FROM prova.series)
SELECT l.valor, d.dia AS vencimento
FROM dias d CROSS JOIN prova.parametros p JOIN prova.linhas l ON l.titulo_id = d.titulo_id
WHERE d.dia >= p.data_base

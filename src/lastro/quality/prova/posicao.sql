-- O que está em aberto de cada lado, ao todo, e o vencido com e sem carência (S8); a receber, também com e sem cobrança
-- paga (R08, R09).
--   lado: Receber ou Pagar
--   qtde: quantos títulos
--   parte: total, vencido, em_carencia, vencido_efetivo, com_cobranca_paga ou sem_explicacao
SELECT lado, parte, count(*) AS qtde, sum(valor)::DECIMAL(18,2) AS valor
FROM (
  SELECT lado, valor, unnest(['total',
    CASE WHEN vencido THEN 'vencido' END,
    CASE WHEN em_carencia THEN 'em_carencia' END,
    CASE WHEN vencido AND NOT em_carencia THEN 'vencido_efetivo' END,
    CASE WHEN lado = 'Receber' AND vencido AND cobranca_paga THEN 'com_cobranca_paga' END,
    CASE WHEN lado = 'Receber' AND vencido AND NOT em_carencia AND NOT cobranca_paga THEN 'sem_explicacao' END])
    AS parte
  FROM prova.abertos)
WHERE parte IS NOT NULL GROUP BY ALL

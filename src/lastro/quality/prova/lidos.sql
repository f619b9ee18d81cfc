-- O que o armazém lê nas páginas recebidas, por listagem: ids distintos, e registros sem um id legível (V34). O que se
-- leu um a um não veio em nenhuma listagem, e diz a sua conta.
--   lidos: quantos registros
WITH registros AS (
  SELECT 'lancamentos' AS lista, conta_listada,
    CASE WHEN conta_listada IS NULL THEN try_cast(payload->>'conta_id' AS BIGINT) END AS conta, payload->>'id' AS id
  FROM raw.lancamentos
  UNION ALL SELECT 'cobrancas', NULL, NULL, payload->>'id' FROM raw.cobrancas),
legiveis AS (
  SELECT lista, coalesce(conta_listada, conta) AS conta_id,
    CASE WHEN regexp_full_match(id, '0*[1-9][0-9]{0,18}') THEN try_cast(id AS BIGINT) END AS id
  FROM registros)
SELECT lista, conta_id, count(DISTINCT id) + count(*) FILTER (id IS NULL) AS lidos
FROM legiveis GROUP BY lista, conta_id

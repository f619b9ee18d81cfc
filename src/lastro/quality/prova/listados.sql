-- Os títulos vencidos ao lado dos que o serviço lista como vencidos (S16), por conta e filtro; fora transferências e os
-- de valor zero. Um composto pode vir inteiro, em partes, ou só as de um sinal: qualquer uma vale pelo título. Quantas
-- linhas tem um título, diz o que a carga guardou dele.
--   ordem: os desconhecidos, os títulos, os valores, os repetidos
--   chave: o que se compara
--   esperado: o que as linhas dizem; nulo se não está vencido, ou se é desconhecido
--   encontrado: o que o serviço lista; nulo se não lista, ou se lista noutra conta ou noutro filtro
--   vence_hoje: só o serviço lista, e vence na data-base
WITH recebidos AS (
  SELECT v.tipo, v.conta_id, v.lancamento_id, v.valor AS listado, t.titulo_id, t.valor, g.qtde_linhas, t.data_vencimento,
    l.linha_id IS NOT NULL AND g.qtde_linhas = 1 AS sozinho, CASE WHEN t.valor > 0 THEN 'RA' ELSE 'PA' END AS lado
  FROM prova.vencidos v
  LEFT JOIN prova.linhas l ON l.linha_id = v.lancamento_id AND l.origem = 'lancamento'
  LEFT JOIN prova.titulos t ON t.titulo_id = coalesce(l.titulo_id, v.lancamento_id)
  LEFT JOIN prova.guardados g ON g.titulo_id = t.titulo_id
  WHERE v.lancamento_transferencia_id IS NULL AND NOT coalesce(t.transferencia, false)),
deles AS (
  SELECT titulo_id, any_value(valor) AS valor, any_value(data_vencimento) AS data_vencimento,
    arg_min({'conta': conta_id, 'tipo': CASE WHEN qtde_linhas = 1 THEN tipo ELSE lado END},
      (qtde_linhas = 1 AND tipo <> lado, conta_id)) AS onde
  FROM recebidos WHERE valor <> 0 GROUP BY titulo_id),
nossos AS (
  SELECT titulo_id, valor, {'conta': conta_id, 'tipo': CASE WHEN valor > 0 THEN 'RA' ELSE 'PA' END} AS onde
  FROM prova.abertos CROSS JOIN prova.parametros WHERE data_prevista < data_base AND conta_id IS NOT NULL)
SELECT 1 AS ordem, 'lançamento ' || lancamento_id AS chave, NULL::DECIMAL(18,2) AS esperado,
  any_value(listado)::DECIMAL(18,2) AS encontrado, false AS vence_hoje
FROM recebidos WHERE titulo_id IS NULL AND listado <> 0 GROUP BY lancamento_id
UNION ALL
SELECT 2, 'conta ' || coalesce(n.onde, d.onde).conta || ' · ' || coalesce(n.onde, d.onde).tipo || ' · título '
    || coalesce(n.titulo_id, d.titulo_id), n.valor, CASE WHEN n.titulo_id IS NULL OR n.onde = d.onde THEN d.valor END,
  n.titulo_id IS NULL AND d.data_vencimento = data_base
FROM nossos n FULL JOIN deles d ON d.titulo_id = n.titulo_id CROSS JOIN prova.parametros
UNION ALL
SELECT 3, 'lançamento ' || lancamento_id || ' · valor', any_value(valor), any_value(listado), false
FROM recebidos WHERE sozinho GROUP BY lancamento_id
UNION ALL
SELECT 4, 'conta ' || conta_id || ' · ' || tipo || ' · lançamento ' || lancamento_id || ' · vezes', 1, count(*), false
FROM prova.vencidos GROUP BY tipo, conta_id, lancamento_id HAVING count(*) > 1

-- V19 · Saldos conferidos em extrato = saldos calculados
-- Severidade: alerta
-- Peso: 2
-- Relatório: R01
-- Sem comparações: nenhum saldo conferido
-- Só relações internas: o extrato é do banco; o livro ao lado dele, que V38 compara com R01, é o das linhas.
-- Por que importa: é a única figura que vem de fora do serviço: o banco diz se o saldo que se mostra é o dinheiro
--   que há.
-- O que fazer: procure entre a última conferência que bate e esta o que o banco tem e o serviço não, ou o contrário.

-- Cada saldo de extrato dos últimos 13 meses: o livro, menos o que ainda não chegou ao banco (S23). O acordo da própria
-- âncora, e o do arquivo de que ela vem enquanto só ele a diz, não conta.
SELECT 'conta ' || conta_id || ' · ' || dia AS chave, valor::DECIMAL(18,2) AS esperado,
  (calculado - transito)::DECIMAL(18,2) AS encontrado
FROM prova.conferidos WHERE atesta OR calculado - transito IS DISTINCT FROM valor ORDER BY conta_id, dia;

-- O que a capa e o Detalhe dizem: em que estado está cada conta, e a diferença do extrato mais novo de cada uma, que é
-- a de hoje; um acordo com mais de 35 dias nada diz de hoje.
WITH ultimos AS (
  SELECT conta_id, max(dia) AS dia, arg_max(valor, dia) AS valor, arg_max(livro, dia) AS livro,
    arg_max(atesta, dia) AS atesta
  FROM (SELECT conta_id, dia, valor, coalesce(calculado - transito, valor + 1) AS livro, atesta FROM prova.conferidos)
  GROUP BY conta_id),
estados AS (
  SELECT c.conta_id,
    CASE WHEN u.dia IS NULL THEN 4 WHEN u.livro <> u.valor THEN 2 WHEN NOT u.atesta THEN 4
      WHEN p.data_base - u.dia > 35 THEN 3
      ELSE 1 END AS estado
  FROM prova.contas c CROSS JOIN prova.parametros p LEFT JOIN ultimos u ON u.conta_id = c.conta_id
  WHERE u.dia IS NOT NULL OR c.em_uso),
ditos AS (
  SELECT estado, ['Confere', 'Não confere', 'Desatualizada', 'Sem conferência'][estado]
      || CASE WHEN count(*) = 1 THEN ': conta ' ELSE ': contas ' END
      || string_agg(conta_id::VARCHAR, ', ' ORDER BY conta_id) AS dito
  FROM estados GROUP BY estado),
nascidos AS (
  SELECT conta_id, dia, diferenca, lag(dia) OVER de AS antes, diferenca - coalesce(lag(diferenca) OVER de, 0) AS nasceu
  FROM (SELECT conta_id, dia, calculado - transito - valor AS diferenca FROM prova.conferidos)
  WINDOW de AS (PARTITION BY conta_id ORDER BY dia, abs(diferenca))),
primeiro AS (FROM nascidos WHERE nasceu <> 0 ORDER BY dia, conta_id, antes NULLS FIRST LIMIT 1),
esquecido AS (
  SELECT any_value(e.descricao) AS nome, any_value(abs(e.valor))::DECIMAL(18,2) AS valor FROM primeiro n
  JOIN prova.esquecidos e ON e.conta_id = n.conta_id AND abs(e.valor) = abs(n.nasceu) HAVING count(*) = 1),
hoje AS (
  SELECT conta_id, diferenca, 'conta ' || conta_id || strftime(dia, ' em %d/%m/%Y: o livro tem {') || abs(diferenca)
      || CASE WHEN diferenca > 0 THEN '} a mais' ELSE '} a menos' END AS dito
  FROM (FROM nascidos QUALIFY dia = max(dia) OVER (PARTITION BY conta_id)) WHERE diferenca <> 0),
diferem AS (
  SELECT (SELECT count(*) FROM prova.conferidos WHERE calculado - transito IS DISTINCT FROM valor) AS saldos,
    (SELECT array_to_string(list(dito ORDER BY abs(diferenca) DESC, conta_id)[:3], ', ')
      || CASE WHEN count(*) > 3 THEN ' e mais ' || count(*) - 3 ELSE '' END FROM hoje) AS novos)
SELECT (SELECT string_agg(dito, '; ' ORDER BY estado) FROM ditos) AS detalhe,
  CASE WHEN saldos = 0 THEN '' ELSE saldos
    || CASE WHEN saldos = 1 THEN ' saldo difere do extrato' ELSE ' saldos diferem do extrato' END
    || coalesce(' (' || novos || ')',
      CASE WHEN EXISTS (FROM nascidos WHERE nasceu <> 0) THEN ' (o mais novo, não)' END, '')
    || coalesce((SELECT '; {' || valor || '} é o valor da provável baixa esquecida «' || nome || '»'
      FROM esquecido), '')
    || coalesce((SELECT CASE WHEN antes = dia THEN '; nasceu em '
        ELSE coalesce(strftime(antes, '; nasceu entre %d/%m/%Y e '), '; nasceu até ') END
      || strftime(dia, '%d/%m/%Y') FROM primeiro), '') END AS resumo
FROM diferem WHERE EXISTS (FROM prova.conferidos)

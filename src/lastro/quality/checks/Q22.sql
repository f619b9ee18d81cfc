-- Q22 · Valor de orçamento que não conta
-- Gravidade: alerta
-- Lados: nenhum
-- Por que importa: Um valor que não se leu não está em nenhum desvio nem na projeção do ano.
-- O que fazer: Corrigir a célula ou linha em orcamento.xlsx ou .csv; a próxima execução a lê.
-- Cada um: Por que importa

-- Valores de orcamento.xlsx ou .csv que não contam, ou o arquivo todo, cada um com o motivo (R18).
SELECT 'linha do arquivo' AS tipo, linha AS id, valor,
  CASE WHEN linha IS NULL THEN arquivo || ': ' || motivo
    ELSE concat(arquivo, ', linha ', linha, ': ', motivo, ' · ', texto) END AS texto
FROM prova.recusados WHERE arquivo ILIKE 'entrada/orcamento.%';

-- O que se diz deles: quantos por motivo; de um arquivo inteiro, por que não foi lido.
SELECT string_agg(CASE WHEN id IS NULL THEN motivo ELSE motivo || ': ' || vezes END, ' · ' ORDER BY motivo) AS dito
FROM (
  SELECT any_value(id) AS id, count(*) AS vezes,
    regexp_replace(regexp_replace(texto, '^.*?, linha \d+: ', ''), ' · .*$', '') AS motivo
  FROM mart.achados_itens WHERE regra = 'Q22' GROUP BY motivo)

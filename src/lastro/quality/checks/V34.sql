-- V34 · Registros carregados ou rejeitados = registros provados, por listagem
-- Severidade: erro
-- Relatório: R15
-- Julga: o que foi recebido e lido
-- Sem comparações: só de uma leitura completa do próprio dia
-- Por que importa: a prova de completude conta com um leitor e o armazém lê com outro; o que só um dos dois vê falta
--   nos números.
-- O que fazer: não use os números; guarde as páginas (privado/paginas) e relate-o.

-- Por listagem, a última leitura provada ao lado do que o armazém lê nas páginas. Uma leitura quente prova outras
-- listagens.
WITH provadas AS (
  SELECT lista, conta_id, arg_max(ids_distintos + rejeitadas, passada) AS provados FROM prova.passadas
  WHERE veredito = 'provada' AND lista IN ('lancamentos', 'cobrancas') GROUP BY lista, conta_id),
pares AS (
  SELECT coalesce(p.lista, l.lista) AS lista, coalesce(p.conta_id, l.conta_id) AS conta_id,
    coalesce(p.provados, 0)::BIGINT AS provados, coalesce(l.lidos, 0)::BIGINT AS lidos
  FROM provadas p FULL JOIN prova.lidos l ON l.lista = p.lista AND l.conta_id IS NOT DISTINCT FROM p.conta_id)
SELECT lista || ' · ' || coalesce(conta_id::VARCHAR, 'sem conta') AS chave, provados AS esperado, lidos AS encontrado
FROM pares WHERE lista IN (SELECT lista FROM provadas)
UNION ALL
SELECT 'total', sum(provados)::BIGINT, sum(lidos)::BIGINT FROM pares WHERE lista IN (SELECT lista FROM provadas)
HAVING count(*) > 0
ORDER BY chave

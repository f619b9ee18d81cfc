-- V23 · Orçamento: lido = aceito + não lido; vigente = ano orçado; realizado + contratado + saldo = projeção
-- Severidade: erro
-- Relatório: R18
-- Sem comparações: nenhum orçamento
-- Por que importa: um valor orçado que se perde na leitura, ou se conta duas vezes, muda todo desvio que se vê.
-- O que fazer: veja a chave que difere; os dados sozinhos não o causam, relate-o.

-- Valores preenchidos do arquivo: os que contam e os que não; destes se mostram 1.000, e uma linha pelos demais.
SELECT a.arquivo || ' · valores' AS chave, least(a.linhas, o.valores + 1001) AS esperado,
  o.valores + (SELECT count(*) FROM mart.orcado_nao_lido WHERE linha IS NOT NULL) AS encontrado
FROM prova.arquivos a CROSS JOIN (SELECT count(*) AS valores FROM prova.orcados) o
WHERE a.arquivo ILIKE 'entrada/orcamento.%';

-- O que não conta, com seu valor.
SELECT 'não lido · ' || unnest(['linhas', 'valor']) AS chave,
  unnest([e.linhas, e.valor])::DECIMAL(18,2) AS esperado, unnest([m.linhas, m.valor])::DECIMAL(18,2) AS encontrado
FROM (SELECT count(*) AS linhas, coalesce(sum(valor), 0) AS valor FROM prova.recusados
  WHERE arquivo ILIKE 'entrada/orcamento.%') e
CROSS JOIN (SELECT count(*) AS linhas, coalesce(sum(valor), 0) AS valor FROM mart.orcado_nao_lido) m
WHERE e.linhas + m.linhas > 0;

-- Cada categoria e mês, uma vez: original, vigente, saldo a contratar e projeção.
-- Somam: prova.orcado = mart.orcado_mensal por categoria_id, fora = fora_resultado, mes
--   como coalesce(categoria_id, 0) || strftime(mes, ' · %Y-%m'):
--   original, vigente, saldo = saldo_a_contratar AS 'saldo a contratar',
--   realizado + contratado + saldo = projecao AS 'projeção', vezes AS 'linhas'

-- O ano de cada categoria, seus meses fechados e o último deles.
WITH anos AS (
  SELECT e.categoria_id, e.fora, e.realizado, e.contratado, e.saldo, coalesce(e.vigente, 0) AS vigente,
    CASE WHEN month(p.mes) > 1 THEN (e.mes < p.mes)::INTEGER END AS ate,
    CASE WHEN month(p.mes) > 1 THEN (e.mes = p.mes - to_months(1))::INTEGER END AS ultimo
  FROM prova.orcado e CROSS JOIN prova.parametros p)
-- Somam: anos = mart.orcado por categoria_id, fora = fora_resultado como coalesce(categoria_id, 0)::VARCHAR:
--   vigente = ano_orcado AS 'ano orçado', realizado, contratado,
--   realizado + contratado = realizado_e_contratado AS 'realizado e contratado', saldo = saldo_a_contratar
--   AS 'saldo a contratar', realizado + contratado + saldo = projecao AS 'projeção',
--   realizado + contratado + saldo - vigente = ano_desvio AS 'desvio projetado', vigente * ate = ate_orcado
--   AS 'orçado até o mês', realizado * ate = ate_realizado AS 'realizado até o mês',
--   (realizado - vigente) * ate = ate_desvio AS 'desvio até o mês', vigente * ultimo = mes_orcado AS 'orçado do mês',
--   realizado * ultimo = mes_realizado AS 'realizado do mês', (realizado - vigente) * ultimo = mes_desvio
--   AS 'desvio do mês', vezes AS 'linhas'

-- V23 · Orçamento: lido = aceito + não lido; vigente = ano orçado; realizado + contratado + saldo = projeção
-- Severidade: erro
-- Relatório: R18
-- Julga: o que os relatórios mostram
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
WITH mostradas AS (
  SELECT categoria_id, fora_resultado AS fora, mes, count(*) AS vezes, sum(original) AS original,
    sum(vigente) AS vigente, sum(saldo_a_contratar) AS saldo, sum(projecao) AS projecao
  FROM mart.orcado_mensal GROUP BY ALL),
pares AS (
  SELECT concat_ws(' · ', coalesce(e.categoria_id, m.categoria_id, 0), strftime(coalesce(e.mes, m.mes), '%Y-%m'),
      unnest(['linhas', 'original', 'vigente', 'saldo a contratar', 'projeção'])) AS chave,
    unnest([CASE WHEN e.mes IS NULL THEN 0 ELSE 1 END, e.original, e.vigente, e.saldo,
      e.realizado + e.contratado + e.saldo])::DECIMAL(18,2) AS esperado,
    unnest([coalesce(m.vezes, 0), m.original, m.vigente, m.saldo, m.projecao])::DECIMAL(18,2) AS encontrado
  FROM prova.orcado e FULL JOIN mostradas m
    ON m.categoria_id IS NOT DISTINCT FROM e.categoria_id AND m.fora = e.fora AND m.mes = e.mes)
SELECT CASE WHEN esperado IS NOT DISTINCT FROM encontrado THEN 'categorias e meses' ELSE chave END AS chave,
  nullif(esperado, encontrado) AS esperado, nullif(encontrado, esperado) AS encontrado, count(*) AS comparacoes
FROM pares GROUP BY ALL ORDER BY chave;

-- O ano de cada categoria, seus meses fechados e o último deles.
WITH chaves AS (
  SELECT e.categoria_id, e.fora, sum(vigente) AS ano, sum(realizado) AS realizado, sum(contratado) AS contratado,
    sum(saldo) AS saldo,
    CASE WHEN month(any_value(p.mes)) > 1 THEN coalesce(sum(vigente) FILTER (e.mes < p.mes), 0) END AS ate_orcado,
    CASE WHEN month(any_value(p.mes)) > 1 THEN coalesce(sum(realizado) FILTER (e.mes < p.mes), 0) END AS ate_realizado,
    CASE WHEN month(any_value(p.mes)) > 1 THEN coalesce(sum(vigente) FILTER (e.mes = p.mes - to_months(1)), 0) END
      AS mes_orcado,
    CASE WHEN month(any_value(p.mes)) > 1 THEN sum(realizado) FILTER (e.mes = p.mes - to_months(1)) END AS mes_realizado
  FROM prova.orcado e CROSS JOIN prova.parametros p GROUP BY ALL),
mostradas AS (
  SELECT categoria_id, fora_resultado AS fora, count(*) AS vezes, sum(ano_orcado) AS ano,
    sum(realizado) AS realizado, sum(contratado) AS contratado, sum(realizado_e_contratado) AS ambos,
    sum(saldo_a_contratar) AS saldo, sum(projecao) AS projecao, sum(ano_desvio) AS ano_desvio,
    sum(ate_orcado) AS ate_orcado, sum(ate_realizado) AS ate_realizado, sum(ate_desvio) AS ate_desvio,
    sum(mes_orcado) AS mes_orcado, sum(mes_realizado) AS mes_realizado, sum(mes_desvio) AS mes_desvio
  FROM mart.orcado GROUP BY ALL),
pares AS (
  SELECT concat_ws(' · ', coalesce(e.categoria_id, m.categoria_id, 0), unnest(['linhas', 'ano orçado', 'realizado',
      'contratado', 'realizado e contratado', 'saldo a contratar', 'projeção', 'desvio projetado', 'orçado até o mês',
      'realizado até o mês', 'desvio até o mês', 'orçado do mês', 'realizado do mês', 'desvio do mês'])) AS chave,
    unnest([CASE WHEN e.fora IS NULL THEN 0 ELSE 1 END, coalesce(e.ano, 0), e.realizado, e.contratado,
      e.realizado + e.contratado, e.saldo, e.realizado + e.contratado + e.saldo,
      e.realizado + e.contratado + e.saldo - coalesce(e.ano, 0), e.ate_orcado, e.ate_realizado,
      e.ate_realizado - e.ate_orcado, e.mes_orcado, e.mes_realizado, e.mes_realizado - e.mes_orcado])::DECIMAL(18,2)
      AS esperado,
    unnest([coalesce(m.vezes, 0), m.ano, m.realizado, m.contratado, m.ambos, m.saldo, m.projecao, m.ano_desvio,
      m.ate_orcado, m.ate_realizado, m.ate_desvio, m.mes_orcado, m.mes_realizado, m.mes_desvio])::DECIMAL(18,2)
      AS encontrado
  FROM chaves e FULL JOIN mostradas m ON m.categoria_id IS NOT DISTINCT FROM e.categoria_id AND m.fora = e.fora)
SELECT CASE WHEN esperado IS NOT DISTINCT FROM encontrado THEN 'categorias' ELSE chave END AS chave,
  nullif(esperado, encontrado) AS esperado, nullif(encontrado, esperado) AS encontrado, count(*) AS comparacoes
FROM pares GROUP BY ALL ORDER BY chave

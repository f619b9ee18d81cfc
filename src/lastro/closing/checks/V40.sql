-- V40 · Fechamento: cada figura = registros no fim do mês; resultado acumulado até o caixa acumulado fecha
-- Severidade: erro
-- Relatório: S25
-- Sem comparações: nenhum fechamento escrito por esta execução
-- Por que importa: o fechamento vai ao banco e ao contador sozinho; só ele diz o mês.
-- O que fazer: veja a figura que difere; os dados sozinhos não a causam, relate-o.

-- A identidade, de todas as linhas até o fim do mês (data-base da prova), sem transferências; o que é fora do resultado
-- só no não operacional.
WITH linhas AS (
  SELECT l.valor, l.fora_resultado AS fora, l.pago, coalesce(l.data_competencia_ef <= p.data_base, false) AS ate
  FROM prova.linhas l CROSS JOIN prova.parametros p WHERE NOT l.transferencia),
partes AS (
  SELECT unnest(['resultado', 'em_aberto', 'adiantamentos', 'nao_operacional', 'caixa']) AS chave,
    unnest([sum(valor) FILTER (NOT fora AND ate), sum(valor) FILTER (NOT fora AND ate AND NOT pago),
      sum(valor) FILTER (NOT fora AND NOT ate AND pago), sum(valor) FILTER (fora AND pago), sum(valor) FILTER (pago)])
      AS valor
  FROM linhas)
SELECT 'identidade · ' || chave AS chave, coalesce(p.valor, 0)::DECIMAL(18,2) AS esperado, f.valor AS encontrado
FROM partes p LEFT JOIN (FROM mart.fechamento WHERE bloco = 'identidade') f USING (chave);
SELECT 'resultado - em aberto + adiantamentos + não operacional = caixa' AS chave,
  sum(valor * CASE chave WHEN 'caixa' THEN 0 WHEN 'em_aberto' THEN -1 ELSE 1 END)::DECIMAL(18,2) AS esperado,
  sum(valor) FILTER (chave = 'caixa') AS encontrado
FROM mart.fechamento CROSS JOIN prova.parametros WHERE bloco = 'identidade';

-- A DRE do mês e do ano: cada grupo, e o resultado.
WITH meses AS (
  SELECT r.grupo, sum(valor) FILTER (r.mes = p.mes) AS mes, sum(valor) AS ano
  FROM prova.resultado r CROSS JOIN prova.parametros p
  WHERE r.mes <= p.mes AND year(r.mes) = year(p.mes) GROUP BY r.grupo
  UNION ALL
  SELECT 'resultado', sum(valor) FILTER (r.mes = p.mes), sum(valor)
  FROM prova.resultado r CROSS JOIN prova.parametros p
  WHERE r.mes <= p.mes AND year(r.mes) = year(p.mes) AND r.grupo <> 'fora')
SELECT m.grupo || unnest([' · mês', ' · ano']) AS chave, unnest([coalesce(m.mes, 0), coalesce(m.ano, 0)])::DECIMAL(18,2)
  AS esperado, unnest([d.valor, a.valor]) AS encontrado
FROM meses m LEFT JOIN (FROM mart.fechamento WHERE bloco = 'dre') d ON d.chave = m.grupo
LEFT JOIN (FROM mart.fechamento WHERE bloco = 'dre_ano') a ON a.chave = m.grupo
ORDER BY m.grupo;

-- O caixa do mês por classe, o saldo de cada conta no fim dele.
SELECT 'caixa · ' || coalesce(f.chave, e.classe) AS chave, coalesce(e.valor, 0)::DECIMAL(18,2) AS esperado,
  f.valor AS encontrado
FROM (FROM mart.fechamento WHERE bloco = 'caixa') f FULL JOIN (
  SELECT l.classe, sum(l.valor) AS valor FROM prova.linhas l CROSS JOIN prova.parametros p
  WHERE l.caixa AND date_trunc('month', l.data_pagamento) = p.mes GROUP BY l.classe) e ON e.classe = f.chave;
SELECT 'saldo · ' || coalesce(f.chave, e.chave) AS chave, coalesce(e.valor, 0)::DECIMAL(18,2) AS esperado,
  f.valor AS encontrado
FROM (FROM mart.fechamento WHERE bloco = 'saldo') f FULL JOIN (
  SELECT coalesce(conta_id::VARCHAR, 'sem') AS chave, coalesce(saldo, 0) AS valor FROM prova.contas) e
USING (chave);

-- O que está em aberto, dos dois lados juntos: até o fim do mês e de competência posterior; cada figura uma vez.
SELECT unnest(['em aberto', 'competência posterior', 'figuras distintas']) AS chave,
  unnest([ate, depois, figuras])::DECIMAL(18,2) AS esperado, unnest([m_ate, m_depois, distintas])::DECIMAL(18,2)
  AS encontrado
FROM (
  SELECT coalesce(sum(l.valor) FILTER (coalesce(l.data_competencia_ef <= p.data_base, false)), 0) AS ate,
    coalesce(sum(l.valor) FILTER (NOT coalesce(l.data_competencia_ef <= p.data_base, false)), 0) AS depois
  FROM prova.linhas l CROSS JOIN prova.parametros p WHERE NOT l.pago AND NOT l.transferencia)
CROSS JOIN (
  SELECT coalesce(sum(valor) FILTER (bloco LIKE 'a\_%' ESCAPE '\' AND chave <> 'posterior'), 0) AS m_ate,
    coalesce(sum(valor) FILTER (chave = 'posterior'), 0) AS m_depois, count(*) AS figuras,
    count(DISTINCT (bloco, chave)) AS distintas
  FROM mart.fechamento)

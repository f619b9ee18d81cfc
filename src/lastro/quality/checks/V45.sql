-- V45 · Dívidas = títulos em aberto das categorias de dívida e dos parcelamentos
-- Severidade: erro
-- Relatório: R24
-- Por que importa: por esta lista se negocia com quem empresta; o que falta nela, falta na conta.
-- O que fazer: veja a dívida ou o mês que difere; os dados sozinhos não o causam, relate-o.

-- Cada dívida: o que se deve, o vencido, o que sai no mês seguinte e o que vence primeiro.
WITH somadas AS (
  SELECT d.categoria, d.pessoa, sum(d.valor)::DECIMAL(18,2) AS valor, count(*) AS qtde,
    max(d.data_vencimento) AS ultimo_vencimento, count(*) FILTER (d.vencido) AS atrasadas,
    coalesce(sum(d.valor) FILTER (d.vencido), 0)::DECIMAL(18,2) AS atrasado,
    coalesce(sum(d.valor) FILTER (d.mes = p.mes + INTERVAL 1 MONTH), 0)::DECIMAL(18,2) AS mes_seguinte,
    min(d.data_vencimento) FILTER (NOT d.vencido) AS proximo_vencimento
  FROM prova.dividas d CROSS JOIN prova.parametros p GROUP BY d.categoria, d.pessoa),
esperadas AS (
  SELECT *, pessoa AS com, 1 AS vezes, coalesce((SELECT sum(d.valor) FROM prova.dividas d WHERE NOT d.vencido
    AND d.categoria = s.categoria AND d.pessoa = s.pessoa AND d.data_vencimento = s.proximo_vencimento),
    0)::DECIMAL(18,2) AS proxima_parcela
  FROM somadas s),
mostradas AS (
  SELECT *, coalesce(categoria_id, 0) AS categoria, coalesce(pessoa_id, 0) AS com,
    count(*) OVER (PARTITION BY categoria_id, pessoa_id) AS vezes
  FROM mart.dividas)
-- Iguais: esperadas = mostradas por categoria, com como
--   'categoria ' || categoria || ' · pessoa ' || com:
--   vezes, valor, qtde, atrasado, atrasadas, mes_seguinte, proximo_vencimento, proxima_parcela,
--   ultimo_vencimento
;

-- Cada mês: o que sai, o que resta depois, e o que leva do que entra no mês seguinte ao da data-base (S4, S5).
WITH meses AS (
  SELECT (p.mes + to_months(n::INTEGER))::DATE AS mes, n = 1 AS seguinte
  FROM prova.parametros p CROSS JOIN range(24) AS r(n) WHERE EXISTS (FROM prova.dividas)),
saidas AS (
  SELECT m.mes, m.seguinte, coalesce(sum(d.valor), 0)::DECIMAL(18,2) AS valor, count(d.titulo_id) AS qtde,
    CASE WHEN m.seguinte THEN coalesce((SELECT sum(l.valor) FROM prova.linhas l JOIN prova.titulos t
      ON t.titulo_id = l.titulo_id WHERE NOT l.pago AND l.classe = 'Entradas'
      AND date_trunc('month', t.data_projetada) = m.mes), 0)::DECIMAL(18,2) END AS entradas_previstas
  FROM meses m LEFT JOIN prova.dividas d ON d.mes = m.mes GROUP BY m.mes, m.seguinte),
esperados AS (
  SELECT *, 1 AS vezes, (coalesce((SELECT sum(d.valor) FROM prova.dividas d WHERE NOT d.vencido), 0)
      - sum(valor) OVER (ORDER BY mes))::DECIMAL(18,2) AS resta,
    CASE WHEN entradas_previstas > 0 THEN ((-20000 * (100 * valor)::HUGEINT + (100 * entradas_previstas)::HUGEINT)
      // (2 * (100 * entradas_previstas)::HUGEINT))::DECIMAL(18,0) * 0.01 END::DECIMAL(18,2) AS pct_das_entradas
  FROM saidas),
mostrados AS (SELECT *, count(*) OVER (PARTITION BY mes) AS vezes FROM mart.dividas_meses)
-- Iguais: esperados = mostrados por mes como strftime(mes, '%Y-%m'):
--   vezes, valor, qtde, resta, entradas_previstas, pct_das_entradas
;

-- Quantos títulos são dívida, e quantos estão na lista.
SELECT 'títulos' AS chave, (SELECT count(*) FROM prova.dividas) AS esperado,
  (SELECT coalesce(sum(qtde), 0)::BIGINT FROM mart.dividas) AS encontrado

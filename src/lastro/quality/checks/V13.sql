-- V13 · Situação da cobrança viva concorda com a do lançamento; cobranças por situação
-- Severidade: alerta
-- Relatório: R11
-- Só relações internas: os registros são comparados entre si; que Cobranças os mostra é de V12.
-- Por que importa: uma baixa esquecida mostra como devedor quem já pagou; uma cobrança esquecida cobra de novo.
-- O que fazer: dê baixa no lançamento da cobrança paga, ou cancele a cobrança do que já foi pago (Divergências, M1 e
--   M2).

-- Cada cobrança viva: se paga, seus títulos estão pagos (M1), e se um título está pago, ela também (M2). Paga e a
-- caminho do banco, antes do dia que ele anunciou, não falha: informa.
WITH situadas AS (
  SELECT c.cobranca_id, CASE
      WHEN c.paga AND c.aberta AND NOT coalesce(c.rank < 5 AND c.data_a_transferir >= p.data_base, false) THEN 'M1'
      WHEN c.rank IN (1, 2) AND c.baixada THEN 'M2' END AS falha
  FROM prova.cobrancas c CROSS JOIN prova.parametros p WHERE c.viva)
SELECT 'cobrança ' || cobranca_id AS chave,
  CASE falha WHEN 'M1' THEN 'lançamento pago' WHEN 'M2' THEN 'cobrança paga' END AS esperado,
  CASE falha WHEN 'M1' THEN 'em aberto' WHEN 'M2' THEN 'pendente' END AS encontrado
FROM situadas ORDER BY cobranca_id;

-- Quantas o serviço conta por situação. Se o filtro dele conta as canceladas não está escrito: as duas contas valem.
WITH contadas AS (
  SELECT replace(lista, 'cobrancas:status=', '') AS situacao, contagem_antes FROM prova.passadas
  WHERE starts_with(lista, 'cobrancas:status=') AND contagem_antes IS NOT NULL)
SELECT 'status ' || s.situacao AS chave, s.contagem_antes AS esperado,
  CASE WHEN s.contagem_antes = count(*) FILTER (c.recebida = s.situacao) THEN s.contagem_antes
    ELSE count(*) FILTER (c.status = s.situacao) END AS encontrado
FROM contadas s LEFT JOIN prova.cobrancas c ON s.situacao IN (c.recebida, c.status)
WHERE s.situacao IN ('agendado', 'pendente', 'cliente_pagou', 'transferindo', 'transferido')
GROUP BY s.situacao, s.contagem_antes ORDER BY chave;

-- O que a capa diz: quantas falham, por motivo; e onde nada falha, quais esperam o repasse anunciado. O valor é o de
-- seus títulos, cada um uma vez.
WITH titulos AS (
  SELECT t.cobranca_id, t.titulo_id, t.valor, CASE
      WHEN t.pago AND c.rank IN (1, 2) THEN 'pendente'
      WHEN NOT t.pago AND c.paga AND coalesce(c.rank < 5 AND c.data_a_transferir >= p.data_base, false) THEN 'repasse'
      WHEN NOT t.pago AND c.paga THEN 'aberto' END AS motivo
  FROM prova.cobrados t JOIN prova.cobrancas c ON c.cobranca_id = t.cobranca_id CROSS JOIN prova.parametros p
  WHERE c.viva),
unicos AS (
  SELECT motivo, any_value(valor) AS valor, list(cobranca_id) AS ids FROM titulos WHERE motivo IS NOT NULL
  GROUP BY motivo, titulo_id),
somas AS (
  SELECT motivo, list_sort(list_distinct(flatten(list(ids)))) AS cobrancas, len(cobrancas) = 1 AS uma,
    len(cobrancas) || ' ' || CASE motivo
      WHEN 'aberto' THEN CASE WHEN uma THEN 'cobrança paga' ELSE 'cobranças pagas' END || ' com lançamento em aberto'
      WHEN 'pendente' THEN CASE WHEN uma THEN 'lançamento pago' ELSE 'lançamentos pagos' END || ' com cobrança pendente'
      ELSE CASE WHEN uma THEN 'cobrança paga' ELSE 'cobranças pagas' END
        || ' a caminho do banco, com lançamento em aberto até o repasse anunciado'
      END || ' ({' || sum(valor)::DECIMAL(18,2) || '})' AS dito
  FROM unicos GROUP BY motivo)
SELECT '' AS detalhe, NULL AS situacao, NULL AS chave, string_agg(dito, '; ' ORDER BY motivo) AS resumo
FROM somas WHERE motivo <> 'repasse' HAVING count(*) > 0
UNION ALL
SELECT '', 'informação', 'cobrança ' || unnest(cobrancas), dito FROM somas WHERE motivo = 'repasse'

-- V32 · Meses fechados como no relatório anterior
-- Severidade: alerta
-- Relatório: R14
-- Sem comparações: sem execução anterior
-- Só relações internas: compara dois relatórios; que o de agora é o das linhas é de V04 e V08, o de antes está no
--   passado.
-- Por que importa: um mês fechado já foi entregue a sócios, bancos ou fisco; se muda, alguém precisa saber.
-- O que fazer: veja em Mudanças as linhas do mês; ou se desfazem no serviço, ou o mês se entrega de novo.

-- Resultado e caixa de cada mês fechado, antes e agora; e o que as linhas explicam da diferença, ao centavo.
SELECT strftime(mes, '%Y-%m · ') || regime || unnest(['', ' · explicado']) AS chave,
  unnest([antes, depois - antes])::DECIMAL(18,2) AS esperado, unnest([depois, explicado])::DECIMAL(18,2) AS encontrado
FROM mart.mudancas_meses ORDER BY mes, regime DESC;

-- As linhas que mudaram dentro de um mês fechado, mesmo onde se compensam.
SELECT strftime(mes, '%Y-%m · lançamento ') || linha_id AS chave, 0 AS esperado, 1 AS encontrado
FROM mart.mudancas_meses_linhas ORDER BY mes;

-- O que a capa e o Detalhe dizem; um valor entre chaves sai em reais.
WITH somas AS (
  SELECT regime, min(mes) AS desde, sum(depois - antes) AS valor FROM mart.mudancas_meses GROUP BY regime),
dito AS (
  SELECT string_agg(lower(regime) || ' {' || valor || '}', '; ' ORDER BY desde, regime DESC) AS dito FROM somas),
conta AS (SELECT count(DISTINCT mes) AS meses, count(DISTINCT linha_id) AS linhas FROM mart.mudancas_meses_linhas)
SELECT CASE WHEN mudou
      THEN meses || CASE WHEN meses = 1 THEN ' mês fechado alterado por ' ELSE ' meses fechados alterados por ' END
      || linhas || CASE WHEN linhas = 1 THEN ' linha: ' ELSE ' linhas: ' END || coalesce(dito, '')
    ELSE 'nenhum mês fechado mudou' END AS detalhe,
  CASE WHEN mudou THEN detalhe ELSE '' END AS resumo, CASE WHEN mudou THEN NULL ELSE 'ok' END AS situacao
FROM conta CROSS JOIN dito CROSS JOIN (SELECT linhas > 0 OR dito IS NOT NULL AS mudou FROM conta CROSS JOIN dito)
WHERE EXISTS (FROM mart.mudancas_ponte)

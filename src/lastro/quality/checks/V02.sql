-- V02 · Saldo inicial + implantados + quatro classes = saldo final em cada período de R01 a R05
-- Severidade: erro
-- Relatório: R02
-- Por que importa: um fluxo que não fecha com seus saldos esconde dinheiro ou o inventa.
-- O que fazer: veja o período que difere; V04 diz qual coluna está errada. Os dados sozinhos não o causam, relate-o.

-- Saldos (R01): a véspera e o dia dão o saldo; o que está a realizar dá os saldos de 7 e 30 dias.
-- Fecham: mart.saldos_por_conta onde saldo_em_d IS NOT NULL como coalesce('conta ' || conta_id, 'sem conta')
--   || ' · Saldos':
--   coalesce(saldo_em_d_1, 0) + CASE data_saldo_inicial WHEN (SELECT data_base FROM prova.parametros)
--   THEN valor_saldo_inicial ELSE 0 END + entradas_do_dia + saidas_do_dia + nao_operacional_do_dia
--   + transferencias_do_dia = saldo_em_d AS '',
--   saldo_em_d + coalesce(a_realizar_7_dias, 0) = saldo_em_d_7 AS 'D+7',
--   saldo_em_d + coalesce(a_realizar_30_dias, 0) = saldo_em_d_30 AS 'D+30'

-- Fluxo diário (R02) e semanal (R03): cada período fecha, e começa onde o anterior acabou.
-- Fecham: mart.fluxo_diario como 'dia ' || dia:
--   saldos_implantados + entradas_realizadas + saidas_realizadas + entradas_previstas + saidas_previstas
--   + nao_operacional + transferencias = liquido_do_dia AS 'líquido',
--   coalesce(saldo_inicial, 0) + liquido_do_dia = saldo_final AS 'saldo final'
-- Seguem: mart.fluxo_diario em dia como 'dia ' || dia: antes.saldo_final = saldo_inicial AS 'saldo inicial'
-- Fecham: mart.fluxo_semanal como 'semana ' || inicio:
--   saldos_implantados + entradas_realizadas + saidas_realizadas + entradas_previstas + saidas_previstas
--   + nao_operacional + transferencias = liquido_da_semana AS 'líquido',
--   coalesce(saldo_inicial, 0) + liquido_da_semana = saldo_final AS 'saldo final'
-- Seguem: mart.fluxo_semanal em inicio como 'semana ' || inicio: antes.saldo_final = saldo_inicial AS 'saldo inicial'

-- Fluxo diário por conta: cada dia fecha e segue o anterior; onde o controle começa, o que estava previsto para antes
-- conta de uma vez (S7), e o saldo é o de todos os movimentos até ali.
WITH vesperas AS (
  SELECT c.conta_id, c.inicio, v.de, coalesce(sum(m.valor) FILTER (m.dia < v.de), 0) AS saldo,
    sum(m.valor) FILTER (m.dia <= c.inicio) AS no_inicio
  FROM prova.contas c CROSS JOIN (SELECT min(dia) AS de FROM mart.fluxo_diario_contas) v
  LEFT JOIN prova.movimentos m ON m.conta_id IS NOT DISTINCT FROM c.conta_id GROUP BY ALL),
seguidos AS (
  SELECT f.*, v.inicio, v.no_inicio,
    CASE WHEN f.dia > v.de THEN lag(f.saldo_final) OVER (PARTITION BY f.conta_id ORDER BY f.dia)
      WHEN v.inicio IS NULL OR v.inicio < v.de THEN v.saldo END AS anterior
  FROM mart.fluxo_diario_contas f JOIN vesperas v ON v.conta_id IS NOT DISTINCT FROM f.conta_id)
-- Fecham: seguidos como coalesce('conta ' || conta_id, 'sem conta') || ' · ' || dia:
--   saldos_implantados + entradas_realizadas + saidas_realizadas + entradas_previstas + saidas_previstas
--   + nao_operacional + transferencias = liquido_do_dia AS 'líquido', anterior = saldo_inicial AS 'saldo inicial',
--   CASE WHEN saldo_inicial IS NOT NULL THEN saldo_inicial + liquido_do_dia WHEN inicio <= dia THEN no_inicio END
--   = saldo_final AS 'saldo final'

-- As contas somam o dia de todas, e cada dia tem todas as contas.
-- Somam: mart.fluxo_diario = mart.fluxo_diario_contas por dia como 'contas · dia ' || dia:
--   saldos_implantados, entradas_realizadas, saidas_realizadas, entradas_previstas, saidas_previstas, nao_operacional,
--   transferencias, (SELECT count(*) FROM prova.contas) = 1 AS 'contas'

-- Fluxo mensal (R04): cada coluna fecha, e começa no saldo de todos os movimentos até a véspera, ou até a data-base.
WITH colunas AS (
  PIVOT (SELECT mes, momento, linha, valor FROM mart.fluxo_mensal WHERE nivel = 0)
  ON linha IN ('saldo_inicial', 'saldos_implantados', 'entradas', 'saidas', 'fluxo_operacional', 'nao_operacional',
    'geracao_de_caixa', 'transferencias', 'saldo_final') USING sum(valor) GROUP BY mes, momento),
saldos AS (
  SELECT c.*, coalesce(sum(f.valor), 0) AS antes FROM colunas c LEFT JOIN prova.fluxo f
    ON CASE WHEN c.momento = 'a_realizar' THEN f.momento = 'realizado' ELSE f.mes < c.mes END GROUP BY ALL)
-- Fecham: saldos como strftime(mes, 'Fluxo mensal · %Y-%m ') || momento:
--   coalesce(saldo_inicial, 0) + saldos_implantados + entradas + saidas + nao_operacional + transferencias
--   = saldo_final AS 'saldo final', entradas + saidas = fluxo_operacional AS 'fluxo operacional',
--   entradas + saidas + nao_operacional = geracao_de_caixa AS 'geração de caixa', antes = saldo_inicial
--   AS 'saldo inicial'

-- A coluna Total de R04: os fluxos de todos os meses, o primeiro saldo inicial, o último saldo final.
WITH somados AS (
  SELECT linha, nivel, categoria_id, categoria,
    CASE linha WHEN 'saldo_inicial' THEN arg_min(valor, (mes, momento = 'a_realizar'))
      WHEN 'saldo_final' THEN arg_max(valor, (mes, momento = 'a_realizar')) ELSE sum(valor) END AS valor
  FROM mart.fluxo_mensal GROUP BY linha, nivel, categoria_id, categoria)
-- Somam: somados = mart.fluxo_mensal_total por linha, nivel, categoria_id, categoria
--   como 'Fluxo mensal · total · ' || linha || ' · ' || categoria: valor = total AS '', vezes

-- Fluxo por conta (R05): cada coluna fecha e começa no saldo da conta; não precisa fechar antes de um controle futuro
-- (S7).
WITH saldos AS (
  SELECT f.*, coalesce(sum(m.valor), 0) AS antes,
    coalesce(c.inicio <= CASE WHEN f.momento = 'a_realizar' THEN p.data_base ELSE f.mes - 1 END, true) AS definido
  FROM mart.fluxo_por_conta f CROSS JOIN prova.parametros p
  JOIN prova.contas c ON c.conta_id IS NOT DISTINCT FROM f.conta_id AND NOT coalesce(c.inicio > p.data_base, false)
  LEFT JOIN prova.fluxo m ON m.conta_id IS NOT DISTINCT FROM f.conta_id
    AND CASE WHEN f.momento = 'a_realizar' THEN m.momento = 'realizado' ELSE m.mes < f.mes END
  GROUP BY ALL)
-- Fecham: saldos como coalesce('conta ' || conta_id, 'sem conta') || strftime(mes, ' · %Y-%m ') || momento:
--   CASE WHEN saldo_final IS NOT NULL THEN coalesce(saldo_inicial, 0) + saldos_implantados + entradas + saidas
--   + nao_operacional + transf_recebidas + transf_enviadas END = saldo_final AS 'saldo final',
--   CASE WHEN definido THEN antes END = saldo_inicial AS 'saldo inicial'

-- O Consolidado de R05: os movimentos somam as contas; os saldos são os do Fluxo mensal, também antes do controle de
-- uma conta (S7).
-- Somam: mart.fluxo_por_conta = mart.fluxo_por_conta_total por mes, momento
--   como strftime(mes, 'Consolidado · %Y-%m ') || momento:
--   saldos_implantados, entradas, saidas, nao_operacional, transf_recebidas, transf_enviadas
WITH saldos AS (
  PIVOT (SELECT mes, momento, linha, valor FROM mart.fluxo_mensal WHERE nivel = 0)
  ON linha IN ('saldo_inicial', 'saldo_final') USING sum(valor) GROUP BY mes, momento)
-- Somam: saldos = mart.fluxo_por_conta_total por mes, momento como strftime(mes, 'Consolidado · %Y-%m ') || momento:
--   saldo_inicial, saldo_final, vezes

-- Outras hipóteses partem do saldo contratual, que é o do fluxo, e somam a diferença que dizem; o fluxo tem uma coluna
-- para cada uma, chamada pelo código dela, e cada dia ou semana a partir da data-base as tem todas.
WITH colunas AS (
  SELECT 'fluxo_diario' AS fluxo, * FROM (UNPIVOT (SELECT dia, COLUMNS(* EXCLUDE (dia, dia_da_semana, dia_util, tipo,
    saldo_inicial, saldos_implantados, entradas_realizadas, saidas_realizadas, entradas_previstas, saidas_previstas,
    nao_operacional, transferencias, liquido_do_dia, alerta))::DECIMAL(18,2) FROM mart.fluxo_diario)
    ON COLUMNS(* EXCLUDE dia) INTO NAME codigo VALUE saldo) WHERE codigo <> 'so_variacao'
  UNION ALL
  SELECT 'fluxo_semanal', * FROM (UNPIVOT (SELECT fim, COLUMNS(* EXCLUDE (inicio, fim, ano_iso, semana_iso, semana,
    tipo, saldo_inicial, saldos_implantados, entradas_realizadas, saidas_realizadas, entradas_previstas,
    saidas_previstas, nao_operacional, transferencias, liquido_da_semana, alerta))::DECIMAL(18,2)
    FROM mart.fluxo_semanal) ON COLUMNS(* EXCLUDE fim) INTO NAME codigo VALUE saldo) WHERE codigo <> 'so_variacao'),
esperados AS (
  SELECT f.fluxo, f.dia, c.codigo, f.saldo AS contratual, c.saldo
  FROM colunas f CROSS JOIN prova.parametros JOIN colunas c ON c.fluxo = f.fluxo AND c.dia = f.dia
  WHERE f.codigo = 'saldo_final' AND c.codigo <> 'saldo_final' AND f.dia >= data_base),
cenarios AS (
  SELECT 'fluxo_diario' AS fluxo, * FROM mart.fluxo_diario_cenarios
  UNION ALL BY NAME SELECT 'fluxo_semanal' AS fluxo, fim AS dia, * FROM mart.fluxo_semanal_cenarios)
-- Somam: esperados = cenarios por fluxo, codigo, dia como fluxo || ' cenários · ' || codigo || ' · ' || dia:
--   contratual = saldo_contratual AS 'contratual', saldo = saldo_final AS 'coluna',
--   saldo = saldo_contratual + diferenca AS 'saldo', vezes
WITH nomes AS (
  SELECT codigo, cenario FROM mart.fluxo_diario_cenarios UNION SELECT codigo, cenario FROM mart.fluxo_semanal_cenarios)
-- Uma vez: nomes por codigo como 'cenários · nomes'
WITH esperados AS (
  SELECT f.mes, f.momento, f.valor, c.cenario
  FROM mart.fluxo_mensal f CROSS JOIN (SELECT DISTINCT cenario FROM mart.fluxo_mensal_cenarios) c
  WHERE f.linha = 'saldo_final' AND f.nivel = 0 AND f.momento <> 'realizado')
-- Somam: esperados = mart.fluxo_mensal_cenarios por cenario, mes, momento
--   como 'fluxo_mensal cenários · ' || cenario || strftime(mes, ' · %Y-%m ') || momento:
--   valor = saldo_contratual AS 'contratual', vezes
-- Fecham: mart.fluxo_mensal_cenarios
--   como 'fluxo_mensal cenários · ' || cenario || strftime(mes, ' · %Y-%m ') || momento:
--   saldo_contratual + diferenca = saldo_final AS 'saldo'

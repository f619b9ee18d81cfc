-- V02 · Saldo inicial + implantados + quatro classes = saldo final em cada período de R01 a R05
-- Severidade: erro
-- Relatório: R02
-- Julga: o que os relatórios mostram
-- Por que importa: um fluxo que não fecha com seus saldos esconde dinheiro ou o inventa.
-- O que fazer: veja o período que difere; V04 diz qual coluna está errada. Os dados sozinhos não o causam, relate-o.

-- Saldos (R01): a véspera e o dia dão o saldo; o que está a realizar dá os saldos de 7 e 30 dias.
SELECT coalesce('conta ' || conta_id, 'sem conta') || ' · Saldos' || unnest(['', ' · D+7', ' · D+30']) AS chave,
  unnest([
    coalesce(saldo_em_d_1, 0) + CASE WHEN data_saldo_inicial = data_base THEN valor_saldo_inicial ELSE 0 END
      + entradas_do_dia + saidas_do_dia + nao_operacional_do_dia + transferencias_do_dia,
    saldo_em_d + coalesce(a_realizar_7_dias, 0),
    saldo_em_d + coalesce(a_realizar_30_dias, 0)])::DECIMAL(18,2) AS esperado,
  unnest([saldo_em_d, saldo_em_d_7, saldo_em_d_30])::DECIMAL(18,2) AS encontrado
FROM mart.saldos_por_conta CROSS JOIN prova.parametros WHERE saldo_em_d IS NOT NULL ORDER BY conta_id;

-- Fluxo diário (R02) e semanal (R03): cada período fecha, e começa onde o anterior acabou.
WITH periodos AS (
  SELECT 'dia ' || dia AS chave, dia AS de, 1 AS dias, saldo_inicial, saldo_final, liquido_do_dia AS liquido,
    saldos_implantados + entradas_realizadas + saidas_realizadas + entradas_previstas + saidas_previstas
      + nao_operacional + transferencias AS soma
  FROM mart.fluxo_diario
  UNION ALL
  SELECT 'semana ' || inicio, inicio, 7, saldo_inicial, saldo_final, liquido_da_semana,
    saldos_implantados + entradas_realizadas + saidas_realizadas + entradas_previstas + saidas_previstas
      + nao_operacional + transferencias
  FROM mart.fluxo_semanal),
seguidos AS (
  SELECT *, coalesce(lag(saldo_final) OVER (PARTITION BY dias ORDER BY de), saldo_inicial) AS anterior FROM periodos)
SELECT chave || unnest([' · líquido', ' · saldo final', ' · saldo inicial']) AS chave,
  unnest([soma, coalesce(saldo_inicial, 0) + soma, anterior])::DECIMAL(18,2) AS esperado,
  unnest([liquido, saldo_final, saldo_inicial])::DECIMAL(18,2) AS encontrado
FROM seguidos ORDER BY dias, de;

-- Fluxo diário por conta: cada dia fecha e segue o anterior; onde o controle começa, o que estava previsto para antes
-- conta de uma vez (S7), e o saldo é o de todos os movimentos até ali.
WITH vesperas AS (
  SELECT c.conta_id, c.inicio, v.de,
    CASE WHEN c.inicio IS NULL THEN c.abertura ELSE 0 END
      + coalesce(sum(m.valor) FILTER (m.dia < v.de), 0) AS saldo
  FROM prova.contas c CROSS JOIN (SELECT min(dia) AS de FROM mart.fluxo_diario_contas) v
  LEFT JOIN prova.movimentos m ON m.conta_id IS NOT DISTINCT FROM c.conta_id
  GROUP BY c.conta_id, c.inicio, c.abertura, v.de),
inicios AS (
  SELECT c.conta_id, sum(m.valor) AS saldo FROM prova.contas c
  JOIN prova.movimentos m ON m.conta_id IS NOT DISTINCT FROM c.conta_id AND m.dia <= c.inicio GROUP BY c.conta_id),
seguidos AS (
  SELECT f.*, v.inicio, i.saldo AS no_inicio,
    f.saldos_implantados + f.entradas_realizadas + f.saidas_realizadas + f.entradas_previstas + f.saidas_previstas
      + f.nao_operacional + f.transferencias AS soma,
    CASE WHEN f.dia > v.de THEN lag(f.saldo_final) OVER (PARTITION BY f.conta_id ORDER BY f.dia)
      WHEN v.inicio IS NULL OR v.inicio < v.de THEN v.saldo END AS anterior
  FROM mart.fluxo_diario_contas f JOIN vesperas v ON v.conta_id IS NOT DISTINCT FROM f.conta_id
  LEFT JOIN inicios i ON i.conta_id IS NOT DISTINCT FROM f.conta_id)
SELECT coalesce('conta ' || conta_id, 'sem conta') || ' · ' || dia
    || unnest([' · líquido', ' · saldo inicial', ' · saldo final']) AS chave,
  unnest([soma, anterior, CASE WHEN saldo_inicial IS NOT NULL THEN saldo_inicial + liquido_do_dia
    WHEN inicio <= dia THEN no_inicio END])::DECIMAL(18,2) AS esperado,
  unnest([liquido_do_dia, saldo_inicial, saldo_final])::DECIMAL(18,2) AS encontrado
FROM seguidos ORDER BY conta_id, dia;

-- As contas somam o dia de todas, e cada dia tem todas as contas.
WITH contas AS (
  SELECT dia, count(*) AS contas, sum(saldos_implantados) AS a, sum(entradas_realizadas) AS b,
    sum(saidas_realizadas) AS c, sum(entradas_previstas) AS d, sum(saidas_previstas) AS e, sum(nao_operacional) AS f,
    sum(transferencias) AS g
  FROM mart.fluxo_diario_contas GROUP BY dia)
SELECT 'contas · dia ' || dia || unnest([' · saldos_implantados', ' · entradas_realizadas', ' · saidas_realizadas',
    ' · entradas_previstas', ' · saidas_previstas', ' · nao_operacional', ' · transferencias', ' · contas']) AS chave,
  unnest([t.saldos_implantados, t.entradas_realizadas, t.saidas_realizadas, t.entradas_previstas, t.saidas_previstas,
    t.nao_operacional, t.transferencias, (SELECT count(*) FROM prova.contas)])::DECIMAL(18,2) AS esperado,
  coalesce(unnest([a, b, c, d, e, f, g, contas]), 0)::DECIMAL(18,2) AS encontrado
FROM mart.fluxo_diario t FULL JOIN contas USING (dia) ORDER BY dia;

-- Fluxo mensal (R04): cada coluna fecha, e começa no saldo de todos os movimentos até a véspera, ou até a data-base.
WITH colunas AS (
  SELECT mes, momento,
    sum(valor) FILTER (linha = 'saldo_inicial') AS inicial,
    coalesce(sum(valor) FILTER (linha IN ('entradas', 'saidas')), 0) AS operacional,
    coalesce(sum(valor) FILTER (linha = 'nao_operacional'), 0) AS fora,
    coalesce(sum(valor) FILTER (linha IN ('saldos_implantados', 'transferencias')), 0) AS resto,
    sum(valor) FILTER (linha = 'fluxo_operacional') AS fluxo,
    sum(valor) FILTER (linha = 'geracao_de_caixa') AS geracao,
    sum(valor) FILTER (linha = 'saldo_final') AS final
  FROM mart.fluxo_mensal WHERE nivel = 0 GROUP BY ALL),
saldos AS (
  SELECT c.mes, c.momento,
    (SELECT coalesce(sum(abertura), 0) FROM prova.contas WHERE inicio IS NULL) + coalesce(sum(f.valor), 0) AS saldo
  FROM colunas c LEFT JOIN (SELECT mes, momento, sum(valor) AS valor FROM prova.fluxo GROUP BY ALL) f
    ON CASE WHEN c.momento = 'a_realizar' THEN f.momento = 'realizado' ELSE f.mes < c.mes END
  GROUP BY c.mes, c.momento)
SELECT strftime(c.mes, 'Fluxo mensal · %Y-%m ') || c.momento
    || unnest([' · saldo final', ' · fluxo operacional', ' · geração de caixa', ' · saldo inicial']) AS chave,
  unnest([coalesce(inicial, 0) + operacional + fora + resto, operacional, operacional + fora, saldo])::DECIMAL(18,2)
    AS esperado,
  unnest([final, fluxo, geracao, inicial])::DECIMAL(18,2) AS encontrado
FROM colunas c JOIN saldos s ON s.mes = c.mes AND s.momento = c.momento ORDER BY c.mes, c.momento;

-- A coluna Total de R04: os fluxos de todos os meses, o primeiro saldo inicial, o último saldo final.
WITH somados AS (
  SELECT linha, nivel, categoria_id, categoria,
    CASE linha WHEN 'saldo_inicial' THEN arg_min(valor, (mes, momento = 'a_realizar'))
      WHEN 'saldo_final' THEN arg_max(valor, (mes, momento = 'a_realizar')) ELSE sum(valor) END AS valor
  FROM mart.fluxo_mensal GROUP BY linha, nivel, categoria_id, categoria)
SELECT 'Fluxo mensal · total · ' || coalesce(s.linha, t.linha) || ' · ' || coalesce(s.categoria, t.categoria) AS chave,
  s.valor::DECIMAL(18,2) AS esperado, t.total::DECIMAL(18,2) AS encontrado
FROM somados s FULL JOIN mart.fluxo_mensal_total t ON t.linha = s.linha AND t.nivel = s.nivel
  AND t.categoria_id IS NOT DISTINCT FROM s.categoria_id AND t.categoria = s.categoria;
SELECT 'Fluxo mensal · linhas do total' AS chave, count(DISTINCT (linha, nivel, categoria_id, categoria)) AS esperado,
  (SELECT count(*) FROM mart.fluxo_mensal_total) AS encontrado
FROM mart.fluxo_mensal;

-- Fluxo por conta (R05): cada coluna fecha e começa no saldo da conta; não precisa fechar antes de um controle futuro
-- (S7).
WITH saldos AS (
  SELECT f.conta_id, f.mes, f.momento,
    CASE WHEN c.inicio IS NULL THEN c.abertura ELSE 0 END + coalesce(sum(m.valor), 0) AS saldo,
    coalesce(c.inicio <= CASE WHEN f.momento = 'a_realizar' THEN p.data_base ELSE f.mes - 1 END, true) AS definido
  FROM mart.fluxo_por_conta f CROSS JOIN prova.parametros p
  JOIN prova.contas c ON c.conta_id IS NOT DISTINCT FROM f.conta_id AND NOT coalesce(c.inicio > p.data_base, false)
  LEFT JOIN (SELECT conta_id, mes, momento, sum(valor) AS valor FROM prova.fluxo GROUP BY ALL) m
    ON m.conta_id IS NOT DISTINCT FROM f.conta_id
    AND CASE WHEN f.momento = 'a_realizar' THEN m.momento = 'realizado' ELSE m.mes < f.mes END
  GROUP BY f.conta_id, f.mes, f.momento, c.inicio, c.abertura, p.data_base)
SELECT coalesce('conta ' || f.conta_id, 'sem conta') || strftime(f.mes, ' · %Y-%m ') || f.momento
    || unnest([' · saldo final', ' · saldo inicial']) AS chave,
  unnest([
    CASE WHEN f.saldo_final IS NOT NULL THEN coalesce(f.saldo_inicial, 0) + f.saldos_implantados + f.entradas + f.saidas
      + f.nao_operacional + f.transf_recebidas + f.transf_enviadas END,
    CASE WHEN s.definido THEN s.saldo END])::DECIMAL(18,2) AS esperado,
  unnest([f.saldo_final, f.saldo_inicial])::DECIMAL(18,2) AS encontrado
FROM mart.fluxo_por_conta f JOIN saldos s
  ON s.conta_id IS NOT DISTINCT FROM f.conta_id AND s.mes = f.mes AND s.momento = f.momento
ORDER BY f.conta_id, f.mes;

-- O Consolidado de R05: os movimentos somam as contas; os saldos são os do Fluxo mensal, também antes do controle de
-- uma conta (S7).
WITH contas AS (
  SELECT mes, momento, sum(saldos_implantados) AS a, sum(entradas) AS b, sum(saidas) AS c, sum(nao_operacional) AS d,
    sum(transf_recebidas) AS e, sum(transf_enviadas) AS f FROM mart.fluxo_por_conta GROUP BY ALL),
saldos AS (
  SELECT mes, momento, sum(valor) FILTER (linha = 'saldo_inicial') AS inicial,
    sum(valor) FILTER (linha = 'saldo_final') AS final
  FROM mart.fluxo_mensal WHERE nivel = 0 GROUP BY ALL),
mostrado AS (SELECT *, count(*) OVER (PARTITION BY mes, momento) AS vezes FROM mart.fluxo_por_conta_total)
SELECT strftime(mes, 'Consolidado · %Y-%m ') || momento || ' · ' || unnest(['saldo_inicial', 'saldos_implantados',
    'entradas', 'saidas', 'nao_operacional', 'transf_recebidas', 'transf_enviadas', 'saldo_final', 'vezes']) AS chave,
  unnest([s.inicial, coalesce(a, 0), coalesce(b, 0), coalesce(c, 0), coalesce(d, 0), coalesce(e, 0), coalesce(f, 0),
    s.final, 1])::DECIMAL(18,2) AS esperado,
  unnest([t.saldo_inicial, t.saldos_implantados, t.entradas, t.saidas, t.nao_operacional, t.transf_recebidas,
    t.transf_enviadas, t.saldo_final, coalesce(t.vezes, 0)])::DECIMAL(18,2) AS encontrado
FROM saldos s FULL JOIN mostrado t USING (mes, momento) LEFT JOIN contas USING (mes, momento) ORDER BY mes, momento;

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
cenarios AS (
  SELECT *, count(*) OVER (PARTITION BY fluxo, dia, codigo) AS vezes,
    mode(cenario) OVER (PARTITION BY codigo) = cenario AS mesmo_nome FROM (
    SELECT 'fluxo_diario' AS fluxo, dia, codigo, cenario, saldo_contratual, diferenca, saldo_final
    FROM mart.fluxo_diario_cenarios
    UNION ALL
    SELECT 'fluxo_semanal', fim, codigo, cenario, saldo_contratual, diferenca, saldo_final
    FROM mart.fluxo_semanal_cenarios)),
esperados AS (
  SELECT f.fluxo, f.dia, c.codigo, c.saldo, f.saldo AS contratual
  FROM colunas f CROSS JOIN prova.parametros JOIN (SELECT DISTINCT fluxo, codigo FROM colunas) x ON x.fluxo = f.fluxo
  LEFT JOIN colunas c ON c.fluxo = x.fluxo AND c.codigo = x.codigo AND c.dia = f.dia
  WHERE f.codigo = 'saldo_final' AND x.codigo <> 'saldo_final' AND f.dia >= data_base)
SELECT fluxo || ' cenários · ' || codigo || ' · ' || dia
    || unnest([' · contratual', ' · saldo', ' · coluna', ' · vezes']) AS chave,
  unnest([e.contratual, c.saldo_contratual + c.diferenca, e.saldo, 1])::DECIMAL(18,2) AS esperado,
  unnest([c.saldo_contratual, c.saldo_final, c.saldo_final,
    CASE WHEN c.mesmo_nome THEN c.vezes ELSE 0 END])::DECIMAL(18,2) AS encontrado
FROM esperados e FULL JOIN cenarios c USING (fluxo, dia, codigo);
WITH finais AS (SELECT mes, momento, valor FROM mart.fluxo_mensal WHERE linha = 'saldo_final' AND nivel = 0),
esperados AS (
  SELECT * FROM finais CROSS JOIN (SELECT DISTINCT cenario FROM mart.fluxo_mensal_cenarios)
  WHERE momento <> 'realizado'),
cenarios AS (SELECT *, count(*) OVER (PARTITION BY cenario, mes, momento) AS vezes FROM mart.fluxo_mensal_cenarios)
SELECT 'fluxo_mensal cenários · ' || cenario || strftime(mes, ' · %Y-%m ') || momento
    || unnest([' · contratual', ' · saldo', ' · vezes']) AS chave,
  unnest([f.valor, c.saldo_contratual + c.diferenca, 1])::DECIMAL(18,2) AS esperado,
  unnest([c.saldo_contratual, c.saldo_final, coalesce(c.vezes, 0)])::DECIMAL(18,2) AS encontrado
FROM esperados f FULL JOIN cenarios c USING (cenario, mes, momento)

-- V41 · A capa concorda com os registros
-- Severidade: erro
-- Relatório: R00
-- Julga: o que a capa mostra
-- Por que importa: a capa é o que se lê primeiro, e muitas vezes só; o que ela pede para hoje, alguém faz.
-- O que fazer: não use a figura que difere; as outras planilhas a têm, e foram conferidas antes. Os dados sozinhos não
--   o causam: relate-o.

-- Os indicadores, somados de novo: os saldos (S7), o que está em aberto e o vencido por lado (S8), a carteira (R10), as
-- cobranças (S12), receita e resultado até o dia (S4, S5). O total é o saldo atual.
WITH saldos AS (
  SELECT coalesce(sum(abertura) FILTER (inicio IS NULL OR inicio <= data_base), 0)
      + coalesce((SELECT sum(valor) FROM prova.linhas WHERE caixa), 0) AS atual,
    coalesce(sum(abertura) FILTER (inicio IS NULL), 0)
      + coalesce((SELECT sum(m.valor) FROM prova.movimentos m, prova.parametros d WHERE m.dia < d.data_base), 0)
      AS ontem,
    (SELECT sum(f.valor) FROM prova.fluxo f, prova.parametros d
      WHERE f.mes = d.mes AND f.momento = 'realizado' AND f.linha IN ('Entradas', 'Saídas')) AS operacional
  FROM prova.contas CROSS JOIN prova.parametros),
lados AS (
  SELECT lower(l.lado) AS lado, sum(valor) FILTER (vencido) AS vencido,
    sum(valor) FILTER (vencido AND carencia) AS carencia, sum(valor) FILTER (vencido AND NOT carencia) AS efetivo,
    sum(valor) FILTER (NOT vencido AND projetada = data_base) AS hoje,
    sum(valor) FILTER (NOT vencido AND projetada BETWEEN data_base AND data_base + 7) AS semana,
    sum(valor) FILTER (NOT vencido AND projetada BETWEEN data_base AND data_base + 30) AS mes
  FROM (SELECT unnest(['Receber', 'Pagar']) AS lado) l CROSS JOIN prova.parametros
  LEFT JOIN prova.abertos a ON a.lado = l.lado GROUP BY ALL),
nuas AS (
  SELECT count(*) FILTER (vencido) AS qtde_vencida, sum(valor) FILTER (vencido) AS vencida,
    count(*) FILTER (NOT vencido) AS qtde_a_vencer, sum(valor) FILTER (NOT vencido) AS a_vencer
  FROM prova.abertos CROSS JOIN prova.parametros
  WHERE lado = 'Receber' AND NOT fora AND (vencido OR projetada <= data_base + 7)
    AND titulo_id NOT IN (SELECT titulo_id FROM prova.cobrados WHERE vivas > 0)),
pagas AS (
  SELECT count(DISTINCT t.cobranca_id) AS qtde FROM prova.cobrados t JOIN prova.cobrancas c USING (cobranca_id)
  WHERE c.viva AND c.paga AND NOT t.pago),
abertas AS (
  SELECT sum(valor) AS valor FROM prova.titulos WHERE NOT pago AND titulo_id IN (
    SELECT t.titulo_id FROM prova.cobrados t JOIN prova.cobrancas c USING (cobranca_id) WHERE c.viva AND c.paga)),
janelas AS (
  SELECT ['', '_mes_anterior', '_ano_anterior'][n] AS nome,
    (data_base - to_months([0, 1, 12][n]))::DATE AS fim
  FROM prova.parametros CROSS JOIN (SELECT unnest([1, 2, 3]) AS n)),
ate_o_dia AS (
  SELECT j.nome, sum(l.valor) AS resultado, sum(l.valor) FILTER (l.natureza = 'R') AS receita
  FROM janelas j LEFT JOIN prova.linhas l ON NOT l.transferencia AND NOT l.fora
    AND l.competencia BETWEEN date_trunc('month', j.fim)::DATE AND j.fim GROUP BY ALL),
esperados AS (
  SELECT unnest(['saldo_atual', 'saldo_ontem', 'fluxo_operacional_mes']) AS kpi,
    unnest([atual, ontem, coalesce(operacional, 0)]) AS valor FROM saldos
  UNION ALL
  SELECT unnest(['vencido_a_' || lado, 'em_carencia_a_' || lado, 'vencido_efetivo_a_' || lado, 'a_' || lado || '_hoje',
    'a_' || lado || '_7', 'a_' || lado || '_30']),
    coalesce(unnest([vencido, carencia, efetivo, hoje, semana, mes]), 0) FROM lados
  UNION ALL
  SELECT unnest(['sem_cobranca_vencidos_qtde', 'sem_cobranca_vencidos_valor', 'sem_cobranca_7_dias_qtde',
    'sem_cobranca_7_dias_valor']), coalesce(unnest([qtde_vencida, vencida, qtde_a_vencer, a_vencer]), 0) FROM nuas
  UNION ALL SELECT 'cobrancas_pagas_em_aberto_qtde', qtde FROM pagas
  UNION ALL SELECT 'cobrancas_pagas_em_aberto_valor', coalesce(valor, 0) FROM abertas
  UNION ALL
  SELECT unnest(['resultado_ate_dia' || nome, 'receita_ate_dia' || nome]),
    coalesce(unnest([resultado, receita]), 0) FROM ate_o_dia
  UNION ALL
  SELECT CASE indice WHEN 'vencida' THEN 'pct_carteira_vencida' ELSE 'inadimplencia_90' END, pct
  FROM prova.carteira WHERE indice <> 'ajustada'
  UNION ALL
  SELECT 'em_transito', coalesce(sum(liquido), 0) FROM prova.cobrancas WHERE viva AND rank IN (3, 4)),
mostrados AS (
  SELECT CASE WHEN kpi IN ('em_transito_no_saldo', 'em_transito_fora') THEN 'em_transito' ELSE kpi END AS kpi,
    sum(valor) AS valor
  FROM mart.resumo GROUP BY ALL)
SELECT 'Resumo · ' || kpi AS chave, e.valor::DECIMAL(18,2) AS esperado, m.valor::DECIMAL(18,2) AS encontrado
FROM esperados e LEFT JOIN mostrados m USING (kpi)
UNION ALL
SELECT 'total', atual::DECIMAL(18,2), (SELECT sum(valor) FROM mart.resumo WHERE kpi = 'saldo_atual')::DECIMAL(18,2)
FROM saldos ORDER BY chave;

-- O que a capa tira de outras planilhas: os prazos médios (R12) e o menor saldo contratual (R01).
SELECT 'Resumo · ' || kpi AS chave, esperado,
  (SELECT sum(valor) FROM mart.resumo r WHERE r.kpi = e.kpi)::DECIMAL(18,2) AS encontrado
FROM (
  SELECT CASE codigo WHEN 'pmp' THEN 'pmp_fornecedores' ELSE codigo END AS kpi, dias::DECIMAL(18,2) AS esperado
  FROM mart.pessoas_prazos WHERE codigo IN ('pmr', 'pmp', 'dias_de_caixa')
  UNION ALL
  SELECT 'menor_saldo_contratual', menor_saldo_projetado::DECIMAL(18,2) FROM mart.saldos_por_conta_total
  WHERE codigo = 'total') e
ORDER BY chave;

-- FAZER HOJE: a quem ligar (F1: 80 % do vencido sem carência, dez pessoas no máximo), o que cobrar (F2) e o que baixar
-- (F4) são os títulos que os registros dizem, e F5 tem ao menos o vencido; do que vale fazer_minimo ou mais, o maior
-- valor primeiro.
WITH devidos AS (
  SELECT pessoa_id, sum(valor) AS valor FROM prova.abertos
  WHERE lado = 'Receber' AND vencido AND NOT carencia AND NOT fora GROUP BY ALL),
ordenados AS (
  SELECT valor, sum(valor) OVER (ORDER BY valor DESC, pessoa_id ROWS UNBOUNDED PRECEDING) - valor AS antes,
    sum(valor) OVER () AS todos, row_number() OVER (ORDER BY valor DESC, pessoa_id) AS lugar FROM devidos),
tarefas AS (
  SELECT 'F1' AS regra, count(*) AS qtde, sum(valor) AS valor FROM ordenados
  WHERE lugar <= 10 AND 100 * antes < 80 * todos
  UNION ALL
  SELECT 'F2', count(*), sum(valor) FROM prova.abertos CROSS JOIN prova.parametros
  WHERE lado = 'Receber' AND NOT fora AND (vencido OR projetada <= data_base + 7)
    AND titulo_id NOT IN (SELECT titulo_id FROM prova.cobrados WHERE vivas > 0)
  UNION ALL
  SELECT 'F4', count(*), abs(sum(valor)) FROM prova.titulos WHERE NOT pago AND titulo_id IN (
    SELECT t.titulo_id FROM prova.parametros CROSS JOIN prova.cobrados t JOIN prova.cobrancas c USING (cobranca_id)
    WHERE c.viva AND c.paga AND NOT coalesce(c.rank < 5 AND c.data_a_transferir >= data_base, false))
  UNION ALL
  SELECT 'F5', count(*), abs(sum(valor)) FROM prova.abertos WHERE lado = 'Pagar' AND vencido AND NOT carencia),
pedidas AS (SELECT t.* FROM tarefas t JOIN prova.parametros p ON t.qtde > 0 AND t.valor >= p.fazer_minimo),
mostradas AS (
  SELECT f.*, p.fazer_minimo, row_number() OVER (ORDER BY f.valor DESC, f.regra) AS lugar,
    count(*) OVER (PARTITION BY f.regra) AS vezes FROM mart.fazer_hoje f CROSS JOIN prova.parametros p)
SELECT 'Fazer hoje · ' || regra || unnest(['', ' · qtde']) AS chave,
  unnest([t.valor, t.qtde])::DECIMAL(18,2) AS esperado,
  unnest([CASE WHEN regra = 'F5' AND m.valor > t.valor THEN t.valor ELSE m.valor END,
    CASE WHEN regra = 'F5' AND m.qtde > t.qtde THEN t.qtde ELSE m.qtde END])::DECIMAL(18,2) AS encontrado
FROM pedidas t FULL JOIN (FROM mostradas WHERE regra IN ('F1', 'F2', 'F4', 'F5')) m USING (regra)
WHERE regra <> 'F5' OR t.regra IS NOT NULL
UNION ALL
SELECT 'Fazer hoje · ' || coalesce(regra, 'sem regra')
    || unnest([' · ordem', ' · vezes', ' · mínimo', ' · pelo menos um']),
  unnest([lugar, CASE WHEN regra IN ('F1', 'F2', 'F3', 'F4', 'F5', 'F6') THEN 1 ELSE 0 END, fazer_minimo, 1]),
  unnest([ordem, vezes, least(valor, fazer_minimo), least(qtde, 1)])
FROM mostradas ORDER BY chave;

-- F3 e F6 são os registros dos achados (R15): Q33; Q01, Q21 e Q34.
WITH tarefas AS (
  SELECT CASE WHEN regra = 'Q33' THEN 'F3' ELSE 'F6' END AS tarefa, coalesce(sum(abs(valor)), 0) AS valor
  FROM mart.achados_itens WHERE regra IN ('Q01', 'Q21', 'Q33', 'Q34') GROUP BY ALL)
SELECT 'Fazer hoje · ' || coalesce(tarefa, regra) AS chave, t.valor::DECIMAL(18,2) AS esperado,
  m.valor::DECIMAL(18,2) AS encontrado
FROM (SELECT t.* FROM tarefas t JOIN prova.parametros p ON t.valor >= p.fazer_minimo) t
FULL JOIN (FROM mart.fazer_hoje WHERE regra IN ('F3', 'F6')) m ON m.regra = t.tarefa
ORDER BY chave;

-- A tendência termina nos indicadores deste relatório, cada um uma vez, e seus dias estão em ordem; a variação é a do
-- relatório anterior.
WITH indicadores AS (SELECT *, count(*) OVER (PARTITION BY kpi) AS vezes FROM mart.resumo),
ultimo AS (
  SELECT t.kpi, any_value(t.valor) AS valor, count(*) AS vezes FROM mart.kpis_tendencia t
  JOIN prova.parametros p ON p.data_base = t.data_base GROUP BY t.kpi)
SELECT 'Tendência · ' || kpi || unnest(['', ' · vezes', ' · variação']) AS chave,
  unnest([r.valor, 1, CASE WHEN r.variacao IS NULL THEN NULL ELSE r.valor - r.relatorio_anterior END])::DECIMAL(18,2)
    AS esperado,
  unnest([u.valor, greatest(r.vezes, coalesce(u.vezes, 1)), r.variacao])::DECIMAL(18,2) AS encontrado
FROM indicadores r FULL JOIN ultimo u USING (kpi)
UNION ALL
SELECT 'Tendência · ' || data_base || ' · ordem', dense_rank() OVER (ORDER BY data_base), ordem
FROM (SELECT DISTINCT data_base, ordem FROM mart.kpis_tendencia)
ORDER BY chave

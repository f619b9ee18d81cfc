-- V41 · A capa concorda com os registros
-- Severidade: erro
-- Relatório: R00
-- Julga: o que a capa mostra
-- Por que importa: a capa é o que se lê primeiro, e muitas vezes só; o que ela pede para hoje, alguém faz.
-- O que fazer: não use a figura que difere; as outras planilhas a têm, e foram conferidas antes. Os dados sozinhos não
--   o causam: relate-o.

-- Os indicadores, somados de novo: os saldos (S7), o que está em aberto e o vencido por lado (S8), a carteira (R10), as
-- cobranças (S12), receita e resultado até o dia (S4, S5). Um recorte de parte das contas não mostra saldo nenhum.
-- O atrasado a pagar sem decisão (S26) é o vencido menos o que a mesa decidiu (F5) ou respondeu (S26, R21) e o que o
-- banco moveu (F3). O a receber fora de toda linha depende do hábito e de promessas: vai de zero ao vencido.
WITH recorte AS (SELECT count(*) > 0 AS parte FROM prova.contas WHERE origem = 'recorte'),
saldos AS (
  SELECT (SELECT coalesce(sum(saldo), 0) FROM prova.contas) AS atual,
    (SELECT coalesce(sum(m.valor), 0) FROM prova.movimentos m WHERE m.dia < d.data_base) AS ontem,
    (SELECT sum(f.valor) FROM prova.fluxo f
      WHERE f.mes = d.mes AND f.momento = 'realizado' AND f.linha IN ('entradas', 'saidas')) AS operacional
  FROM prova.parametros d),
lados AS (
  SELECT lower(l.lado) AS lado, sum(valor) FILTER (vencido) AS vencido,
    sum(valor) FILTER (vencido AND em_carencia) AS carencia,
    sum(valor) FILTER (vencido AND NOT em_carencia) AS efetivo,
    sum(valor) FILTER (NOT vencido AND data_projetada = data_base) AS hoje,
    sum(valor) FILTER (NOT vencido AND data_projetada BETWEEN data_base AND data_base + 7) AS semana,
    sum(valor) FILTER (NOT vencido AND data_projetada BETWEEN data_base AND data_base + 30) AS mes
  FROM (SELECT unnest(['Receber', 'Pagar']) AS lado) l CROSS JOIN prova.parametros
  LEFT JOIN prova.abertos a ON a.lado = l.lado AND NOT (a.fora_resultado AND a.lado = 'Receber') GROUP BY ALL),
nuas AS (
  SELECT count(*) FILTER (vencido) AS qtde_vencida, sum(valor) FILTER (vencido) AS vencida,
    count(*) FILTER (NOT vencido) AS qtde_a_vencer, sum(valor) FILTER (NOT vencido) AS a_vencer
  FROM prova.abertos CROSS JOIN prova.parametros
  WHERE lado = 'Receber' AND NOT fora_resultado AND cobranca = 'sem cobrança'
    AND (vencido OR data_projetada <= data_base + 7)),
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
  FROM janelas j LEFT JOIN prova.linhas l ON NOT l.transferencia AND NOT l.fora_resultado
    AND l.data_competencia_ef BETWEEN date_trunc('month', j.fim)::DATE AND j.fim GROUP BY ALL),
atrasados AS (
  SELECT coalesce(sum(valor) FILTER (lado = 'Pagar'
      AND titulo_id NOT IN (SELECT id FROM prova.notados WHERE regra IN ('F3', 'F5', 'S26', 'R21'))), 0) AS pagar,
    coalesce(sum(valor) FILTER (lado = 'Receber' AND NOT fora_resultado), 0) AS receber
  FROM prova.abertos WHERE vencido AND NOT suspeito),
esperados AS (
  SELECT unnest(['saldo_atual', 'saldo_ontem', 'fluxo_operacional_mes']) AS kpi,
    unnest([CASE WHEN NOT parte THEN atual END, CASE WHEN NOT parte THEN ontem END, coalesce(operacional, 0)]) AS valor
  FROM saldos, recorte
  UNION ALL
  SELECT unnest(['vencido_a_' || lado, 'em_carencia_a_' || lado, 'vencido_efetivo_a_' || lado, 'a_' || lado || '_hoje',
    'a_' || lado || '_7', 'a_' || lado || '_30']),
    coalesce(unnest([vencido, carencia, efetivo, hoje, semana, mes]), 0) FROM lados
  UNION ALL SELECT 'atrasado_a_pagar', pagar FROM atrasados
  UNION ALL SELECT 'atrasado_a_receber', receber FROM atrasados
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
  SELECT 'em_transito', CASE WHEN NOT any_value(parte)
    THEN coalesce(sum(liquido) FILTER (viva AND rank IN (3, 4)), 0) END
  FROM recorte LEFT JOIN prova.cobrancas ON true),
mostrados AS (
  SELECT CASE WHEN kpi IN ('em_transito_no_saldo', 'em_transito_fora') THEN 'em_transito' ELSE kpi END AS kpi,
    sum(valor) AS valor
  FROM mart.resumo GROUP BY ALL)
SELECT 'Resumo · ' || kpi AS chave, e.valor::DECIMAL(18,2) AS esperado,
  CASE WHEN kpi = 'atrasado_a_receber' AND m.valor BETWEEN 0 AND e.valor THEN e.valor ELSE m.valor END::DECIMAL(18,2)
    AS encontrado
FROM esperados e LEFT JOIN mostrados m USING (kpi)
UNION ALL
SELECT 'total', (CASE WHEN NOT parte THEN atual END)::DECIMAL(18,2),
  (SELECT sum(valor) FROM mart.resumo WHERE kpi = 'saldo_atual')::DECIMAL(18,2)
FROM saldos, recorte ORDER BY chave;

-- O que a capa tira de outras planilhas: os prazos médios (R12) e o menor saldo contratual (R01).
SELECT 'Resumo · ' || kpi AS chave, esperado,
  (SELECT sum(valor) FROM mart.resumo r WHERE r.kpi = e.kpi)::DECIMAL(18,2) AS encontrado
FROM (
  SELECT CASE codigo WHEN 'pmp' THEN 'pmp_fornecedores' ELSE codigo END AS kpi, dias::DECIMAL(18,2) AS esperado
  FROM mart.pessoas_prazos WHERE codigo IN ('pmr', 'pmp', 'dias_de_caixa')
  UNION ALL
  SELECT 'menor_saldo_contratual', menor_saldo_projetado::DECIMAL(18,2) FROM mart.saldos_por_conta_total
  WHERE codigo = 'total') e
WHERE kpi NOT IN ('dias_de_caixa', 'menor_saldo_contratual')
  OR EXISTS (FROM mart.resumo WHERE kpi = 'saldo_atual')
ORDER BY chave;

-- Fazer: cada título está uma vez, na primeira regra que o toma: baixar (F4), conferir (F3), ligar (F1: 80 % do vencido
-- sem carência, dez clientes no máximo), identificar o cliente (F6), cobrar (F2), decidir (F5: ao menos o vencido sem
-- decisão em vigor). O que uma cobrança já traz espera, e o que o banco não repassou (F8) também; o que ele moveu,
-- confere-se; o que ele nega, não. Com um dia suspeito (Q43), ou prometido inteiro, não se liga nem se cobra; o que
-- está em dobro (Q13) soma uma vez. O que uma adquirente repassa em lotes (S12) ninguém cobra: o vencido é F8, uma
-- linha por lote.
WITH pagas AS (
  SELECT titulo_id, bool_or(NOT coalesce(c.rank < 5 AND c.data_a_transferir >= d.data_base, false)
      AND c.cobranca_id NOT IN (SELECT id FROM prova.notados WHERE regra = 'F8')) AS chegou
  FROM prova.parametros d CROSS JOIN prova.cobrados t JOIN prova.cobrancas c USING (cobranca_id)
  WHERE c.viva AND c.paga AND NOT t.pago AND titulo_id NOT IN (SELECT id FROM prova.notados WHERE regra = 'F4')
  GROUP BY titulo_id),
suspeitos AS (
  SELECT id FROM mart.achados_itens
  WHERE regra = 'Q33' AND valor > 0 AND id NOT IN (SELECT id FROM prova.notados WHERE regra = 'S20')
  UNION SELECT id FROM prova.notados WHERE regra = 'F3'),
vencidos AS (
  SELECT titulo_id, pessoa_id, valor, data_vencimento FROM prova.abertos
  WHERE lado = 'Receber' AND vencido AND NOT em_carencia AND NOT fora_resultado AND NOT suspeito
    AND titulo_id NOT IN (SELECT titulo_id FROM pagas) AND titulo_id NOT IN (SELECT id FROM suspeitos)),
devidos AS (FROM vencidos WHERE titulo_id NOT IN (SELECT titulo_id FROM prova.repasses)
    AND titulo_id NOT IN (SELECT id FROM prova.notados WHERE regra = 'F1')),
clientes AS (
  SELECT pessoa_id, sum(sum(valor)) OVER (ORDER BY sum(valor) DESC, pessoa_id ROWS UNBOUNDED PRECEDING) - sum(valor)
    AS antes, sum(sum(valor)) OVER () AS todos, row_number() OVER (ORDER BY sum(valor) DESC, pessoa_id) AS lugar
  FROM devidos WHERE pessoa_id IS NOT NULL GROUP BY pessoa_id),
candidatos AS (
  SELECT CASE WHEN chegou THEN 'F4' ELSE '–' END AS regra, 1 AS vez, titulo_id FROM pagas
  UNION ALL SELECT 'F3', 2, id FROM suspeitos
  UNION ALL
  SELECT 'F1', 3, titulo_id FROM devidos JOIN clientes USING (pessoa_id) WHERE lugar <= 10 AND 100 * antes < 80 * todos
  UNION ALL SELECT 'F6', 4, titulo_id FROM devidos WHERE pessoa_id IS NULL
  UNION ALL SELECT 'F2', 5, titulo_id FROM prova.abertos CROSS JOIN prova.parametros
  WHERE lado = 'Receber' AND NOT fora_resultado AND NOT suspeito AND cobranca = 'sem cobrança'
    AND (vencido OR data_projetada <= data_base + 7)
    AND titulo_id NOT IN (SELECT id FROM prova.notados WHERE regra = 'F1')
  UNION ALL SELECT 'F5', 6, titulo_id FROM prova.abertos WHERE lado = 'Pagar' AND vencido AND NOT em_carencia
    AND titulo_id NOT IN (SELECT id FROM prova.notados WHERE regra IN ('F5', 'S26', 'R21'))),
titulos AS (
  SELECT regra, titulo_id, CASE WHEN regra = 'F5' AND titulo_id IN (SELECT id FROM mart.achados_itens
      WHERE regra = 'Q13') AND row_number() OVER (PARTITION BY regra, pessoa_id, valor, data_vencimento
      ORDER BY titulo_id) > 1 THEN 0 ELSE valor END AS valor
  FROM (SELECT titulo_id, min_by(regra, vez) AS regra FROM candidatos GROUP BY titulo_id) JOIN prova.titulos
    USING (titulo_id)),
achados AS (
  SELECT regra, coalesce(sum(valor) FILTER (valor > 0 AND regra <> 'Q34'), 0) AS a_receber,
    coalesce(-sum(valor) FILTER (valor < 0 AND regra <> 'Q34'), 0) AS a_pagar
  FROM mart.achados_itens WHERE regra IN ('Q01', 'Q21', 'Q34', 'Q43') GROUP BY regra),
somas AS (
  SELECT regra, count(*) AS linhas, coalesce(sum(valor) FILTER (valor > 0), 0) AS a_receber,
    coalesce(-sum(valor) FILTER (valor < 0), 0) AS a_pagar FROM titulos WHERE regra <> '–' GROUP BY regra
  UNION ALL SELECT 'F6', count(*), sum(a_receber), sum(a_pagar) FROM achados HAVING count(*) > 0
  UNION ALL SELECT 'F8', count(DISTINCT {'conta': c.conta_id, 'dia': c.data_a_transferir}), sum(c.liquido), 0
  FROM prova.notados n JOIN prova.cobrancas c ON c.cobranca_id = n.id WHERE n.regra = 'F8' HAVING count(*) > 0
  UNION ALL SELECT 'F8', count(DISTINCT {'quem': r.quem, 'dia': v.data_vencimento}), sum(v.valor), 0
  FROM vencidos v JOIN prova.repasses r USING (titulo_id) HAVING count(*) > 0),
tarefas AS (
  SELECT regra, sum(linhas) AS linhas, sum(a_receber) AS a_receber, sum(a_pagar) AS a_pagar FROM somas GROUP BY regra),
mostradas AS (
  SELECT regra, count(*) AS linhas, coalesce(sum(a_receber), 0) AS a_receber, coalesce(sum(a_pagar), 0) AS a_pagar
  FROM mart.fazer GROUP BY regra),
iguais AS (
  SELECT regra, t.linhas, t.a_receber, t.a_pagar, m.linhas AS m_linhas, m.a_receber AS m_receber, m.a_pagar AS m_pagar
  FROM (SELECT t.* FROM tarefas t JOIN prova.parametros p ON t.a_receber + t.a_pagar >= p.fazer_minimo) t
  FULL JOIN (FROM mostradas WHERE regra NOT IN ('F7', 'F9')) m USING (regra)
  WHERE regra <> 'F5' OR t.regra IS NOT NULL)
SELECT 'Fazer · ' || regra || unnest([' · a receber', ' · a pagar', ' · linhas']) AS chave,
  unnest([a_receber, a_pagar, linhas])::DECIMAL(18,2) AS esperado,
  unnest(CASE WHEN regra = 'F5' AND m_pagar > a_pagar THEN [a_receber, a_pagar, linhas]
    ELSE [m_receber, m_pagar, m_linhas] END)::DECIMAL(18,2) AS encontrado
FROM iguais
UNION ALL SELECT 'Fazer · título ' || titulo_id || ' · vezes', 1, count(*) FROM mart.fazer
WHERE titulo_id IS NOT NULL GROUP BY titulo_id HAVING count(*) > 1
ORDER BY chave;

-- FAZER HOJE é Fazer por regra: linhas (clientes em F1), os dois lados e a soma; o maior valor primeiro, F7 e F9
-- antes de todos, F6 depois, e nada abaixo de fazer_minimo.
WITH blocos AS (
  SELECT regra, CASE regra WHEN 'F1' THEN count(DISTINCT pessoa_id) ELSE count(*) END AS qtde,
    coalesce(sum(a_receber), 0) AS a_receber, coalesce(sum(a_pagar), 0) AS a_pagar FROM mart.fazer GROUP BY regra),
linhas AS (
  SELECT f.*, p.fazer_minimo, count(*) OVER (PARTITION BY regra) AS vezes,
    row_number() OVER (ORDER BY regra NOT IN ('F7', 'F9'), regra = 'F6', f.valor DESC, regra) AS lugar
  FROM mart.fazer_hoje f CROSS JOIN prova.parametros p)
SELECT 'Fazer hoje · ' || regra || unnest([' · a receber', ' · a pagar', '']) AS chave,
  unnest([b.a_receber, b.a_pagar, b.a_receber + b.a_pagar])::DECIMAL(18,2) AS esperado,
  unnest([l.a_receber, l.a_pagar, l.valor])::DECIMAL(18,2) AS encontrado
FROM blocos b FULL JOIN linhas l USING (regra)
UNION ALL
SELECT 'Fazer hoje · ' || regra || unnest([' · ordem', ' · vezes', ' · mínimo', ' · qtde']),
  unnest([lugar, 1, CASE WHEN regra IN ('F7', 'F9') THEN 0 ELSE fazer_minimo END,
    CASE regra WHEN 'F6' THEN l.qtde ELSE b.qtde END]),
  unnest([ordem, vezes, CASE WHEN regra IN ('F7', 'F9') THEN 0 ELSE least(valor, fazer_minimo) END, l.qtde])
FROM linhas l LEFT JOIN blocos b USING (regra) ORDER BY chave;

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
UNION ALL SELECT 'Tendência · ' || data_base || ' · ordem', dense_rank() OVER (ORDER BY data_base), ordem
FROM (SELECT DISTINCT data_base, ordem FROM mart.kpis_tendencia)
ORDER BY chave;

-- Indicadores tem cada indicador da capa uma vez, com os mesmos números.
SELECT 'Indicadores · ' || kpi || unnest(['', ' · anterior', ' · variação', ' · vezes']) AS chave,
  unnest([r.valor, r.relatorio_anterior, r.variacao, 1])::DECIMAL(18,2) AS esperado,
  unnest([i.valor, i.relatorio_anterior, i.variacao, i.vezes])::DECIMAL(18,2) AS encontrado
FROM mart.resumo r FULL JOIN (SELECT *, count(*) OVER (PARTITION BY kpi) AS vezes FROM mart.indicadores) i USING (kpi)
ORDER BY chave

-- V39 · As semanas da Previsão somam a mudança do saldo, e o esperado não excede o ritmo
-- Severidade: erro
-- Relatório: R23
-- Por que importa: quem decide por uma previsão precisa que ela parta do saldo, some e não conte nada duas vezes.
-- O que fazer: é defeito de cálculo; relate-o com a semana ou a categoria que difere.

-- As semanas realizadas trazem os movimentos dos registros (S4, S5, S7), e a última acaba no saldo da data-base.
WITH movidos AS (
  SELECT s.inicio, CASE WHEN m.linha = 'entradas' THEN m.valor ELSE 0 END AS entra,
    CASE WHEN m.linha = 'saidas' THEN m.valor ELSE 0 END AS sai,
    CASE WHEN m.linha IN ('entradas', 'saidas') THEN 0 ELSE m.valor END AS resto
  FROM mart.previsao_semanal s JOIN prova.movimentos m ON NOT m.previsto AND m.dia BETWEEN s.inicio AND s.fim
  WHERE s.tipo = 'Realizado')
-- Somam: movidos = mart.previsao_semanal onde tipo = 'Realizado' por inicio como 'realizado ' || inicio:
--   entra = lancado_entra AS 'entra', sai = lancado_sai AS 'sai',
--   resto = nao_operacional_e_transf AS 'não operacional e transf.'

-- Uma semana prevista é o saldo de antes mais as suas colunas (S24).
-- Seguem: mart.previsao_semanal em fim, tipo DESC como tipo || ' até ' || fim:
--   antes.saldo_previsto + lancado_entra + lancado_sai + nao_operacional_e_transf
--   + coalesce(esperado_entra + esperado_sai, 0) + coalesce(correcao, 0) = saldo_previsto AS 'saldo'

-- O lançado acumulado é o saldo «Como os clientes pagam» do mesmo domingo, com o que as decisões mudam (S24): o
-- plano sem as promessas.
WITH base AS (
  SELECT saldo_previsto AS saldo FROM mart.previsao_semanal WHERE tipo = 'Realizado' QUALIFY fim = max(fim) OVER ()),
lancado AS (
  SELECT fim, sum(lancado_entra + lancado_sai + nao_operacional_e_transf) OVER (ORDER BY fim) AS valor
  FROM mart.previsao_semanal WHERE tipo = 'Previsto')
SELECT 'lançado até ' || l.fim AS chave,
  (sum(c.saldo_final) FILTER (c.codigo = 'se_os_habitos_persistirem')
    + coalesce(sum(c.diferenca) FILTER (c.codigo = 'com_o_combinado'), 0)
    - coalesce(sum(c.diferenca) FILTER (c.codigo = 'com_promessas'), 0))::DECIMAL(18,2) AS esperado,
  any_value(b.saldo + l.valor)::DECIMAL(18,2) AS encontrado
FROM lancado l CROSS JOIN base b JOIN mart.fluxo_semanal_cenarios c ON c.fim = l.fim GROUP BY l.fim ORDER BY l.fim;

-- Cada categoria traz o ritmo e o pago dos registros, e espera o que falta ao ritmo (S24); um recorte não espera nada.
WITH ritmos AS (FROM prova.ritmos WHERE EXISTS (FROM mart.previsao_categorias WHERE regra IS NOT NULL)),
pagos AS (
  SELECT l.classe, l.categoria_id, p.mes, sum(l.valor) AS realizado FROM prova.linhas l JOIN prova.parametros p
    ON l.data_pagamento >= p.mes
  WHERE l.caixa AND l.classe IN ('Entradas', 'Saídas') GROUP BY ALL),
mostradas AS (
  SELECT classe, categoria_id, mes, regra, count(*) AS vezes, sum(ritmo_mensal) AS ritmo, sum(realizado) AS realizado,
    sum(lancado) AS lancado, sum(esperado) AS esperado FROM mart.previsao_categorias GROUP BY ALL),
chaves AS (
  SELECT classe, categoria_id, mes FROM ritmos UNION SELECT classe, categoria_id, mes FROM pagos
  UNION SELECT classe, categoria_id, mes FROM mostradas WHERE lancado <> 0),
base AS (
  SELECT k.*, m.* EXCLUDE (classe, categoria_id, mes), coalesce(r.ritmo, 0) AS certo, coalesce(p.realizado, 0) AS pago,
    sign(certo) * least(coalesce(r.teto, 0), greatest(0, abs(certo) - greatest(0, sign(certo) * (pago + m.lancado))))
      AS falta
  FROM chaves k
  LEFT JOIN ritmos r ON r.classe = k.classe AND r.categoria_id IS NOT DISTINCT FROM k.categoria_id AND r.mes = k.mes
  LEFT JOIN pagos p ON p.classe = k.classe AND p.categoria_id IS NOT DISTINCT FROM k.categoria_id AND p.mes = k.mes
  LEFT JOIN mostradas m ON m.classe = k.classe AND m.categoria_id IS NOT DISTINCT FROM k.categoria_id
    AND m.mes = k.mes AND m.regra IS NOT DISTINCT FROM r.regra
  WHERE EXISTS (FROM mart.previsao_semanal))
-- Fecham: base como concat_ws(' ', classe, categoria_id, strftime(mes, '%Y-%m')):
--   certo = ritmo AS 'ritmo', pago = realizado AS 'pago', falta = esperado AS 'esperado', 1 = vezes AS 'vezes'

-- O lançado de uma categoria num mês são as suas linhas em aberto que se movem nele (S24): a pagar sem decisão,
-- exatamente, e do vencido nada; o a receber segue os hábitos e o decidido a mesa, e não passam do que está em aberto.
WITH partes AS (
  SELECT l.classe, l.categoria_id, l.mes, l.valor AS fixo, 0 AS lancado
  FROM prova.lancados l JOIN prova.parametros p ON l.mes <= date_trunc('week', p.data_base)::DATE + 90
  WHERE NOT l.habito AND l.classe IN ('Entradas', 'Saídas')
  UNION ALL SELECT classe, categoria_id, mes, 0, lancado FROM mart.previsao_categorias),
somas AS (
  SELECT classe, categoria_id, mes, sum(fixo) AS fixo, sum(lancado) AS lancado FROM partes
  GROUP BY GROUPING SETS ((classe, categoria_id, mes), (classe, categoria_id))),
habituais AS (
  SELECT classe, categoria_id, sum(least(valor, 0)) AS de, sum(greatest(valor, 0)) AS ate FROM prova.lancados
  WHERE habito GROUP BY ALL)
SELECT concat_ws(' ', s.classe, s.categoria_id, coalesce(strftime(s.mes, '%Y-%m'), 'ao todo'), 'lançado') AS chave,
  least(greatest(s.lancado, s.fixo + coalesce(h.de, 0)), s.fixo + coalesce(h.ate, 0))::DECIMAL(18,2) AS esperado,
  s.lancado::DECIMAL(18,2) AS encontrado
FROM somas s
LEFT JOIN habituais h ON h.classe = s.classe AND h.categoria_id IS NOT DISTINCT FROM s.categoria_id
WHERE EXISTS (FROM mart.previsao_semanal) ORDER BY s.classe, s.categoria_id, s.mes;

-- O lançado de um mês é a mudança do saldo «Como os clientes pagam» com as decisões (R04) sem o não operacional e as
-- transferências. Não se compara onde algo não operacional se recebe por hábito ou foi decidido.
WITH saldos AS (
  SELECT mes, sum(saldo_final) FILTER (codigo = 'se_os_habitos_persistirem')
    + coalesce(sum(diferenca) FILTER (codigo = 'com_o_combinado'), 0)
    - coalesce(sum(diferenca) FILTER (codigo = 'com_promessas'), 0) AS saldo
  FROM mart.fluxo_mensal_cenarios GROUP BY mes),
mudancas AS (
  SELECT h.mes, h.saldo - lag(h.saldo, 1, s.saldo_previsto) OVER (ORDER BY h.mes) AS valor
  FROM saldos h CROSS JOIN prova.parametros p
  JOIN mart.previsao_semanal s ON s.tipo = 'Realizado' AND s.fim = p.data_base),
esperados AS (
  FROM mudancas
  UNION ALL SELECT mes, -valor FROM prova.lancados
  WHERE classe NOT IN ('Entradas', 'Saídas') AND mes IN (SELECT mes FROM mudancas)),
mostrados AS (
  SELECT mes, lancado FROM mart.previsao_categorias
  WHERE NOT EXISTS (FROM prova.lancados WHERE habito AND classe = 'Não operacional'))
-- Somam: esperados >= mostrados onde mes IN (SELECT mes FROM mudancas) por mes
--   como 'lançado em ' || strftime(mes, '%Y-%m'): valor = lancado AS ''

-- O memo do Fluxo mensal é o que se espera de cada mês (R04).
-- Somam: mart.previsao_categorias >= mart.fluxo_mensal_memo onde codigo = 'esperado_nao_lancado' por mes
--   como 'memo ' || strftime(mes, '%Y-%m'): esperado = valor AS ''

-- O saldo previsto fica dentro da sua faixa (S24).
-- Fecham: mart.previsao_semanal onde faixa_de IS NOT NULL como 'faixa até ' || fim:
--   least(greatest(saldo_previsto, faixa_de), faixa_ate) = saldo_previsto AS ''

-- A correção e a faixa de um horizonte são a mediana e as pontas dos seus últimos 52 erros, em centavos; a faixa,
-- alargada até que 8 de 10 das últimas 26 previsões caibam na do seu dia (S24).
WITH medidas AS (
  SELECT data_base, horizonte, fim, (100 * (realizado - previsto))::HUGEINT AS erro,
    row_number() OVER (PARTITION BY horizonte ORDER BY fim DESC) AS atras
  FROM mart.previsao_teste WHERE realizado IS NOT NULL),
dias AS (
  SELECT horizonte, data_base AS dia, erro FROM medidas WHERE atras <= 26
  UNION ALL SELECT h.horizonte, p.data_base, NULL FROM prova.parametros p CROSS JOIN (
    SELECT horizonte FROM mart.previsao_teste UNION SELECT horizonte FROM mart.previsao_cobertura) h),
sabidos AS (
  SELECT d.horizonte, d.dia, d.erro, coalesce(list_sort(
      list(m.erro ORDER BY m.fim DESC) FILTER (m.erro IS NOT NULL)[:52]), []) AS e, len(e) AS n
  FROM dias d LEFT JOIN medidas m ON m.horizonte = d.horizonte AND m.fim < d.dia GROUP BY ALL),
espalhados AS (
  SELECT *, (n + 1) // 10 AS k, e[(n + 1) // 2] + e[n // 2 + 1] AS meios,
    CASE WHEN n >= 12 THEN sign(meios) * ((abs(meios) + 1) // 2) END AS meio, meio - e[k] AS abaixo,
    e[n + 1 - k] - meio AS acima
  FROM sabidos),
precisos AS (
  SELECT horizonte, CASE WHEN erro > meio THEN acima ELSE abaixo END AS ponta,
    CASE WHEN erro = meio THEN 0 WHEN ponta = 0 THEN 401 ELSE (100 * abs(erro - meio) + ponta - 1) // ponta END
      AS preciso
  FROM espalhados WHERE erro IS NOT NULL AND n >= 12),
larguras AS (
  SELECT horizonte, list_sort(list(preciso)) AS todos, len(todos) AS janelas,
    least(400, greatest(100, todos[(8 * janelas + 9) // 10])) AS largura,
    len(list_filter(todos, lambda preciso: preciso <= largura)) AS dentro
  FROM precisos GROUP BY horizonte),
esperados AS (
  SELECT horizonte, n, 0.01 * coalesce(meio, 0)::DECIMAL(18,0) AS meio, coalesce(largura, 100) AS largura,
    coalesce(dentro, 0) AS dentro, coalesce(janelas, 0) AS janelas, janelas >= 5 AND 10 * dentro >= 7 * janelas AS tem,
    CASE WHEN tem THEN 0.01 * (meio - (largura * abaixo + 99) // 100)::DECIMAL(18,0) END AS de,
    CASE WHEN tem THEN 0.01 * (meio + (largura * acima + 99) // 100)::DECIMAL(18,0) END AS ate
  FROM espalhados LEFT JOIN larguras USING (horizonte) WHERE erro IS NULL)
-- Somam: esperados = mart.previsao_cobertura por horizonte como 'erros do horizonte ' || horizonte:
--   n = medidas AS 'medidas', meio = correcao AS 'correção', de = erro_de AS 'de', ate = erro_ate AS 'até',
--   largura = alargamento AS 'alargamento', dentro = dentro AS 'dentro', janelas = janelas AS 'janelas', vezes
-- Fecham: mart.previsao_teste como 'erro de ' || data_base || ' a ' || fim: realizado - previsto = erro AS ''

-- Uma previsão por data-base e horizonte.
-- Uma vez: mart.previsao_teste por data_base, horizonte como 'previsões · vezes'

-- Quatro semanas, a parte da semana da data-base até ela, e as treze a partir dela: cada uma uma vez.
WITH dias AS (
  SELECT date_trunc('week', data_base)::DATE AS segunda, data_base FROM prova.parametros
  WHERE EXISTS (FROM mart.previsao_semanal)),
esperadas AS (
  SELECT 'Realizado' AS tipo, segunda + n AS inicio, least(segunda + n + 6, data_base) AS fim
  FROM dias CROSS JOIN (SELECT unnest([-28, -21, -14, -7, 0]) AS n)
  UNION ALL
  SELECT 'Previsto', greatest(segunda + n, data_base), segunda + n + 6
  FROM dias CROSS JOIN (SELECT (7 * unnest(range(13)))::INTEGER AS n))
-- Somam: esperadas = mart.previsao_semanal por fim, tipo, inicio como tipo || ' ' || fim: vezes

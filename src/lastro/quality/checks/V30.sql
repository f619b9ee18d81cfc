-- V30 · Fôlego, ponto de equilíbrio e concentração = registros e DRE
-- Severidade: erro
-- Relatório: R00
-- Julga: o que a capa mostra
-- Sem comparações: num recorte não há fôlego
-- Por que importa: com eles se decide quanto vender e quanto tempo o caixa dura; ninguém os soma de novo à mão.
-- O que fazer: veja o indicador que difere, em Indicadores; os dados sozinhos não o causam, relate-o.

-- Tudo em centavos inteiros, e as divisões exatas, meio para cima. As linhas da DRE: doze meses fechados antes do
-- mês da data-base (R06). O custo fixo: as linhas 6, 7 e 8, onde os registros alcançam os doze meses e o mapa deixa
-- mostrar margens; senão a média das saídas. As pessoas: a receita desses meses (R12), e o que está em aberto a
-- receber; "sem pessoa" entra só no todo.
WITH saidas AS (
  SELECT greatest(-100 * coalesce(sum(f.valor), 0), 0)::HUGEINT AS tres_meses
  FROM prova.fluxo f CROSS JOIN prova.parametros p
  WHERE f.linha = 'saidas' AND f.momento = 'realizado' AND f.mes < p.mes AND f.mes >= p.mes - to_months(3)),
saldos AS (
  SELECT CASE WHEN bool_and(com_abertura) THEN (100 * coalesce(sum(saldo), 0))::HUGEINT END AS saldo
  FROM prova.contas WHERE NOT cartao),
grupos AS (
  SELECT r.grupo, (100 * r.valor)::HUGEINT AS valor FROM prova.resultado r CROSS JOIN prova.parametros p
  WHERE r.mes < p.mes AND r.mes >= p.mes - to_months(12)),
somas AS (
  SELECT coalesce(sum(valor) FILTER (grupo IN ('receita_bruta', 'deducoes')), 0) AS receita,
    coalesce(sum(valor) FILTER (grupo IN ('receita_bruta', 'deducoes', 'custos_variaveis')), 0) AS margem,
    coalesce(sum(valor) FILTER (grupo IN ('deducoes', 'custos_variaveis')), 0) AS variaveis,
    -coalesce(sum(valor) FILTER (grupo IN ('pessoal', 'administrativas', 'comerciais')), 0) AS custo,
    -coalesce(sum(valor) FILTER (grupo = 'financeiro'), 0) AS juros FROM grupos),
dre AS (
  SELECT s.*, coalesce(m.margens, false) AND variaveis <> 0 AND receita > 0 AND margem > 0 AS vale
  FROM somas s CROSS JOIN prova.mapa m),
fixos AS (
  SELECT CASE WHEN vale THEN custo ELSE tres_meses END AS fixo, CASE WHEN vale THEN 12 ELSE 3 END AS meses
  FROM (SELECT custo, tres_meses, coalesce(margens, false)
      AND (SELECT min(r.mes) FROM prova.resultado r SEMI JOIN prova.resultado s ON s.mes = r.mes + to_months(1))
        <= (SELECT mes - to_months(12) FROM prova.parametros) AS vale FROM somas, saidas, prova.mapa)),
clientes AS (
  SELECT 'receita' AS de, l.pessoa_id, sum(l.valor) AS valor FROM prova.linhas l CROSS JOIN prova.parametros p
  WHERE l.natureza = 'R' AND NOT l.transferencia AND NOT l.fora_resultado AND l.data_competencia_ef < p.mes
    AND l.data_competencia_ef >= p.mes - to_months(12) GROUP BY l.pessoa_id
  UNION ALL
  SELECT 'aberto', pessoa_id, sum(valor) FROM prova.abertos WHERE lado = 'Receber' AND NOT fora_resultado
  GROUP BY pessoa_id),
ordem AS (
  SELECT *, row_number() OVER (PARTITION BY de, ninguem ORDER BY valor DESC) AS lugar
  FROM (SELECT c.*, coalesce(pessoa_id IS NULL OR list_contains(p.pessoas_sem_cobranca, pessoa_id), false) AS ninguem
    FROM clientes c CROSS JOIN prova.parametros p WHERE valor > 0)),
partes AS (
  SELECT de, coalesce(sum(valor) FILTER (NOT ninguem AND lugar <= 5), 0) AS cinco,
    coalesce(sum(valor) FILTER (NOT ninguem AND lugar = 1), 0) AS maior, sum(valor) AS todos
  FROM ordem GROUP BY de),
contas AS (
  SELECT 'custo_fixo_mensal' AS kpi, fixo AS n, meses AS d, 2 AS casas FROM fixos
  UNION ALL
  SELECT 'folego_custo_fixo', 10 * meses * saldo, CASE WHEN saldo >= 0 AND fixo > 0 THEN fixo END, 1 FROM saldos, fixos
  UNION ALL
  SELECT 'folego_media', 30 * saldo, CASE WHEN saldo >= 0 THEN nullif(tres_meses, 0) END, 1 FROM saldos, saidas
  UNION ALL
  SELECT unnest(['receita_liquida_media', 'margem_contribuicao_pct', 'ponto_equilibrio', 'ponto_equilibrio_financeiro',
      'margem_seguranca']),
    unnest([receita, 10000 * margem, custo * receita, (custo + juros) * receita, 10000 * (margem - custo)]),
    unnest([CASE WHEN vale THEN 12 END, CASE WHEN vale THEN receita END, CASE WHEN vale THEN 12 * margem END,
      CASE WHEN vale THEN 12 * margem END, CASE WHEN vale THEN margem END]), 2 FROM dre
  UNION ALL
  SELECT kpi, (10000 * 100 * CASE WHEN kpi = 'concentracao_maior_cliente' THEN maior ELSE cinco END)::HUGEINT,
    (100 * todos)::HUGEINT, 2
  FROM (SELECT unnest(['concentracao_5_clientes', 'concentracao_maior_cliente', 'concentracao_5_devedores']) AS kpi)
  LEFT JOIN partes ON de = CASE WHEN kpi = 'concentracao_5_devedores' THEN 'aberto' ELSE 'receita' END),
esperados AS (
  SELECT kpi, (sign(n) * ((2 * abs(n) + d) // (2 * d)))::DECIMAL(18,0) * CASE casas WHEN 1 THEN 0.1 ELSE 0.01 END
    AS valor FROM contas)
SELECT coalesce(kpi, '–') || unnest(['', ' · vezes']) AS chave, unnest([e.valor, 1])::DECIMAL(18,2) AS esperado,
  unnest([m.valor, coalesce(m.vezes, 0)])::DECIMAL(18,2) AS encontrado
FROM esperados e FULL JOIN (
  SELECT kpi, any_value(valor) AS valor, count(*) AS vezes FROM mart.indicadores WHERE bloco = 'Fôlego' GROUP BY kpi) m
  USING (kpi)
WHERE EXISTS (FROM mart.indicadores WHERE bloco = 'Fôlego')
ORDER BY chave;

-- O ponto de equilíbrio é o das linhas da DRE impressa (R06), onde ela mostra os doze meses.
WITH linhas AS (
  SELECT (100 * sum(valor) FILTER (codigo = 'receita_liquida'))::HUGEINT AS receita,
    (100 * sum(valor) FILTER (codigo = 'margem_contribuicao'))::HUGEINT AS margem,
    (-100 * sum(valor) FILTER (codigo IN ('pessoal', 'administrativas', 'comerciais')))::HUGEINT AS custo
  FROM mart.dre d CROSS JOIN prova.parametros p
  WHERE d.nivel = 0 AND d.mes < p.mes AND d.mes >= p.mes - to_months(12) HAVING count(DISTINCT d.mes) = 12)
SELECT 'ponto de equilíbrio · DRE' AS chave,
  ((sign(custo) * ((abs(custo) * receita + 6 * margem) // (12 * margem)))::DECIMAL(18,0) * 0.01)::DECIMAL(18,2)
    AS esperado,
  i.valor::DECIMAL(18,2) AS encontrado
FROM mart.indicadores i CROSS JOIN linhas WHERE i.kpi = 'ponto_equilibrio' AND i.valor IS NOT NULL

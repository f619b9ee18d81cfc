-- V08 · DRE de todos os meses = linhas fora de transferências e de 'fora'; DRE por centro = DRE
-- Severidade: erro
-- Relatório: R06
-- Julga: o que os relatórios mostram
-- Por que importa: o resultado diz se a operação dá lucro; uma linha que falta ou conta duas vezes muda a resposta.
-- O que fazer: veja a linha da DRE e o mês que diferem; V07 diz qual categoria. Um dre_mapa errado não o causa.

-- Cada linha da DRE em cada mês, somada de novo das linhas (S4, S5, S17): ao todo, o que está pago e o que está em
-- aberto; depois, por centro. As margens não se mostram onde o mapa não deixa. O total é o resultado de todos os meses.
WITH grupos AS (
  SELECT unnest(['receita_bruta', 'deducoes', 'custos_variaveis', 'pessoal', 'administrativas', 'comerciais',
    'nao_classificadas', 'financeiro', 'outras', 'ir_csll', 'fora']) AS grupo, unnest(range(1, 12)) AS ordem),
somas AS (
  SELECT unnest(['receita_liquida', 'margem_contribuicao', 'ebitda', 'resultado_antes_ir', 'resultado']) AS codigo,
    unnest([2, 3, 7, 9, 10]) AS ate),
parcelas AS (
  SELECT true AS classificada, grupo AS codigo, grupo FROM grupos
  UNION ALL SELECT true, codigo, grupo FROM somas JOIN grupos ON ordem <= ate
  UNION ALL SELECT false, unnest(['receitas', 'despesas', 'fora', 'resultado', 'resultado']),
    unnest(['receitas', 'despesas', 'fora', 'receitas', 'despesas'])),
linhas AS (
  SELECT p.codigo, p.grupo, m.margens OR p.codigo NOT IN ('margem_contribuicao', 'ebitda') AS mostra
  FROM parcelas p JOIN prova.mapa m ON m.classificada = p.classificada),
centros AS (
  SELECT l.codigo, r.mes, r.centro_custo_lucro_id, sum(r.valor) AS valor,
    coalesce(sum(r.valor) FILTER (r.pago), 0) AS pago
  FROM prova.resultado r JOIN linhas l ON l.grupo = r.grupo GROUP BY ALL),
esperados AS (SELECT codigo, mes, sum(valor) AS valor, sum(pago) AS pago FROM centros GROUP BY ALL),
mostrados AS (
  SELECT codigo, mes, sum(valor) AS valor, sum(pago_recebido) AS pago, sum(em_aberto) AS aberto FROM mart.dre
  WHERE nivel = 0 GROUP BY ALL),
meses AS (SELECT mes FROM mostrados UNION SELECT mes FROM esperados WHERE valor <> 0),
pares AS (
  SELECT strftime(g.mes, 'DRE · %Y-%m · ') || g.codigo || unnest([' · valor', ' · pago', ' · em aberto']) AS figura,
    CASE WHEN g.mostra
      THEN unnest([coalesce(e.valor, 0), coalesce(e.pago, 0), coalesce(e.valor - e.pago, 0)]) END AS esperado,
    unnest(CASE WHEN m.codigo IS NULL AND g.codigo = 'nao_classificadas' THEN [0, 0, 0]
      ELSE [m.valor, m.pago, m.aberto] END) AS encontrado
  FROM (SELECT DISTINCT codigo, mostra, mes FROM linhas CROSS JOIN meses) g
  LEFT JOIN esperados e USING (codigo, mes) LEFT JOIN mostrados m USING (codigo, mes)
  UNION ALL
  SELECT strftime(mes, 'DRE por centro · %Y-%m · ') || codigo || ' · centro '
    || coalesce(centro_custo_lucro_id::VARCHAR, 'sem'),
    CASE WHEN codigo IN (SELECT codigo FROM linhas WHERE NOT mostra) THEN NULL ELSE coalesce(e.valor, 0) END, m.valor
  FROM (SELECT codigo, mes, coalesce(centro_custo_lucro_id, -1) AS centro, centro_custo_lucro_id, valor FROM centros) e
  FULL JOIN (SELECT codigo, mes, coalesce(centro_custo_lucro_id, -1) AS centro, valor FROM mart.dre_centros) m
    USING (codigo, mes, centro)
  WHERE m.codigo IS NOT NULL OR e.valor <> 0
  UNION ALL
  SELECT 'DRE · linhas cujas partes não somam', 0, count(*) FILTER (pago_recebido + em_aberto <> valor) FROM mart.dre)
SELECT CASE WHEN esperado IS NOT DISTINCT FROM encontrado THEN 'figuras iguais' ELSE figura END AS chave,
  nullif(esperado, encontrado)::DECIMAL(18,2) AS esperado,
  nullif(encontrado, esperado)::DECIMAL(18,2) AS encontrado, count(*) AS comparacoes
FROM pares GROUP BY ALL
UNION ALL
SELECT 'total', (SELECT coalesce(sum(valor), 0)::DECIMAL(18,2) FROM prova.resultado WHERE grupo <> 'fora'),
  (SELECT coalesce(sum(valor), 0)::DECIMAL(18,2) FROM mostrados WHERE codigo = 'resultado'), 1
ORDER BY chave;

-- O acumulado de cada linha e categoria soma seus meses do ano, até o da data-base.
WITH somados AS (
  SELECT d.codigo, d.nivel, coalesce(d.categoria_id, -1) AS categoria, d.linha,
    CASE WHEN bool_and(d.valor IS NOT NULL)
      THEN coalesce(sum(d.valor) FILTER (d.mes BETWEEN date_trunc('year', p.mes) AND p.mes), 0) END AS valor
  FROM mart.dre d CROSS JOIN prova.parametros p GROUP BY ALL),
mostrados AS (
  SELECT codigo, nivel, coalesce(categoria_id, -1) AS categoria, linha, sum(acumulado_no_ano) AS valor
  FROM mart.dre_acumulado GROUP BY ALL)
SELECT 'DRE · acumulado · ' || codigo || ' · ' || linha AS chave, s.valor::DECIMAL(18,2) AS esperado,
  m.valor::DECIMAL(18,2) AS encontrado
FROM somados s FULL JOIN mostrados m USING (codigo, nivel, categoria, linha) ORDER BY chave;

-- As etiquetas: cada uma soma suas linhas do resultado e as conta; as que se sobrepõem, cada uma por si (S11). O total
-- conta cada linha uma vez.
WITH linhas AS (
  SELECT l.origem, l.linha_id, l.valor, e.tag_id
  FROM prova.etiquetas e JOIN prova.linhas l USING (origem, linha_id)
  WHERE NOT l.transferencia AND NOT l.fora_resultado AND l.valor <> 0 AND l.data_competencia_ef IS NOT NULL),
etiquetadas AS (
  SELECT 'tag ' || tag_id AS figura, count(*) AS linhas, sum(valor) AS valor FROM linhas GROUP BY ALL
  UNION ALL
  SELECT 'tags sem repetição', count(*), coalesce(sum(valor), 0)
  FROM (SELECT DISTINCT origem, linha_id, valor FROM linhas)),
mostradas AS (
  SELECT 'tag ' || tag_id AS figura, sum(linhas) AS linhas, sum(resultado) AS valor FROM mart.dre_tags GROUP BY ALL
  UNION ALL SELECT 'tags sem repetição', sum(linhas), sum(resultado) FROM mart.dre_tags_total)
SELECT 'DRE · ' || figura || unnest(['', ' · linhas']) AS chave,
  unnest([e.valor, e.linhas])::DECIMAL(18,2) AS esperado, unnest([m.valor, m.linhas])::DECIMAL(18,2) AS encontrado
FROM etiquetadas e FULL JOIN mostradas m USING (figura) ORDER BY figura;

-- O mês e o ano até a data-base por centro: cada grupo das linhas até ela, e o total de todos os centros.
WITH periodos AS (
  SELECT unnest(['mes', 'ano']) AS periodo, unnest([mes, date_trunc('year', mes)::DATE]) AS de FROM prova.parametros),
esperados AS (
  SELECT r.grupo AS codigo, p.periodo, 'centro_' || coalesce(r.centro_custo_lucro_id::VARCHAR, 'sem') AS coluna,
    sum(r.valor) AS valor
  FROM prova.resultado r JOIN periodos p ON r.ate_d AND r.mes >= p.de GROUP BY ALL),
mostrados AS (
  SELECT codigo, periodo, coluna, any_value(valor) AS valor, count(*) AS vezes
  FROM mart.dre_centros_periodo GROUP BY ALL)
SELECT 'DRE por centro até D · ' || periodo || ' · ' || codigo || ' · ' || coluna || unnest(['', ' · vezes']) AS chave,
  unnest([CASE WHEN codigo IN (SELECT grupo FROM prova.resultado) THEN coalesce(e.valor, 0) ELSE m.valor END,
    1])::DECIMAL(18,2) AS esperado, unnest([m.valor, m.vezes])::DECIMAL(18,2) AS encontrado
FROM esperados e FULL JOIN mostrados m USING (codigo, periodo, coluna) WHERE coluna <> 'total'
UNION ALL
SELECT 'DRE por centro até D · ' || periodo || ' · ' || codigo || ' · total',
  CASE WHEN bool_and(coluna = 'total') THEN 0 ELSE sum(valor) FILTER (coluna <> 'total') END,
  sum(valor) FILTER (coluna = 'total')
FROM mart.dre_centros_periodo GROUP BY codigo, periodo
UNION ALL
SELECT 'DRE por centro até D · linhas', count(DISTINCT codigo) * count(DISTINCT coluna) * 2, count(*)
FROM mart.dre_centros_periodo ORDER BY chave;

-- As categorias que o mapa não alcança (Q20), com seus valores.
SELECT 'DRE · sem grupo · categoria ' || categoria_id AS chave, e.valor::DECIMAL(18,2) AS esperado,
  m.valor::DECIMAL(18,2) AS encontrado
FROM (SELECT categoria_id, sum(valor) AS valor FROM prova.resultado WHERE NOT mapeada GROUP BY ALL) e
FULL JOIN (SELECT categoria_id, sum(valor) AS valor FROM mart.dre_sem_grupo GROUP BY ALL) m USING (categoria_id)
ORDER BY categoria_id;

-- Cada linha da DRE está em todos os meses, uma vez em cada; por centro, em todos os meses e centros.
SELECT 'DRE · linhas' AS chave,
  count(DISTINCT (codigo, nivel, categoria_id, linha)) * count(DISTINCT mes) AS esperado, count(*) AS encontrado
FROM mart.dre
UNION ALL SELECT 'DRE · linhas do acumulado',
  (SELECT count(DISTINCT (codigo, nivel, categoria_id, linha)) FROM mart.dre), count(*) FROM mart.dre_acumulado
UNION ALL SELECT 'DRE por centro · linhas',
  count(DISTINCT codigo) * count(DISTINCT coalesce(centro_custo_lucro_id, -1)) * count(DISTINCT mes), count(*)
FROM mart.dre_centros

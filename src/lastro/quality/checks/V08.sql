-- V08 · DRE de todos os meses = linhas fora de transferências e de 'fora'; DRE por centro = DRE
-- Severidade: erro
-- Relatório: R06
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
  SELECT p.codigo, p.grupo, CASE WHEN m.margens OR p.codigo NOT IN ('margem_contribuicao', 'ebitda') THEN 1 END AS vez
  FROM parcelas p JOIN prova.mapa m ON m.classificada = p.classificada),
centros AS (
  SELECT l.codigo, r.mes, r.centro_custo_lucro_id, r.valor * l.vez AS valor,
    CASE WHEN r.pago THEN r.valor ELSE 0 END * l.vez AS recebido,
    CASE WHEN r.pago THEN 0 ELSE r.valor END * l.vez AS aberto
  FROM prova.resultado r JOIN linhas l ON l.grupo = r.grupo),
esperados AS (
  SELECT codigo, mes, valor, recebido, aberto FROM centros
  UNION ALL SELECT codigo, mes, 0 * vez, 0 * vez, 0 * vez FROM linhas CROSS JOIN (SELECT DISTINCT mes FROM mart.dre))
-- Somam: esperados = mart.dre onde nivel = 0 por mes, codigo como strftime(mes, 'DRE · %Y-%m · ') || codigo:
--   valor AS 'valor', recebido = pago_recebido AS 'pago', aberto = em_aberto AS 'em aberto'
-- Somam: centros = mart.dre_centros por mes, codigo, centro_custo_lucro_id
--   como strftime(mes, 'DRE por centro · %Y-%m · ') || codigo || ' · centro '
--   || coalesce(centro_custo_lucro_id::VARCHAR, 'sem'): valor
SELECT 'total' AS chave, (SELECT coalesce(sum(valor), 0)::DECIMAL(18,2) FROM prova.resultado WHERE grupo <> 'fora')
    AS esperado, coalesce(sum(valor), 0)::DECIMAL(18,2) AS encontrado
FROM mart.dre WHERE nivel = 0 AND codigo = 'resultado';

-- O acumulado de cada linha e categoria soma seus meses do ano, até o da data-base.
WITH somados AS (
  SELECT d.codigo, d.nivel, d.categoria_id, d.linha, CASE WHEN bool_and(d.valor IS NOT NULL)
    THEN coalesce(sum(d.valor) FILTER (d.mes BETWEEN date_trunc('year', p.mes) AND p.mes), 0) END AS valor
  FROM mart.dre d CROSS JOIN prova.parametros p GROUP BY ALL)
-- Somam: somados = mart.dre_acumulado por codigo, nivel, categoria_id, linha
--   como 'DRE · acumulado · ' || codigo || ' · ' || linha: valor = acumulado_no_ano AS '', vezes

-- As etiquetas: cada uma soma suas linhas do resultado e as conta; as que se sobrepõem, cada uma por si (S11). O total
-- conta cada linha uma vez.
WITH linhas AS (
  SELECT l.origem, l.linha_id, l.valor, e.tag_id
  FROM prova.etiquetas e JOIN prova.linhas l USING (origem, linha_id)
  WHERE NOT l.transferencia AND NOT l.fora_resultado AND l.valor <> 0 AND l.data_competencia_ef IS NOT NULL),
etiquetadas AS (
  SELECT 'tag ' || tag_id AS figura, valor FROM linhas
  UNION ALL SELECT 'tags sem repetição', valor FROM (SELECT DISTINCT origem, linha_id, valor FROM linhas)),
mostradas AS (
  SELECT 'tag ' || tag_id AS figura, linhas, resultado FROM mart.dre_tags
  UNION ALL SELECT 'tags sem repetição', linhas, resultado FROM mart.dre_tags_total)
-- Somam: etiquetadas = mostradas por figura como 'DRE · ' || figura: valor = resultado AS '', 1 = linhas AS 'linhas'

-- O mês e o ano até a data-base por centro: cada grupo das linhas até ela, e o total de todos os centros.
WITH periodos AS (
  SELECT unnest(['mes', 'ano']) AS periodo, unnest([mes, date_trunc('year', mes)::DATE]) AS de FROM prova.parametros),
esperados AS (
  SELECT r.grupo AS codigo, p.periodo, 'centro_' || coalesce(r.centro_custo_lucro_id::VARCHAR, 'sem') AS coluna, r.valor
  FROM prova.resultado r JOIN periodos p ON r.ate_d AND r.mes >= p.de),
totais AS (
  SELECT codigo, periodo, CASE WHEN bool_and(coluna = 'total') THEN 0
    ELSE sum(valor) FILTER (coluna <> 'total') END AS centros, sum(valor) FILTER (coluna = 'total') AS total
  FROM mart.dre_centros_periodo GROUP BY codigo, periodo)
-- Somam: esperados = mart.dre_centros_periodo onde coluna <> 'total' AND codigo IN (SELECT grupo FROM prova.resultado)
--   por periodo, codigo, coluna como concat_ws(' · ', 'DRE por centro até D', periodo, codigo, coluna): valor
-- Fecham: totais como concat_ws(' · ', 'DRE por centro até D', periodo, codigo): centros = total AS 'total'

-- As categorias que o mapa não alcança (Q20), com seus valores.
-- Somam: prova.resultado onde NOT mapeada = mart.dre_sem_grupo por categoria_id
--   como 'DRE · sem grupo · categoria ' || categoria_id: valor, vezes

-- Cada linha da DRE está em todos os meses, uma vez em cada; por centro, em todos os meses e centros.
-- Fecham: mart.dre como strftime(mes, 'DRE · %Y-%m · ') || codigo || ' · ' || linha:
--   pago_recebido + em_aberto = valor AS 'partes'
-- Uma vez: mart.dre por codigo, nivel, categoria_id, linha em mes como 'DRE · linhas'
-- Uma vez: mart.dre_centros por codigo em mes, centro_custo_lucro_id como 'DRE por centro · linhas'
-- Uma vez: mart.dre_centros_periodo por codigo em periodo, coluna como 'DRE por centro até D · linhas'

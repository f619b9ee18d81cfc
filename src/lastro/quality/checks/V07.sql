-- V07 · Árvore de categorias: nó = direto + filhas; raízes = total da seção
-- Severidade: erro
-- Relatório: R04
-- Julga: o que os relatórios mostram
-- Por que importa: quem abre uma categoria espera achar nela tudo o que está abaixo, e nada a mais.
-- O que fazer: veja o nó que difere; as linhas dele estão em Lançamentos, sob a mesma categoria. Relate-o.

-- Cada nó do Fluxo mensal (R04) e da DRE (R06) soma de novo as linhas de sua categoria e das que estão abaixo dela
-- (S11); "(direto)", as da própria; o total, todas. Nenhum nó com valor falta.
WITH mostrados AS (
  SELECT 'Fluxo mensal' AS onde, linha AS codigo, mes, momento, nivel, categoria_id, valor FROM mart.fluxo_mensal
  WHERE linha IN ('entradas', 'saidas', 'nao_operacional')
  UNION ALL
  SELECT 'DRE', codigo, mes, '', nivel, categoria_id, valor FROM mart.dre
  WHERE codigo NOT IN ('receita_liquida', 'margem_contribuicao', 'ebitda', 'resultado_antes_ir', 'resultado')),
nos AS (
  SELECT onde, codigo, mes, momento, categoria_id, valor,
    CASE WHEN nivel = 0 THEN 'total'
      WHEN nivel > min(nivel) OVER (PARTITION BY onde, codigo, mes, momento, nivel = 0, categoria_id) THEN 'direto'
      ELSE 'nó' END AS parte
  FROM mostrados),
encontrados AS (SELECT * EXCLUDE (valor), sum(valor) AS valor FROM nos GROUP BY ALL),
diretos AS (
  SELECT 'Fluxo mensal' AS onde, CASE linha WHEN 'Entradas' THEN 'entradas' WHEN 'Saídas' THEN 'saidas'
    ELSE 'nao_operacional' END AS codigo, mes, momento, categoria_id, sum(valor) AS valor
  FROM prova.fluxo WHERE linha IN ('Entradas', 'Saídas', 'Não operacional') GROUP BY ALL
  UNION ALL SELECT 'DRE', grupo, mes, '', categoria_id, sum(valor) FROM prova.resultado GROUP BY ALL),
esperados AS (
  SELECT onde, codigo, mes, momento, NULL::BIGINT AS categoria_id, 'total' AS parte, sum(valor) AS valor
  FROM diretos GROUP BY ALL
  UNION ALL SELECT onde, codigo, mes, momento, a.acima, 'nó', sum(valor)
  FROM diretos d JOIN prova.arvore a ON a.categoria_id IS NOT DISTINCT FROM d.categoria_id GROUP BY ALL
  UNION ALL SELECT onde, codigo, mes, momento, d.categoria_id, 'direto', valor
  FROM diretos d JOIN prova.arvore a ON a.categoria_id = d.categoria_id AND a.acima = a.categoria_id AND a.com_filhas),
pares AS (
  SELECT coalesce(m.onde, e.onde) || ' · ' || strftime(coalesce(m.mes, e.mes), '%Y-%m ')
      || coalesce(m.momento, e.momento) || ' · ' || coalesce(m.codigo, e.codigo) || ' · '
      || CASE coalesce(m.parte, e.parte) WHEN 'total' THEN 'total' WHEN 'nó' THEN '' ELSE '(direto) ' END
      || CASE WHEN coalesce(m.parte, e.parte) <> 'total'
        THEN coalesce(coalesce(m.categoria_id, e.categoria_id)::VARCHAR, 'sem categoria') ELSE '' END AS no,
    coalesce(e.valor, 0)::DECIMAL(18,2) AS esperado, m.valor::DECIMAL(18,2) AS encontrado
  FROM encontrados m FULL JOIN esperados e ON e.onde = m.onde AND e.codigo = m.codigo AND e.mes = m.mes
    AND e.momento = m.momento AND e.parte = m.parte AND e.categoria_id IS NOT DISTINCT FROM m.categoria_id
  WHERE m.onde IS NOT NULL
    OR (e.valor <> 0 AND (e.onde, e.codigo, e.mes, e.momento) IN (SELECT (onde, codigo, mes, momento) FROM nos)))
SELECT CASE WHEN esperado = encontrado THEN 'nós iguais' ELSE no END AS chave, nullif(esperado, encontrado) AS esperado,
  nullif(encontrado, esperado) AS encontrado, count(*) AS comparacoes
FROM pares GROUP BY ALL ORDER BY chave;

-- Cada nó está em todas as colunas, uma vez em cada.
SELECT 'Fluxo mensal · linhas' AS chave,
  count(DISTINCT (linha, nivel, categoria_id, categoria)) * count(DISTINCT (mes, momento)) AS esperado,
  count(*) AS encontrado
FROM mart.fluxo_mensal HAVING count(*) > 0
UNION ALL
SELECT 'DRE · linhas', count(DISTINCT (codigo, nivel, categoria_id, linha)) * count(DISTINCT mes), count(*)
FROM mart.dre HAVING count(*) > 0

-- V07 · Árvore de categorias: nó = direto + filhas; raízes = total da seção
-- Severidade: erro
-- Relatório: R04
-- Por que importa: quem abre uma categoria espera achar nela tudo o que está abaixo, e nada a mais.
-- O que fazer: veja o nó que difere; as linhas dele estão em Lançamentos, sob a mesma categoria. Relate-o.

-- Cada nó do Fluxo mensal (R04) e da DRE (R06) soma de novo as linhas de sua categoria e das que estão abaixo dela
-- (S11); "(direto)", as da própria; o total, todas. Nenhum nó com valor falta.
WITH mostrados AS (
  SELECT 'Fluxo mensal' AS lugar, linha AS codigo, mes, momento, nivel, categoria_id, valor FROM mart.fluxo_mensal
  WHERE linha IN ('entradas', 'saidas', 'nao_operacional')
  UNION ALL
  SELECT 'DRE', codigo, mes, '', nivel, categoria_id, valor FROM mart.dre
  WHERE codigo NOT IN ('receita_liquida', 'margem_contribuicao', 'ebitda', 'resultado_antes_ir', 'resultado')),
niveis AS (SELECT lugar, codigo, categoria_id, min(nivel) AS nivel FROM mostrados WHERE nivel > 0 GROUP BY ALL),
nos AS (
  SELECT m.lugar, m.codigo, mes, momento, m.categoria_id, valor,
    CASE WHEN m.nivel = 0 THEN 'total' WHEN m.nivel > n.nivel THEN 'direto' ELSE 'nó' END AS parte
  FROM mostrados m LEFT JOIN niveis n
    ON n.lugar = m.lugar AND n.codigo = m.codigo AND n.categoria_id IS NOT DISTINCT FROM m.categoria_id),
diretos AS (
  SELECT 'Fluxo mensal' AS lugar, linha AS codigo, mes, momento, categoria_id, sum(valor) AS valor
  FROM prova.fluxo WHERE linha IN ('entradas', 'saidas', 'nao_operacional') GROUP BY ALL
  UNION ALL SELECT 'DRE', grupo, mes, '', categoria_id, sum(valor) FROM prova.resultado GROUP BY ALL),
esperados AS (
  SELECT lugar, codigo, mes, momento, NULL AS categoria_id, 'total' AS parte, valor FROM diretos
  UNION ALL SELECT lugar, codigo, mes, momento, a.acima, 'nó', valor
  FROM diretos d JOIN prova.arvore a ON a.categoria_id IS NOT DISTINCT FROM d.categoria_id
  UNION ALL SELECT lugar, codigo, mes, momento, d.categoria_id, 'direto', valor
  FROM diretos d JOIN prova.arvore a ON a.categoria_id = d.categoria_id AND a.acima = a.categoria_id AND a.com_filhas)
-- Somam: esperados onde (lugar, codigo, mes, momento) IN (SELECT (lugar, codigo, mes, momento) FROM nos) = nos
--   por lugar, mes, momento, codigo, parte, categoria_id
--   como concat_ws(' · ', lugar, strftime(mes, '%Y-%m ') || momento, codigo, parte,
--   CASE WHEN parte <> 'total' THEN coalesce(categoria_id::VARCHAR, 'sem categoria') END): valor

-- Cada nó está em todas as colunas, uma vez em cada.
-- Uma vez: mart.fluxo_mensal por linha, nivel, categoria_id, categoria em mes, momento como 'Fluxo mensal · linhas'
-- Uma vez: mart.dre por codigo, nivel, categoria_id, linha em mes como 'DRE · linhas'

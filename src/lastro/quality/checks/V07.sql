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
niveis AS (SELECT onde, codigo, categoria_id, min(nivel) AS nivel FROM mostrados WHERE nivel > 0 GROUP BY ALL),
nos AS (
  SELECT m.onde, m.codigo, mes, momento, coalesce(m.categoria_id, -1) AS categoria_id, valor,
    CASE WHEN m.nivel = 0 THEN 'total' WHEN m.nivel > n.nivel THEN 'direto' ELSE 'nó' END AS parte
  FROM mostrados m LEFT JOIN niveis n
    ON n.onde = m.onde AND n.codigo = m.codigo AND n.categoria_id IS NOT DISTINCT FROM m.categoria_id),
diretos AS (
  SELECT 'Fluxo mensal' AS onde, CASE linha WHEN 'Entradas' THEN 'entradas' WHEN 'Saídas' THEN 'saidas'
    ELSE 'nao_operacional' END AS codigo, mes, momento, categoria_id, sum(valor) AS valor
  FROM prova.fluxo WHERE linha IN ('Entradas', 'Saídas', 'Não operacional') GROUP BY ALL
  UNION ALL SELECT 'DRE', grupo, mes, '', categoria_id, sum(valor) FROM prova.resultado GROUP BY ALL),
esperados AS (
  SELECT onde, codigo, mes, momento, -1 AS categoria_id, 'total' AS parte, sum(valor) AS valor
  FROM diretos GROUP BY ALL
  UNION ALL SELECT onde, codigo, mes, momento, coalesce(a.acima, -1), 'nó', sum(valor)
  FROM diretos d JOIN prova.arvore a ON a.categoria_id IS NOT DISTINCT FROM d.categoria_id GROUP BY ALL
  UNION ALL SELECT onde, codigo, mes, momento, d.categoria_id, 'direto', valor
  FROM diretos d JOIN prova.arvore a ON a.categoria_id = d.categoria_id AND a.acima = a.categoria_id AND a.com_filhas),
pares AS (
  SELECT onde, codigo, mes, momento, parte, categoria_id, coalesce(e.valor, 0)::DECIMAL(18,2) AS esperado,
    n.valor::DECIMAL(18,2) AS encontrado
  FROM nos n FULL JOIN esperados e USING (onde, codigo, mes, momento, parte, categoria_id)
  WHERE n.parte IS NOT NULL
    OR (e.valor <> 0 AND (onde, codigo, mes, momento) IN (SELECT (onde, codigo, mes, momento) FROM nos)))
SELECT CASE WHEN esperado = encontrado THEN 'nós iguais'
    ELSE concat_ws(' · ', onde, strftime(mes, '%Y-%m ') || momento, codigo, parte,
      CASE WHEN parte <> 'total' THEN coalesce(nullif(categoria_id, -1)::VARCHAR, 'sem categoria') END) END AS chave,
  nullif(esperado, encontrado) AS esperado, nullif(encontrado, esperado) AS encontrado, count(*) AS comparacoes
FROM pares GROUP BY ALL ORDER BY chave;

-- Cada nó está em todas as colunas, uma vez em cada.
SELECT 'Fluxo mensal · linhas' AS chave,
  count(DISTINCT (linha, nivel, categoria_id, categoria)) * count(DISTINCT (mes, momento)) AS esperado,
  count(*) AS encontrado
FROM mart.fluxo_mensal HAVING count(*) > 0
UNION ALL
SELECT 'DRE · linhas', count(DISTINCT (codigo, nivel, categoria_id, linha)) * count(DISTINCT mes), count(*)
FROM mart.dre HAVING count(*) > 0

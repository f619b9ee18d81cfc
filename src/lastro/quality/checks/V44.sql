-- V44 · Tributos = linhas em aberto das categorias de tributos
-- Severidade: erro
-- Relatório: R21
-- Por que importa: por esta lista se responde ao fisco e se decide o que parcelar; o que falta nela, falta na conta.
-- O que fazer: veja a categoria e o mês que diferem; os dados sozinhos não o causam, relate-o.

-- Cada categoria e mês de competência, e o que é parcelado à parte; e cada parte do total. O que o banco ou a mesa diz
-- pago não se deve (S26).
WITH devidos AS (
  SELECT *, CASE WHEN parcelada OR respondida THEN 'em parcelamento' WHEN vencido THEN 'atrasado' ELSE 'a vencer' END
      AS situacao
  FROM prova.devidos WHERE NOT quitada),
esperados AS (
  SELECT concat_ws(' · ', 'categoria', coalesce(categoria_id::VARCHAR, 'sem'), mes, situacao) AS chave,
    valor
  FROM devidos
  UNION ALL SELECT 'total · ' || unnest([replace(situacao, ' ', '_'), 'total']), valor FROM devidos),
mostrados AS (
  SELECT concat_ws(' · ', 'categoria', coalesce(categoria_id::VARCHAR, 'sem'), competencia, situacao) AS chave, valor
  FROM mart.tributos WHERE situacao <> 'sem guia'
  UNION ALL SELECT 'total · ' || codigo, valor FROM mart.tributos_total)
-- Somam: esperados = mostrados por chave como chave: valor

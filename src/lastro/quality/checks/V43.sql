-- V43 · Cada linha está uma vez na DRE: em sua linha e no mês de sua competência, por categoria e centro
-- Severidade: erro
-- Relatório: R06
-- Por que importa: a DRE, a ponte, os comparativos e o orçado somam estas linhas; uma no mês errado muda dois meses, e
--   nenhum total a trai.
-- O que fazer: veja a linha da DRE, o mês e a categoria que diferem; Lançamentos tem a competência de cada linha. Os
--   dados sozinhos não o causam, relate-o.

-- O resultado (S4, S5, S17) por linha da DRE, mês, categoria, centro, pago ou não, até a data-base ou depois, como os
-- relatórios o somam (posicao): quantas linhas e quanto. O mês em que se somam é o do dia da competência.
WITH somadas AS (
  SELECT l.*, l.mes_competencia AS mes, l.data_competencia_ef <= p.data_base AS ate_d
  FROM posicao.linhas l CROSS JOIN prova.parametros p
  WHERE NOT l.transferencia AND l.valor <> 0 AND (l.mes_competencia IS NOT NULL OR l.data_competencia_ef IS NOT NULL))
-- Somam: prova.resultado = somadas por grupo, mes, categoria_id, centro_custo_lucro_id, pago, ate_d
--   como concat_ws(' · ', 'DRE', coalesce(strftime(mes, '%Y-%m'), 'sem mês'), grupo,
--   coalesce('categoria ' || categoria_id, 'sem categoria'),
--   coalesce('centro ' || centro_custo_lucro_id, 'sem centro'), CASE WHEN pago THEN 'pago' ELSE 'em aberto' END,
--   CASE WHEN NOT ate_d THEN 'depois da data-base' END): valor, linhas = 1 AS 'qtde'

-- Lançamentos (R16) mostra cada linha no dia da competência que competencia_nula pede (S4) e na linha da DRE (S17).
WITH devidas AS (SELECT *, CASE WHEN NOT transferencia THEN grupo END AS dre_grupo FROM prova.linhas)
-- Iguais: devidas = mart.lancamentos por origem, linha_id como concat_ws(' · ', 'linha ' || linha_id,
--   nullif(origem, 'lancamento')):
--   data_competencia_ef, competencia_presumida, dre_grupo

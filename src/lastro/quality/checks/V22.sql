-- V22 · Orçado x realizado: realizado e contratado de cada mês = resultado da DRE
-- Severidade: erro
-- Relatório: R18
-- Sem comparações: nenhum orçamento do ano
-- Por que importa: quem compara com o orçamento compara tudo o que a DRE mostra; o que faltasse pareceria economia.
-- O que fazer: veja o mês que difere e as categorias dele; os dados sozinhos não o causam, relate-o.

-- Por mês do ano, a soma de todas as categorias, fora do resultado não contando.
SELECT strftime(e.mes, '%Y-%m · resultado') AS chave, coalesce(r.valor, 0)::DECIMAL(18,2) AS esperado,
  m.valor::DECIMAL(18,2) AS encontrado
FROM (SELECT DISTINCT mes FROM prova.orcado) e
LEFT JOIN (SELECT mes, sum(valor) AS valor FROM prova.resultado WHERE grupo <> 'fora' GROUP BY mes) r USING (mes)
LEFT JOIN (SELECT mes, sum(realizado + contratado) AS valor FROM mart.orcado_mensal WHERE NOT fora_resultado
  GROUP BY mes) m USING (mes)
ORDER BY e.mes;

-- A mesma soma é a linha de resultado da DRE (R06), nos meses que ela mostra.
SELECT strftime(d.mes, '%Y-%m · DRE') AS chave, d.valor::DECIMAL(18,2) AS esperado, m.valor::DECIMAL(18,2) AS encontrado
FROM (SELECT mes, sum(realizado + contratado) AS valor FROM mart.orcado_mensal WHERE NOT fora_resultado
  GROUP BY mes) m JOIN mart.dre d ON d.mes = m.mes AND d.codigo = 'resultado' AND d.nivel = 0
ORDER BY d.mes;

-- Cada categoria e mês, uma vez, com o que as linhas dizem.
-- Somam: prova.orcado = mart.orcado_mensal por categoria_id, fora = fora_resultado, mes
--   como coalesce(categoria_id, 0) || strftime(mes, ' · %Y-%m'):
--   orcada::INTEGER AS 'orçada', realizado, contratado, vezes AS 'linhas'

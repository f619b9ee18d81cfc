-- V17 · A ponte da carteira em aberto fecha (R14)
-- Severidade: erro
-- Relatório: R14
-- Julga: o que os relatórios mostram
-- Planilhas: R14
-- Sem comparações: sem execução anterior
-- Por que importa: a ponte diz por que o que está em aberto mudou; se não fecha, uma mudança falta ou conta duas vezes.
-- O que fazer: veja o tipo que difere em Mudanças e as linhas dele; os dados sozinhos não o causam, relate-o.

-- A ponte soma o que está em aberto agora nas linhas (S3, sem transferências); as mudanças somam a diferença.
WITH ponte AS (
  SELECT sum(valor) FILTER (NOT starts_with(item, '=')) AS soma, sum(valor) FILTER (starts_with(item, '=')) AS agora,
    agora - sum(valor) FILTER (item = 'Em aberto no relatório anterior') AS mudou
  FROM mart.mudancas_ponte HAVING count(*) > 0),
aberto AS (SELECT coalesce(sum(valor), 0) AS aberto FROM prova.linhas WHERE NOT pago AND NOT transferencia),
mudancas AS (SELECT coalesce(sum(impacto_no_aberto), 0) AS impacto FROM mart.mudancas),
frases AS (
  SELECT coalesce(sum(impacto_no_aberto), 0) AS dito FROM mart.mudancas_resumo WHERE NOT starts_with(tipo, 'VENCEU_'))
SELECT unnest(['total', 'ponte · soma', 'ponte · em aberto agora', 'mudanças · impacto no aberto',
    'em frases · impacto no aberto']) AS chave,
  unnest([aberto, agora, aberto, mudou, mudou])::DECIMAL(18,2) AS esperado,
  unnest([agora, soma, agora, impacto, dito])::DECIMAL(18,2) AS encontrado
FROM ponte, aberto, mudancas, frases;

-- Cada tipo de mudança soma as suas; o impacto de uma linha está na primeira de suas mudanças.
WITH somadas AS (
  SELECT tipo, sum(impacto_no_aberto) AS aberto, sum(impacto_no_resultado) AS resultado FROM mart.mudancas
    GROUP BY tipo)
SELECT 'mudanças · ' || t.tipo || unnest([' · aberto', ' · resultado']) AS chave,
  unnest([t.impacto_no_aberto, t.impacto_no_resultado])::DECIMAL(18,2) AS esperado,
  unnest([coalesce(s.aberto, 0), coalesce(s.resultado, 0)])::DECIMAL(18,2) AS encontrado
FROM mart.mudancas_tipos t LEFT JOIN somadas s ON s.tipo = t.tipo;

-- As contagens: sete linhas na ponte, um tipo por tipo, uma frase para cada linha mudada, nenhuma mudança repetida.
WITH contadas AS (SELECT tipo, count(impacto_no_aberto) AS linhas FROM mart.mudancas GROUP BY tipo),
ponte AS (SELECT count(*) AS linhas FROM mart.mudancas_ponte)
SELECT 'mudanças · ' || t.tipo || ' · linhas' AS chave, t.linhas AS esperado, coalesce(c.linhas, 0) AS encontrado
FROM mart.mudancas_tipos t LEFT JOIN contadas c ON c.tipo = t.tipo
UNION ALL SELECT 'ponte · linhas', 7, linhas FROM ponte WHERE linhas > 0
UNION ALL SELECT 'mudanças · tipos', (SELECT count(*) FROM contadas), (SELECT count(*) FROM mart.mudancas_tipos)
  FROM ponte WHERE linhas > 0
UNION ALL SELECT 'mudanças · distintas', count(*), count(DISTINCT (tipo, linha_id, campo)) FROM mart.mudancas
  HAVING count(*) > 0
UNION ALL SELECT 'em frases · linhas', (SELECT coalesce(sum(linhas), 0)::BIGINT FROM mart.mudancas_tipos),
    (SELECT coalesce(sum(linhas), 0)::BIGINT FROM mart.mudancas_resumo WHERE NOT starts_with(tipo, 'VENCEU_'))
  FROM ponte WHERE linhas > 0

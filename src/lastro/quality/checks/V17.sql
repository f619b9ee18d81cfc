-- V17 · A ponte da carteira em aberto fecha (R14)
-- Severidade: erro
-- Relatório: R14
-- Sem comparações: sem execução anterior
-- Por que importa: a ponte diz por que o que está em aberto mudou; se não fecha, uma mudança falta ou conta duas vezes.
-- O que fazer: veja o tipo que difere em Mudanças e as linhas dele; os dados sozinhos não o causam, relate-o.

-- A ponte parte do que estava em aberto no relatório anterior e, item por item, chega ao que está agora: o item que
-- começa por '=' é o fim. O fim é a soma dos itens e o que as linhas têm em aberto (S3, sem transferências). O que
-- mudou de lá para cá é a soma do impacto das mudanças, e a das frases que as resumem; 'VENCEU_' não muda o aberto.
WITH ponte AS (
  SELECT sum(valor) FILTER (NOT starts_with(item, '=')) AS soma_dos_itens,
    sum(valor) FILTER (starts_with(item, '=')) AS fim,
    fim - sum(valor) FILTER (item = 'Em aberto no relatório anterior') AS mudou
  FROM mart.mudancas_ponte HAVING count(*) > 0),
linhas AS (SELECT coalesce(sum(valor), 0) AS em_aberto FROM prova.linhas WHERE NOT pago AND NOT transferencia),
mudancas AS (SELECT coalesce(sum(impacto_no_aberto), 0) AS impacto FROM mart.mudancas),
frases AS (
  SELECT coalesce(sum(impacto_no_aberto), 0) AS dito FROM mart.mudancas_resumo WHERE NOT starts_with(tipo, 'VENCEU_'))
SELECT unnest(['total', 'ponte · soma', 'ponte · em aberto agora', 'mudanças · impacto no aberto',
    'em frases · impacto no aberto']) AS chave,
  unnest([em_aberto, fim, em_aberto, mudou, mudou])::DECIMAL(18,2) AS esperado,
  unnest([fim, soma_dos_itens, fim, impacto, dito])::DECIMAL(18,2) AS encontrado
FROM ponte CROSS JOIN linhas CROSS JOIN mudancas CROSS JOIN frases;

-- Cada tipo de mudança (mudancas_tipos) soma as suas. Uma linha que mudou de vários modos tem uma mudança para cada um,
-- e seu impacto só na primeira: nas outras é nulo, e assim nada conta duas vezes.
WITH somadas AS (
  SELECT tipo, sum(impacto_no_aberto) AS aberto, sum(impacto_no_resultado) AS resultado
  FROM mart.mudancas GROUP BY tipo)
SELECT 'mudanças · ' || t.tipo || unnest([' · aberto', ' · resultado']) AS chave,
  unnest([t.impacto_no_aberto, t.impacto_no_resultado])::DECIMAL(18,2) AS esperado,
  unnest([coalesce(s.aberto, 0), coalesce(s.resultado, 0)])::DECIMAL(18,2) AS encontrado
FROM mart.mudancas_tipos t LEFT JOIN somadas s ON s.tipo = t.tipo;

-- As contagens: a ponte tem sete itens; cada tipo conta as linhas de que diz o impacto, e está em mudancas_tipos uma
-- vez; nenhuma mudança se repete; as frases falam de tantas linhas quantas mudaram.
WITH contadas AS (SELECT tipo, count(impacto_no_aberto) AS linhas FROM mart.mudancas GROUP BY tipo),
ponte AS (SELECT count(*) AS linhas FROM mart.mudancas_ponte)
SELECT 'mudanças · ' || t.tipo || ' · linhas' AS chave, t.linhas AS esperado, coalesce(c.linhas, 0) AS encontrado
FROM mart.mudancas_tipos t LEFT JOIN contadas c ON c.tipo = t.tipo
UNION ALL SELECT 'ponte · linhas', 7, linhas FROM ponte WHERE linhas > 0
UNION ALL SELECT 'mudanças · tipos', (SELECT count(*) FROM contadas), (SELECT count(*) FROM mart.mudancas_tipos)
  FROM ponte WHERE linhas > 0
UNION ALL SELECT 'mudanças · distintas', count(*), count(DISTINCT (tipo, titulo_id, linha_id, campo)) FROM mart.mudancas
  HAVING count(*) > 0
UNION ALL SELECT 'em frases · linhas', (SELECT coalesce(sum(linhas), 0)::BIGINT FROM mart.mudancas_tipos),
    (SELECT coalesce(sum(linhas), 0)::BIGINT FROM mart.mudancas_resumo WHERE NOT starts_with(tipo, 'VENCEU_'))
  FROM ponte WHERE linhas > 0

-- V14 · Evidência sobre o valor do pai dos compostos
-- Severidade: erro
-- Relatório: R15
-- Julga: o que foi recebido e lido
-- Sem comparações: só de uma leitura completa do próprio dia
-- Só relações internas: a decisão está ao lado da evidência que a carga contou nos registros.
-- Por que importa: se o pai inclui os itens e se soma os dois, todo composto conta duas vezes.
-- O que fazer: veja um composto no serviço e diga em composto_valor_pai se o valor dele inclui os itens.

-- O modo em força e o que os dados decidem sozinhos (S2.6), se ninguém decidiu por eles: n0 títulos cujo pai não é a
-- soma dos itens, n1 cujo pai é.
SELECT 'total' AS chave, CASE WHEN fonte = 'parametro' THEN modo ELSE coalesce(decidido, modo) END AS esperado,
  modo AS encontrado
FROM prova.compostos
UNION ALL
SELECT 'título ' || unnest(diferencas), NULL, 'o pai difere da soma dos itens' FROM prova.compostos
UNION ALL
SELECT 'modo decidido pelos dados', modo,
  CASE WHEN fonte = 'execução anterior' THEN coalesce(decidido, modo) ELSE modo END
FROM prova.compostos
UNION ALL
SELECT 'n0=' || n0 || ' · n1=' || n1, NULL, 'os dados dizem os dois modos' FROM prova.compostos
WHERE n0 > 0 AND n1 > 0;

-- Uma leitura tem uma decisão só.
SELECT 'decisões' AS chave, 1 AS esperado, count(*) AS encontrado FROM prova.compostos HAVING count(*) > 1;

-- Até 5% de pais iguais à soma são coincidência, e um alerta, se nada mais falha.
SELECT 'modo ' || modo || ' (' || fonte || '), n0=' || n0 || ', n1=' || n1 AS detalhe,
  CASE WHEN n0 > 0 AND n1 > 0 AND 100 * n1 <= 5 * (n0 + n1) AND len(diferencas) = 0
    AND (fonte <> 'execução anterior' OR coalesce(decidido, modo) = modo) THEN 'alerta' END AS severidade
FROM prova.compostos

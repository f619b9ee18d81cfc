-- V38 · Saldo no dia da âncora = extrato + em trânsito, e cada extrato ao lado do livro certo
-- Severidade: erro
-- Relatório: R01
-- Julga: o que os relatórios mostram
-- Sem comparações: nenhum saldo de extrato
-- Por que importa: a abertura que segue de um extrato move todos os saldos do passado; errada, nenhum é o do banco.
-- O que fazer: é defeito de cálculo; relate-o com a conta e o dia do extrato.

-- Da âncora segue a abertura (S23): no dia dela o livro é o extrato mais o que estava em trânsito.
SELECT 'conta ' || f.conta_id || ' · âncora de ' || f.dia AS chave, (f.valor + f.transito)::DECIMAL(18,2) AS esperado,
  e.livro AS encontrado
FROM prova.conferidos f LEFT JOIN mart.extratos e ON e.conta_id = f.conta_id AND e.dia = f.dia
WHERE f.papel = 'âncora' ORDER BY f.conta_id;

-- Extratos: livro e trânsito são os das linhas e cobranças, e a diferença e o que dela nasceu seguem deles (S23, V19).
WITH diferencas AS (
  SELECT *, calculado - transito - valor AS diferenca FROM prova.conferidos),
esperados AS (
  SELECT *, diferenca - coalesce(lag(diferenca) OVER (PARTITION BY conta_id ORDER BY dia), 0) AS nasceu
  FROM diferencas),
pares AS (
  SELECT coalesce(x.conta_id, e.conta_id) AS conta_id, coalesce(x.dia, e.dia) AS dia, x AS x, e AS e
  FROM esperados x FULL JOIN mart.extratos e ON e.conta_id = x.conta_id AND e.dia = x.dia)
SELECT 'conta ' || conta_id || ' · ' || dia || ' · '
    || unnest(['extrato', 'livro', 'em trânsito', 'diferença', 'nasceu']) AS chave,
  unnest([x.valor, x.calculado, x.transito, x.diferenca, x.nasceu])::DECIMAL(18,2) AS esperado,
  unnest([e.extrato, e.livro, e.em_transito, e.diferenca, e.nasceu_no_periodo])::DECIMAL(18,2) AS encontrado
FROM pares ORDER BY conta_id, dia;

-- Cada extrato uma vez.
SELECT 'extratos' AS chave, (SELECT count(*) FROM prova.conferidos) AS esperado,
  (SELECT count(*) FROM mart.extratos) AS encontrado
WHERE EXISTS (FROM prova.conferidos) OR EXISTS (FROM mart.extratos)

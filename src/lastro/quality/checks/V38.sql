-- V38 · Saldo no dia da âncora = extrato + em trânsito, e cada extrato ao lado do livro certo
-- Severidade: erro
-- Relatório: R01
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
  FROM diferencas)
-- Somam: esperados = mart.extratos por conta_id, dia como 'conta ' || conta_id || ' · ' || dia:
--   valor = extrato AS 'extrato', calculado = livro AS 'livro', transito = em_transito AS 'em trânsito',
--   diferenca AS 'diferença', nasceu = nasceu_no_periodo AS 'nasceu', vezes

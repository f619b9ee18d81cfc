-- V25 · Do saldo do livro ao do banco, as parcelas fecham
-- Severidade: erro
-- Relatório: R20
-- Sem comparações: nenhuma conta com extrato e saldo do banco
-- Por que importa: a conciliação é a prova do primeiro número da capa; uma parcela errada prova o que não é.
-- O que fazer: é defeito de cálculo; relate-o com a conta e o dia do extrato.

-- No fim do extrato: o saldo que o banco mostrou ou que segue das suas linhas (S20), o do livro (S7), e a soma das
-- parcelas entre os dois.
WITH blocos AS (FROM prova.banco_blocos WHERE ultimo),
livros AS (
  SELECT b.conta_id, (SELECT coalesce(sum(m.valor), 0) FROM prova.movimentos m
      WHERE m.conta_id = b.conta_id AND NOT m.previsto AND m.dia <= b.fim)::DECIMAL(18,2) AS livro
  FROM blocos b JOIN prova.contas c ON c.conta_id = b.conta_id AND (c.inicio IS NULL OR c.inicio <= b.fim))
SELECT 'conta ' || b.conta_id || ' · ' || unnest(['extrato até ' || b.fim, 'livro', 'banco', 'parcelas']) AS chave,
  unnest([0.00, l.livro, b.saldo, CASE WHEN l.livro IS NOT NULL THEN b.saldo END])::DECIMAL(18,2) AS esperado,
  unnest([(r.extrato_ate - b.fim)::DECIMAL(18,2), r.saldo_do_livro, r.saldo_do_banco,
    r.saldo_do_livro + r.no_banco_sem_livro + r.no_livro_sem_banco + r.diferencas_explicadas + r.ignoradas
      + r.fora_do_periodo + r.abertura])::DECIMAL(18,2) AS encontrado
FROM blocos b LEFT JOIN livros l ON l.conta_id = b.conta_id
LEFT JOIN mart.conciliacao r ON r.conta_id = b.conta_id
ORDER BY b.conta_id;

-- Só o que está antes do primeiro item que falta a um dos lados está conciliado, e nada enquanto a abertura não é o que
-- estava em trânsito na véspera (S23). Cada conta está uma vez.
WITH faltas AS (SELECT conta_id, min(dia) AS dia FROM mart.conciliacao_pendencias GROUP BY conta_id),
transito AS (
  SELECT b.conta_id, sum(l.valor) AS valor
  FROM prova.banco_blocos b JOIN prova.linhas l ON l.conta_id = b.conta_id AND l.pago AND l.data_pagamento < b.inicio
  JOIN prova.chegadas c ON c.titulo_id = l.titulo_id AND c.chegada >= b.inicio WHERE b.ultimo GROUP BY b.conta_id)
SELECT 'conta ' || r.conta_id || ' · conciliado até' AS chave,
  CASE WHEN r.abertura + coalesce(t.valor, 0) = 0
    THEN greatest((b.inicio - 1)::DATE, least(r.extrato_ate, (f.dia - 1)::DATE)) END::VARCHAR AS esperado,
  r.conciliado_ate::VARCHAR AS encontrado
FROM mart.conciliacao r LEFT JOIN prova.banco_blocos b ON b.conta_id = r.conta_id AND b.ultimo LEFT JOIN faltas f ON f.conta_id = r.conta_id LEFT JOIN transito t ON t.conta_id = r.conta_id
WHERE r.extrato_ate IS NOT NULL
UNION ALL
SELECT 'conta ' || r.conta_id || unnest([' · abertura em trânsito', ' · abertura']),
  unnest([(-coalesce(t.valor, 0))::DECIMAL(18,2), r.abertura])::VARCHAR,
  unnest([r.abertura_em_transito, r.abertura_em_transito + r.abertura_baixas_esquecidas + r.nao_explicado])::VARCHAR
FROM mart.conciliacao r LEFT JOIN transito t ON t.conta_id = r.conta_id WHERE r.abertura IS NOT NULL
UNION ALL
SELECT 'conta ' || conta_id || ' · vezes', '1', count(*)::VARCHAR FROM mart.conciliacao GROUP BY conta_id
HAVING count(*) > 1 ORDER BY chave

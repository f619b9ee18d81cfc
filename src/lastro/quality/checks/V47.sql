-- V47 · Agenda de cartões = cobranças por cartão e títulos que se repassam em lotes
-- Severidade: erro
-- Relatório: R11
-- Por que importa: por esta agenda se cobra a adquirente, e se vê o que ela reteve.
-- O que fazer: veja o dia e a adquirente que diferem; os dados sozinhos não o causam, relate-o.

-- Cada dia e adquirente: cobranças vivas e pagas de uma forma que se repassa em lotes; sem cobrança viva, os títulos.
WITH lancados AS (
  SELECT cobranca_id, sum(valor) AS valor FROM prova.cobrados GROUP BY cobranca_id HAVING bool_and(pago)),
partes AS (
  SELECT -c.forma_pagamento_id AS quem, c.rank >= 5 AS recebido,
    CASE WHEN c.rank >= 5 THEN c.data_transferido ELSE c.data_a_transferir END AS dia, c.valor_pago AS bruto,
    c.taxa AS taxas, c.liquido, CASE WHEN c.rank >= 5 AND c.data_transferido < c.data_a_transferir THEN c.liquido
      ELSE 0 END AS antecipado, CASE WHEN c.rank >= 5 THEN c.liquido - l.valor END AS diferenca
  FROM prova.cobrancas c CROSS JOIN prova.parametros p LEFT JOIN lancados l ON l.cobranca_id = c.cobranca_id
  WHERE c.viva AND c.paga AND c.liquido IS NOT NULL AND list_contains(p.formas_sem_cobranca, c.forma_pagamento_id)
  UNION ALL
  SELECT r.quem, t.pago, CASE WHEN t.pago THEN t.data_pagamento ELSE coalesce(t.data_projetada, t.data_vencimento) END,
    t.valor, NULL, t.valor, CASE WHEN t.pago AND t.data_pagamento < t.data_vencimento THEN t.valor ELSE 0 END, NULL
  FROM prova.repasses r JOIN prova.titulos t ON t.titulo_id = r.titulo_id WHERE NOT t.transferencia),
situadas AS (
  SELECT s.*, CASE WHEN recebido THEN 'recebido' WHEN coalesce(k.proximo_dia_util, s.dia) < data_base THEN 'atrasado'
      ELSE 'a receber' END AS situacao, coalesce(s.dia, DATE '9999-12-31') AS em
  FROM partes s CROSS JOIN prova.parametros LEFT JOIN prova.calendario k ON k.dia = s.dia
  WHERE NOT recebido OR s.dia BETWEEN data_base - 30 AND data_base),
esperadas AS (
  SELECT situacao, em, quem, 1 AS vezes, count(*) AS qtde, sum(bruto)::DECIMAL(18,2) AS bruto,
    sum(taxas)::DECIMAL(18,2) AS taxas, sum(liquido)::DECIMAL(18,2) AS liquido,
    sum(antecipado)::DECIMAL(18,2) AS antecipado, sum(diferenca)::DECIMAL(18,2) AS diferenca
  FROM situadas GROUP BY situacao, em, quem),
mostradas AS (
  SELECT *, coalesce(dia, DATE '9999-12-31') AS em, coalesce(pessoa_id, -forma_pagamento_id) AS quem,
    count(*) OVER (PARTITION BY situacao, dia, pessoa_id, forma_pagamento_id) AS vezes
  FROM mart.agenda_cartoes)
-- Iguais: esperadas = mostradas por situacao, em, quem como concat_ws(' · ', situacao, em, quem):
--   vezes, qtde, bruto, taxas, liquido, antecipado, diferenca
;

-- Quantas cobranças e títulos estão na agenda.
SELECT 'itens' AS chave, (
    SELECT count(*) FROM prova.cobrancas c CROSS JOIN prova.parametros p
    WHERE c.viva AND c.paga AND c.rank < 5 AND c.liquido IS NOT NULL
      AND list_contains(p.formas_sem_cobranca, c.forma_pagamento_id)) + (
    SELECT count(*) FROM prova.repasses JOIN prova.abertos USING (titulo_id)) AS esperado,
  (SELECT coalesce(sum(qtde), 0)::BIGINT FROM mart.agenda_cartoes WHERE situacao <> 'recebido') AS encontrado

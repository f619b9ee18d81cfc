-- O que se pergunta para um dia D qualquer; vale sempre a execução atual, com os seus parâmetros (ops.calculo), e é o
-- texto de prova.titulos e prova.linhas, que as verificações perguntam da data-base. O DuckDB procura tabelas no catálogo
-- de quem pergunta: {desta_empresa} recusa responder com os livros de outro arquivo (lastro.warehouse.file.macros),
-- {ja_lido} num dia que ninguém leu; {execucao} é a que está nas tabelas de agora.
CREATE OR REPLACE MACRO mart.titulos_em(p_data_base) AS TABLE
SELECT t.*, coalesce(p.pessoa, 'Pessoa #' || t.pessoa_id || ' (não encontrada)', 'Sem pessoa') AS pessoa
FROM ({titulos}) t
-- Dois nomes que não se distinguem levam o id, como nos relatórios (S11).
LEFT JOIN (SELECT pessoa_id, CASE WHEN visto <> '' AND count(*) OVER (PARTITION BY visto) > 1
    THEN trim(nome) || ' (#' || pessoa_id || ')' ELSE nome END AS pessoa
  FROM (SELECT *, lower(strip_accents(trim(regexp_replace(nome, '\s+', ' ', 'g')))) AS visto FROM core.pessoas)) p
  ON p.pessoa_id = t.pessoa_id
WHERE {desta_empresa} AND {ja_lido};

CREATE OR REPLACE MACRO mart.linhas_em(p_data_base) AS TABLE
SELECT l.*, t.data_efetiva, t.data_projetada, t.vencido
FROM ({linhas}) l LEFT JOIN mart.titulos_em(p_data_base) t ON t.titulo_id = l.titulo_id
WHERE {desta_empresa} AND {ja_lido};

CREATE OR REPLACE MACRO mart.saldos_entre(p_de, p_ate) AS TABLE
SELECT d.dia, coalesce(c.conta_id, m.conta_id) AS conta_id, coalesce(c.descricao, 'Sem conta') AS conta,
  CASE WHEN c.data_saldo_inicial IS NULL OR d.dia >= c.data_saldo_inicial
    THEN (coalesce(any_value(c.valor_saldo_inicial), 0) + coalesce(sum(m.movimento), 0))::DECIMAL(18,2) END AS saldo,
  coalesce(any_value(c.provisoria), true) AS so_variacao
FROM (SELECT unnest(generate_series(p_de::DATE, CASE WHEN p_ate > (SELECT max(data_extracao) FROM ops.execucoes
      WHERE execucao_id = {execucao})
    THEN error('depois da leitura não há saldo: veja mart.fluxo_diario')::DATE ELSE p_ate::DATE END,
    INTERVAL 1 DAY))::DATE AS dia) d
CROSS JOIN (SELECT conta_id FROM core.contas UNION SELECT conta_id FROM mart.linhas_em(p_ate) WHERE caixa) a
LEFT JOIN core.contas c ON c.conta_id = a.conta_id
-- Movimentos sem conta são uma linha à parte, como em R01; senão a soma das linhas não seria o saldo.
LEFT JOIN (SELECT conta_id, data_pagamento, sum(valor) AS movimento FROM mart.linhas_em(p_ate) WHERE caixa GROUP BY ALL) m
  ON m.conta_id IS NOT DISTINCT FROM a.conta_id AND m.data_pagamento <= d.dia
WHERE {desta_empresa}
GROUP BY d.dia, a.conta_id, c.conta_id, m.conta_id, c.descricao, c.data_saldo_inicial;

CREATE OR REPLACE MACRO mart.saldos_em(p_data_base) AS TABLE
SELECT * EXCLUDE (dia) FROM mart.saldos_entre(p_data_base, p_data_base) WHERE {desta_empresa};

CREATE OR REPLACE MACRO mart.data_base() AS (SELECT max(data_base) FROM ops.relatorio WHERE {desta_empresa});

-- Any recorded run, whole, by its number: the versions that held then (S13). Each macro has the columns of the core
-- table of its name.
CREATE OR REPLACE MACRO hist.linhas_em(p_execucao) AS TABLE
SELECT * EXCLUDE (tags, valido_de, valido_ate, execucao_id), (p_execucao)::BIGINT AS execucao_id FROM hist.linhas
WHERE valido_de <= (p_execucao) AND (valido_ate IS NULL OR valido_ate > (p_execucao));

CREATE OR REPLACE MACRO hist.linha_tags_em(p_execucao) AS TABLE
SELECT DISTINCT origem, linha_id, unnest(tags) AS tag_id FROM hist.linhas
WHERE valido_de <= (p_execucao) AND (valido_ate IS NULL OR valido_ate > (p_execucao));

CREATE OR REPLACE MACRO hist.titulos_em(p_execucao) AS TABLE
SELECT * EXCLUDE (valido_de, valido_ate, execucao_id), (p_execucao)::BIGINT AS execucao_id FROM hist.titulos
WHERE valido_de <= (p_execucao) AND (valido_ate IS NULL OR valido_ate > (p_execucao));

CREATE OR REPLACE MACRO hist.cobrancas_em(p_execucao) AS TABLE
SELECT * EXCLUDE (valido_de, valido_ate, execucao_id), (p_execucao)::BIGINT AS execucao_id FROM hist.cobrancas
WHERE valido_de <= (p_execucao) AND (valido_ate IS NULL OR valido_ate > (p_execucao));

CREATE OR REPLACE MACRO hist.cobranca_titulos_em(p_execucao) AS TABLE
SELECT * EXCLUDE (valido_de, valido_ate, execucao_id) FROM hist.cobranca_titulos
WHERE valido_de <= (p_execucao) AND (valido_ate IS NULL OR valido_ate > (p_execucao));

CREATE OR REPLACE MACRO hist.cobranca_desconhecidos_em(p_execucao) AS TABLE
SELECT * EXCLUDE (valido_de, valido_ate, execucao_id) FROM hist.cobranca_desconhecidos
WHERE valido_de <= (p_execucao) AND (valido_ate IS NULL OR valido_ate > (p_execucao));

CREATE OR REPLACE MACRO hist.categorias_em(p_execucao) AS TABLE
SELECT * EXCLUDE (valido_de, valido_ate, execucao_id) FROM hist.categorias
WHERE valido_de <= (p_execucao) AND (valido_ate IS NULL OR valido_ate > (p_execucao));

CREATE OR REPLACE MACRO hist.pessoas_em(p_execucao) AS TABLE
SELECT * EXCLUDE (valido_de, valido_ate, execucao_id) FROM hist.pessoas
WHERE valido_de <= (p_execucao) AND (valido_ate IS NULL OR valido_ate > (p_execucao));

CREATE OR REPLACE MACRO hist.contas_em(p_execucao) AS TABLE
SELECT * EXCLUDE (valido_de, valido_ate, execucao_id) FROM hist.contas
WHERE valido_de <= (p_execucao) AND (valido_ate IS NULL OR valido_ate > (p_execucao));

CREATE OR REPLACE MACRO hist.saldos_conferidos_em(p_execucao) AS TABLE
SELECT * EXCLUDE (valido_de, valido_ate, execucao_id) FROM hist.saldos_conferidos
WHERE valido_de <= (p_execucao) AND (valido_ate IS NULL OR valido_ate > (p_execucao));

CREATE OR REPLACE MACRO hist.formas_em(p_execucao) AS TABLE
SELECT * EXCLUDE (valido_de, valido_ate, execucao_id) FROM hist.formas
WHERE valido_de <= (p_execucao) AND (valido_ate IS NULL OR valido_ate > (p_execucao));

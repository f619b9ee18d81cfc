-- Q43 · Vencimento ou pagamento suspeito
-- Gravidade: alerta
-- Lados: em aberto
-- Relatório: R15
-- Por que importa: Um ano mal digitado muda o atraso do título; até a correção, fica fora da régua e cartas.
-- O que fazer: Corrigir o vencimento, a competência ou a data de pagamento; se estão certos, nada a fazer.

-- Títulos em aberto com um dia que parece mal digitado: vence mais de 30 dias antes da competência; ou, sem série que o
-- explique, mais de 730 dias depois dela ou da data-base; ou venceu e tem pagamento em data futura.
SELECT 'titulo' AS tipo, titulo_id AS id, valor, pessoa_id, data_vencimento AS dia FROM prova.titulos WHERE suspeito

-- Q43 · Vencimento ou pagamento suspeito
-- Gravidade: alerta
-- Peso: 2
-- Lados: em aberto
-- Por que importa: Um ano mal digitado muda o atraso ou o mês da DRE; até a correção, fica fora da régua e cartas.
-- O que fazer: Corrigir o vencimento, a competência ou a data de pagamento; se estão certos, nada a fazer.

-- Títulos em aberto com um dia que parece mal digitado: vence mais de 30 dias antes da competência; ou, sem série que o
-- explique, mais de 730 dias depois dela ou da data-base; ou venceu e tem pagamento em data futura. Pagos, em que nada
-- está em aberto: os que venceram mais de 730 dias depois da competência, pois a DRE os põe num mês de outro tempo.
SELECT 'titulo' AS tipo, titulo_id AS id, CASE WHEN suspeito THEN valor ELSE 0 END AS valor, pessoa_id,
  data_vencimento AS dia
FROM prova.titulos
WHERE suspeito OR (pago AND NOT transferencia AND valor <> 0 AND grupo_id IS NULL AND titulo_id IN (
  SELECT titulo_id FROM prova.linhas WHERE data_competencia < data_vencimento - 730))

-- Cada título em aberto na data-base, fora transferências e os de valor zero (S8, S9), com sua faixa.
--   lado: Receber ou Pagar, pelo sinal
--   fora: todas as linhas estão fora do resultado
--   prevista: dia em que se espera o pagamento (S3)
--   vencido: com referência antes da data-base (S8)
--   dias: dias de atraso (S8)
--   faixa: faixa de atraso
--   prazo: em quantos dias vence o que não venceu
--   carencia: pagável hoje sem encargos (S8)
--   projetada: dia em que conta na projeção (S4)
--   cobranca_paga: uma cobrança viva dele consta paga (S12)
SELECT titulo_id, CASE WHEN valor > 0 THEN 'Receber' ELSE 'Pagar' END AS lado, valor, conta_id, pessoa_id, grupo_id,
  fora, data_vencimento, prevista, projetada, vencido, carencia, dias,
  CASE WHEN dias <= 0 THEN 'A vencer' WHEN dias <= 30 THEN '1-30' WHEN dias <= 60 THEN '31-60'
    WHEN dias <= 90 THEN '61-90' WHEN dias <= 180 THEN '91-180' ELSE '>180' END AS faixa,
  CASE WHEN vencido THEN NULL WHEN dias >= 0 THEN 'Hoje' WHEN dias >= -7 THEN '1-7' WHEN dias >= -15 THEN '8-15'
    WHEN dias >= -30 THEN '16-30' WHEN dias >= -60 THEN '31-60' WHEN dias >= -90 THEN '61-90' ELSE '>90' END AS prazo,
  titulo_id IN (SELECT l.titulo_id FROM core.cobranca_titulos l JOIN core.cobrancas c ON c.cobranca_id = l.cobranca_id
    WHERE c.viva AND c.paga) AS cobranca_paga
FROM prova.titulos WHERE NOT pago AND NOT transferencia AND valor <> 0

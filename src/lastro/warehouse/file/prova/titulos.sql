-- Cada título, somado de suas linhas (S1), com o que se registrou dele: dia efetivo (S3), vencido ou não (S8), dia em
-- que conta na projeção (S4), a cobrança e o que se estima de multa e juros. A categoria que antecipa o vencimento é a
-- do título, que no modo total não é linha (S2); a pessoa, a forma e o grupo também.
--   positivas: soma das linhas acima de zero
--   aberto: não está pago, não é transferência nem tem valor zero
--   cobranca: o que o serviço diz da cobrança viva de menor número (S9)
--   cobranca_vence: quando ela vence
WITH somado AS (
  SELECT titulo_id, sum(valor)::DECIMAL(18,2) AS valor, count(*) AS qtde_linhas,
    sum(greatest(valor, 0))::DECIMAL(18,2) AS positivas, bool_or(pago) AS pago,
    bool_or(caixa) AS caixa, bool_or(transferencia) AS transferencia, bool_and(fora_resultado) AS fora_resultado,
    min(data_prevista) AS data_prevista, min(data_vencimento) AS data_vencimento, min(data_pagamento) AS data_pagamento,
    min(conta_id) AS conta_id
  FROM prova.linhas GROUP BY titulo_id),
vivas AS (
  SELECT l.titulo_id, min(c.cobranca_id) AS cobranca_id, bool_or(c.paga) AS paga
  FROM core.cobranca_titulos l JOIN core.cobrancas c ON c.cobranca_id = l.cobranca_id
  WHERE c.viva GROUP BY l.titulo_id),
juntos AS (
  SELECT s.*, t.tipo, t.pessoa_id, t.categoria_id, t.grupo_id, t.numero_repeticao, t.total_repeticoes,
    t.periodicidade, t.pagamento_automatico, t.forma_pagamento_id, t.centro_custo_lucro_id, t.data_competencia,
    NOT s.pago AND NOT s.transferencia AND s.valor <> 0 AS aberto,
    CASE WHEN list_contains(p.categorias_antecipam, t.categoria_id) THEN k.dia_util_anterior
      ELSE k.proximo_dia_util END AS data_efetiva,
    v.cobranca_id, coalesce(nullif(c.status_descricao, ''), 'Cobrança ' || v.cobranca_id) AS cobranca,
    c.data_vencimento AS cobranca_vence, coalesce(v.paga, false) AS cobranca_paga,
    u.proximo_dia_util AS cobranca_efetiva,
    CASE WHEN s.valor < 0 THEN p.multa_pagar ELSE coalesce(c.percentual_multa, p.multa_receber) END AS multa_pct,
    CASE WHEN s.valor < 0 THEN p.juros_pagar WHEN NOT c.cobrar_juros THEN 0 ELSE p.juros_receber END AS juros_pct,
    p.data_base, p.data_extracao, p.vence_em_dia_util, p.competencia_nula
  FROM somado s CROSS JOIN prova.parametros p
  LEFT JOIN core.titulos t ON t.titulo_id = s.titulo_id
  LEFT JOIN core.calendario k ON k.dia = s.data_prevista
  LEFT JOIN vivas v ON v.titulo_id = s.titulo_id
  LEFT JOIN core.cobrancas c ON c.cobranca_id = v.cobranca_id
  LEFT JOIN core.calendario u ON u.dia = c.data_vencimento),
medidos AS (
  SELECT * EXCLUDE (vence_em_dia_util, cobranca_efetiva),
    CASE WHEN vence_em_dia_util THEN data_efetiva ELSE data_prevista END AS data_ref,
    coalesce(aberto AND data_prevista < data_base AND data_base <= data_efetiva, false) AS em_carencia,
    CASE WHEN aberto THEN greatest(0, data_base - CASE WHEN valor > 0 AND cobranca_id IS NOT NULL THEN cobranca_efetiva
      ELSE data_efetiva END) ELSE 0 END AS dias_de_mora,
    (100 * abs(valor))::HUGEINT AS centavos
  FROM juntos),
contados AS (
  SELECT *, data_base - data_ref AS dias_de_atraso, coalesce(aberto AND data_ref < data_base, false) AS vencido,
    coalesce(aberto AND data_pagamento > data_extracao AND data_vencimento < data_base, false) AS empurrado,
    aberto AND (coalesce(data_competencia > data_vencimento + 30, false)
      OR (grupo_id IS NULL AND data_vencimento - 730 > least(data_base, coalesce(data_competencia, data_base)))
      OR empurrado) AS suspeito
  FROM medidos)
SELECT * EXCLUDE (data_competencia, competencia_nula, data_base, data_extracao, empurrado, multa_pct, juros_pct,
    centavos),
  coalesce(data_competencia, CASE competencia_nula WHEN 'vencimento' THEN data_vencimento
    WHEN 'caixa' THEN coalesce(CASE WHEN pago THEN data_pagamento END, data_prevista) END) AS data_competencia_ef,
  coalesce(aberto AND dias_de_atraso = 0, false) AS vence_hoje,
  CASE WHEN pago THEN NULL WHEN dias_de_atraso <= 0 THEN 'A vencer' WHEN dias_de_atraso <= 30 THEN '1-30'
    WHEN dias_de_atraso <= 60 THEN '31-60' WHEN dias_de_atraso <= 90 THEN '61-90'
    WHEN dias_de_atraso <= 180 THEN '91-180' ELSE '>180' END AS faixa,
  CASE WHEN pago THEN 'Pago' WHEN NOT aberto THEN 'A vencer' WHEN data_pagamento > data_extracao THEN 'Agendado'
    WHEN em_carencia THEN 'Em carência' WHEN vencido THEN 'Vencido' WHEN vence_hoje THEN 'Vence hoje' ELSE 'A vencer' END
    AS situacao,
  CASE WHEN NOT pago AND NOT vencido AND NOT (empurrado AND valor > 0)
    THEN CASE WHEN data_efetiva < data_base THEN data_base ELSE data_efetiva END END AS data_projetada,
  -- Centavos x milionésimos de % (x dias), meio para cima (S14): inteiros até o fim.
  CASE WHEN dias_de_mora = 0 THEN 0 ELSE ((2 * centavos * (1000000 * multa_pct)::HUGEINT + 100000000)
    // 200000000)::DECIMAL(20,0) * 0.01 END::DECIMAL(18,2) AS multa,
  CASE WHEN dias_de_mora = 0 THEN 0 ELSE ((2 * centavos * (1000000 * juros_pct)::HUGEINT * dias_de_mora
    + 3000000000) // 6000000000)::DECIMAL(20,0) * 0.01 END::DECIMAL(18,2) AS juros
FROM contados

-- V01 · Saldos iniciais + linhas de caixa = saldos na data-base, por conta e no total
-- Severidade: erro
-- Relatório: R01
-- Por que importa: o saldo é a primeira figura que se compara com o banco; tudo o mais parte dele.
-- O que fazer: veja a conta que difere: o início do controle (S7) ou uma linha de caixa lida de outro modo; relate-o.

-- Saldos (R01): por conta o saldo inicial mais tudo o que foi pago sob controle; indefinido antes do início (S7).
-- Somam: prova.contas = mart.saldos_por_conta por conta_id como coalesce('conta ' || conta_id, 'sem conta'):
--   saldo = saldo_em_d AS 'Saldos', vezes
SELECT unnest(['total · Saldos', 'total']) AS chave,
  (SELECT coalesce(sum(saldo), 0) FROM prova.contas)::DECIMAL(18,2) AS esperado,
  (SELECT coalesce(sum(saldo_em_d), 0) FROM mart.saldos_por_conta)::DECIMAL(18,2) AS encontrado;

-- Fluxo por conta (R05): o saldo final realizado do mês da data-base é o mesmo; cada conta tem sua linha uma vez.
-- Somam: prova.contas = mart.fluxo_por_conta onde momento = 'realizado' AND mes = (SELECT mes FROM prova.parametros)
--   por conta_id como coalesce('conta ' || conta_id, 'sem conta') || ' · Fluxo por conta':
--   saldo = saldo_final AS '', vezes

-- Os totais de Saldos somam as contas: o de todas e, onde há cartões, o das outras (disponivel) e o deles.
WITH contas AS (
  SELECT CASE WHEN c.cartao THEN 'cartoes' ELSE 'disponivel' END AS bloco, s.saldo_conferido, s.diferenca,
    coalesce(COLUMNS('^valor_saldo_inicial$|^saldo_em_d|_do_dia$|^a_realizar'), 0)
  FROM mart.saldos_por_conta s JOIN prova.contas c ON c.conta_id IS NOT DISTINCT FROM s.conta_id),
blocos AS (
  SELECT 'total' AS codigo, * FROM contas
  UNION ALL SELECT bloco, * FROM contas WHERE EXISTS (FROM contas WHERE bloco = 'cartoes'))
-- Somam: blocos = mart.saldos_por_conta_total por codigo como 'Saldos · ' || codigo:
--   valor_saldo_inicial, saldo_em_d_1, entradas_do_dia, saidas_do_dia, nao_operacional_do_dia, transferencias_do_dia,
--   saldo_em_d, a_realizar_7_dias, saldo_em_d_7, a_realizar_30_dias, saldo_em_d_30, saldo_conferido, diferenca
-- Uma vez: mart.saldos_por_conta_total por codigo como 'Saldos · vezes'

-- O menor saldo projetado e seu primeiro dia (R01), de cada conta e de cada total, são os dos dias do Fluxo diário.
WITH dias AS (
  SELECT 'total' AS chave, dia, saldo_final AS saldo FROM mart.fluxo_diario
  UNION ALL
  SELECT coalesce('conta ' || f.conta_id, 'sem conta'), dia, saldo_final
  FROM mart.fluxo_diario_contas f CROSS JOIN prova.parametros p
  JOIN prova.contas c ON c.conta_id IS NOT DISTINCT FROM f.conta_id AND NOT coalesce(c.inicio > p.data_base, false)
  UNION ALL
  SELECT CASE WHEN c.cartao THEN 'cartoes' ELSE 'disponivel' END, dia, coalesce(sum(saldo_final), 0)
  FROM mart.fluxo_diario_contas f JOIN prova.contas c ON c.conta_id IS NOT DISTINCT FROM f.conta_id GROUP BY ALL),
menores AS (
  SELECT chave, min(saldo) AS saldo, arg_min(dia, (saldo, dia)) AS quando FROM dias CROSS JOIN prova.parametros
  WHERE dia >= data_base AND saldo IS NOT NULL GROUP BY chave),
mostrados AS (
  SELECT coalesce('conta ' || conta_id, 'sem conta') AS chave, menor_saldo_projetado AS saldo,
    data_do_menor_saldo AS dia
  FROM mart.saldos_por_conta
  UNION ALL SELECT codigo, menor_saldo_projetado, data_do_menor_saldo FROM mart.saldos_por_conta_total)
SELECT chave || unnest([' · menor saldo projetado', ' · data do menor saldo']) AS chave,
  unnest([e.saldo::DECIMAL(18,2)::VARCHAR, quando::VARCHAR]) AS esperado,
  unnest([m.saldo::VARCHAR, m.dia::VARCHAR]) AS encontrado
FROM mostrados m LEFT JOIN menores e USING (chave)

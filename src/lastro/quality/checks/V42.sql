-- V42 · Cada linha está uma vez no caixa, em sua conta, categoria, classe e dia, e uma vez em Lançamentos
-- Severidade: erro
-- Relatório: R16
-- Por que importa: todo fluxo soma estas linhas; a que falta ou está noutro dia falta ou está noutro dia em todos.
-- O que fazer: veja a conta e o dia, ou a linha e o campo, que diferem; os dados sozinhos não o causam, relate-o.

-- O que move o caixa (S4, S7), por conta, categoria, linha do fluxo, dia e momento, como os relatórios o somam
-- (posicao): quantas linhas e quanto. O mês em que se somam é o do dia.
WITH devidos AS (
  SELECT *, date_trunc('month', dia)::DATE AS mes FROM prova.partes WHERE linha <> 'saldos_implantados'),
somados AS (
  SELECT conta_id, categoria_id, valor, CASE WHEN pago THEN data_pagamento ELSE data_projetada END AS dia,
    CASE WHEN pago THEN mes_caixa ELSE date_trunc('month', data_projetada)::DATE END AS mes,
    CASE WHEN caixa THEN false WHEN NOT pago THEN true END AS previsto,
    CASE WHEN classe <> 'Transferências' THEN replace(lower(strip_accents(classe)), ' ', '_')
      WHEN valor < 0 THEN 'transf_enviadas' ELSE 'transf_recebidas' END AS linha
  FROM posicao.linhas WHERE caixa OR mes_caixa IS NOT NULL OR NOT pago AND data_projetada IS NOT NULL)
-- Somam: devidos = somados por conta_id, categoria_id, linha, dia, mes, previsto como concat_ws(' · ',
--   coalesce('conta ' || conta_id, 'sem conta'), coalesce('categoria ' || categoria_id, 'sem categoria'), linha, dia,
--   strftime(mes, 'mês %Y-%m'), CASE WHEN previsto THEN 'previsto' ELSE 'realizado' END): valor, 1 AS 'qtde'

-- Lançamentos (R16), linha por linha, campo por campo: valor, classe e natureza (S5), dia, caixa e situação (S3, S4,
-- S7, S8), dimensões (S11). A competência e a linha da DRE são da V43.
WITH devidas AS (
  SELECT l.*, CASE WHEN l.pago THEN l.data_pagamento ELSE l.data_prevista END AS dia,
    CASE WHEN l.caixa THEN l.data_pagamento END AS data_caixa,
    CASE WHEN NOT l.pago THEN t.data_projetada END AS data_projetada,
    CASE WHEN l.pago AND NOT l.caixa THEN 'Fora do controle'
      WHEN NOT l.pago AND (t.transferencia OR t.valor = 0) THEN 'Em aberto' ELSE t.situacao END AS situacao
  FROM prova.linhas l LEFT JOIN prova.titulos t ON t.titulo_id = l.titulo_id)
-- Iguais: devidas = mart.lancamentos por origem, linha_id como concat_ws(' · ', 'linha ' || linha_id,
--   nullif(origem, 'lancamento')):
--   titulo_id, valor, classe, natureza, dia, data_vencimento, data_pagamento, data_caixa, data_projetada, situacao,
--   conta_id, categoria_id, centro_custo_lucro_id, pessoa_id, lancamento_transferencia_id

-- E cada linha uma só vez.
-- Uma vez: mart.lancamentos por origem, linha_id como 'Lançamentos · ids distintos'
SELECT 'Lançamentos · linhas' AS chave, (SELECT count(*) FROM prova.linhas) AS esperado, count(*) AS encontrado
FROM mart.lancamentos

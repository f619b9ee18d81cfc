-- Q36 · Abertura recalculada
-- Gravidade: informação
-- Lados: nenhum
-- Por que importa: A abertura segue do extrato: se ela muda, mudam os saldos do passado que já se mostraram.
-- O que fazer: Ver as linhas; se o passado mudou por engano, desfazer a mudança no serviço.

-- Cada linha que mudou o passado; de outra causa, a conta (S23). O valor é o que acrescenta à abertura.
SELECT CASE WHEN linha_id IS NULL THEN 'conta' ELSE 'linha' END AS tipo, coalesce(linha_id, conta_id) AS id,
  efeito AS valor, coalesce(mudou_em, ancora_dia) AS dia, conta || ': ' || causa AS texto
FROM prova.aberturas;

-- O que se diz: quais saldos, para onde, por quê. É alerta quando, sob a mesma âncora, fazer_minimo ou mais muda.
WITH causas AS (
  SELECT conta_id, conta, causa, origem, ancora_dia, antes, agora, count(linha_id) AS linhas, sum(efeito) AS efeito,
    min(mudou_em) - 1 AS ate
  FROM prova.aberturas GROUP BY ALL),
frases AS (
  SELECT *, CASE WHEN efeito < 0 THEN ' descem {' ELSE ' sobem {' END || abs(efeito) || '}: ' AS quanto,
    strftime(ancora_dia, '%d/%m/%Y') AS ancora
  FROM causas)
SELECT string_agg(conta || ': ' || CASE causa
    WHEN 'passado mudou' THEN 'saldos até ' || strftime(ate, '%d/%m/%Y') || quanto || linhas
      || CASE WHEN linhas = 1 THEN ' lançamento pago até ' || ancora || ' mudou'
        ELSE ' lançamentos pagos até ' || ancora || ' mudaram' END
    WHEN 'trânsito mudou' THEN 'todos os saldos' || quanto || 'mudou o que estava em trânsito em ' || ancora
    ELSE 'abertura de {' || antes || '} para {' || agora || '}: ' || causa
      || coalesce(', extrato de ' || ancora, '') END, ' · ' ORDER BY conta_id, causa) AS dito,
  CASE WHEN bool_or(causa IN ('passado mudou', 'trânsito mudou')
    AND abs(agora - antes) >= (SELECT fazer_minimo FROM prova.parametros)) THEN 'alerta' END AS gravidade
FROM frases

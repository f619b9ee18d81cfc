-- Q24 · Arquivo, linha ou intervalo de extrato que falta
-- Gravidade: alerta
-- Relatório: R20
-- Por que importa: O que o banco tem e não se leu não está em conciliação nenhuma; antes de um intervalo nada se prova.
-- O que fazer: Baixar de novo o arquivo ou o período e pôr na pasta extratos; ou digitar um saldo da conta.
-- Cada um: Por que importa

-- Arquivos, transações e extratos recusados (S20), intervalos de dias que os extratos de uma conta não cobrem, e saldos
-- em que não se acredita, ou de que não segue a abertura que a conta não tem: de vários por uma razão, o mais novo.
SELECT 'arquivo' AS tipo, linha AS id, NULL::BIGINT AS conta, NULL::DATE AS dia,
  arquivo || coalesce(', linha ' || linha, '') || ': ' || motivo AS texto
FROM prova.recusados WHERE arquivo ILIKE 'entrada/extratos/%.ofx'
UNION ALL
SELECT 'conta', conta_id, conta_id, antes + 1, 'conta ' || conta_id || ': intervalo sem extrato de '
    || strftime(antes + 1, '%d/%m/%Y') || ' a ' || strftime(inicio - 1, '%d/%m/%Y')
FROM (SELECT *, lag(fim) OVER (PARTITION BY conta_id ORDER BY fim) AS antes FROM prova.banco_blocos)
WHERE antes IS NOT NULL
UNION ALL
SELECT 'conta', a.conta_id, a.conta_id, max(a.saldo_em), 'conta ' || a.conta_id || ': do saldo'
    || coalesce(strftime(max(a.saldo_em), ' de %d/%m/%Y'), '') || ' não segue abertura, em '
    || arg_max(a.arquivo, (a.saldo_em, a.arquivo)) || CASE count(*) WHEN 1 THEN '' ELSE ' e mais ' || count(*) - 1 END
    || ': ' || arg_max(a.por_que_nao_abre, (a.saldo_em, a.arquivo))
FROM mart.extrato_arquivos a LEFT JOIN prova.contas c ON c.conta_id = a.conta_id
WHERE a.conta_id IS NOT NULL AND a.por_que_nao_abre IS NOT NULL AND (a.saldo IS NULL OR NOT c.com_abertura)
GROUP BY a.conta_id, regexp_replace(a.por_que_nao_abre, '[0-9.,]+', '', 'g')

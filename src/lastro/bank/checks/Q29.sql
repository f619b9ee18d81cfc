-- Q29 · Dois arquivos do banco dizem diferente
-- Gravidade: informação
-- Lados: nenhum
-- Relatório: R20
-- Por que importa: Uma linha que some, ou muda, entre dois arquivos é do banco, ou de quem mexeu num deles.
-- O que fazer: Conferir a linha no site do banco; se um arquivo não é o do banco, tirá-lo da pasta extratos.
-- Cada um: Por que importa

-- Por conta e par de arquivos, durante 62 dias desde que se conhecem os dois (S20): a linha que o mais novo já não traz,
-- a de dias que os saldos provam e ele diz outros, a que ninguém sabe se ele repete, a que tem outro texto.
SELECT 'conta' AS tipo, conta_id AS id, sum(valor)::DECIMAL(18,2) AS valor, min(de) AS dia,
  'conta ' || conta_id || ': ' || arquivo_novo || CASE divergencia
    WHEN 'retirada' THEN ' já não traz ' WHEN 'contestada' THEN ' diz outras linhas em dias que os saldos provam: '
    WHEN 'indecisa' THEN ' não diz se repete ' ELSE ' dá outro texto a ' END
  || CASE count(*) WHEN 1 THEN '1 linha' ELSE count(*) || ' linhas' END || ' de ' || arquivo || ' ('
  || replace(replace(replace(format('{:,.2f}', sum(valor)), ',', ';'), '.', ','), ';', '.') || ' em '
  || strftime(min(de), '%d/%m/%Y') || CASE WHEN max(de) > min(de) THEN ' a ' || strftime(max(de), '%d/%m/%Y') ELSE '' END
  || ')' AS texto
FROM mart.extrato_divergencias, prova.parametros WHERE desde > data_base - 62
GROUP BY conta_id, divergencia, arquivo, arquivo_novo;

SELECT CASE WHEN max(abs(valor)) >= any_value(fazer_minimo) THEN 'alerta' END AS gravidade
FROM mart.extrato_divergencias, prova.parametros WHERE desde > data_base - 62

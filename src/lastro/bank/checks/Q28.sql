-- Q28 · Extrato de conta não ligada
-- Gravidade: alerta
-- Relatório: R20
-- Por que importa: O extrato foi lido, mas não se sabe de que conta é: nada dele é conciliado.
-- O que fazer: Colar a linha na [[empresa.conta]] certa de lastro.toml
-- Cada um: O que fazer

-- Chaves de extratos que nenhuma conta tem; o palpite é a conta cujas baixas mais se parecem com as linhas.
SELECT DISTINCT 'conta' AS tipo, palpite_conta_id AS id, NULL::DATE AS dia,
  'extrato = ["' || chave || '"]' || coalesce(' (palpite: conta ' || palpite_conta_id || ')', '') AS texto
FROM mart.extrato_arquivos WHERE conta_id IS NULL

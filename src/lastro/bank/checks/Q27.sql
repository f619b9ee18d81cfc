-- Q27 · Conta sem extrato recente
-- Gravidade: alerta
-- Relatório: R20
-- Por que importa: Há mais de 7 dias, ou nunca, ninguém compara o saldo dela com o do banco.
-- O que fazer: Baixar o extrato em OFX e pôr na pasta extratos; numa conta sem banco, extrato = ["nenhum"].

SELECT 'conta' AS tipo, conta_id AS id, extrato_ate AS dia,
  conta || coalesce(': extrato até ' || strftime(extrato_ate, '%d/%m/%Y'), ': nenhum extrato') AS texto
FROM mart.conciliacao WHERE situacao IN ('Sem extrato', 'Desatualizado')

-- Cada linha do banco, em quantos arquivos esteja (S20).
--   extrato_id: número que a linha tem em qualquer arquivo
--   conta_id: conta ligada ao extrato
--   dia: dia do banco
--   conta_em: dia em que moveu o saldo
--   valor: com sinal
SELECT extrato_id, conta_id, dia, conta_em, valor FROM banco.linhas

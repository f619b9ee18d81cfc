-- Cada linha do banco, em quantos arquivos esteja (S20).
--   extrato_id: número que a linha tem em qualquer arquivo
--   conta_id: conta ligada ao extrato
--   dia: dia do banco
--   valor: com sinal
SELECT extrato_id, conta_id, dia, valor FROM banco.linhas

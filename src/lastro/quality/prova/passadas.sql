-- As leituras de listagens cujos números se mostram, cada uma com sua prova de completude (S13).
SELECT p.lista, p.conta_id, p.passada, p.contagem_antes, p.contagem_depois, p.ids_distintos, p.rejeitadas, p.veredito
FROM ops.passadas p JOIN ops.execucoes e ON e.leitura_id = p.execucao_id
JOIN ops.relatorio r ON r.execucao_id = e.execucao_id

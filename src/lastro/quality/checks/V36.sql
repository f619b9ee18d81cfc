-- V36 · Relógio da máquina = relógio do serviço, com menos de um dia de diferença
-- Severidade: alerta
-- Relatório: R15
-- Julga: o que foi recebido e lido
-- Sem comparações: só de uma leitura completa do próprio dia
-- Só relações internas: o desvio foi medido na leitura.
-- Por que importa: a data-base, o vencido e os dias de toda projeção seguem o relógio da máquina.
-- O que fazer: acerte o relógio da máquina e leia de novo; se ele está certo, nada aqui segue o do serviço.

-- O relógio da máquina ao lado do serviço; um fuso escrito errado ainda não faz um dia.
SELECT 'relógio' AS chave, NULL::VARCHAR AS esperado,
  CASE WHEN abs(desvio_relogio) > 86400 THEN
    'o relógio desta máquina está ' || replace(printf('%.1f', abs(desvio_relogio) / 86400), '.', ',') || ' dias '
      || CASE WHEN desvio_relogio > 0 THEN 'adiantado' ELSE 'atrasado' END || ' em relação ao do serviço'
    END AS encontrado
FROM prova.leitura WHERE desvio_relogio IS NOT NULL

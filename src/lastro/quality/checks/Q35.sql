-- Q35 · Id repetido com outro conteúdo
-- Gravidade: alerta
-- Por que importa: O serviço devolveu o mesmo id duas vezes na mesma lista: vale o último que veio e pôde ser lido.
-- O que fazer: Comparar os dois registros no serviço; as listas e os ids estão em «Campos novos ou ausentes na API».

-- Os ids que uma listagem trouxe mais de uma vez, com outro conteúdo (S1), cada um com sua lista.
SELECT tipo, id FROM prova.notados WHERE regra = 'Q35'

-- Q44 · Composto lido pelo que os dados mostram
-- Gravidade: alerta
-- Por que importa: Se o valor do pai inclui os itens, ou é um deles, ninguém disse: a leitura é uma suposição.
-- O que fazer: Abrir um composto no serviço e escrever em [empresa.parametros] como ele é lido

-- Títulos com itens, enquanto composto_valor_pai é auto: as linhas que contam a mais, ou no lugar do pai, se ele é lido
-- do outro modo (S2.6).
SELECT 'titulo' AS tipo, titulo_id AS id, sum(valor)::DECIMAL(18,2) AS valor
FROM prova.linhas WHERE (origem = 'item' OR linha_id <> titulo_id)
  AND EXISTS (FROM prova.parametros WHERE composto_valor_pai = 'auto')
GROUP BY titulo_id, valor < 0;

-- O que depende disto, e a linha a escrever se a suposição está certa: lido como parte, o pai é uma linha do título.
SELECT CASE count(DISTINCT i.id) WHEN 1 THEN '1 título, {' ELSE count(DISTINCT i.id) || ' títulos, {' END
    || sum(abs(i.valor)) || CASE count(DISTINCT i.id) WHEN 1 THEN '} depende disto' ELSE '} dependem disto' END AS dito,
  'composto_valor_pai = "' || CASE WHEN bool_and(i.id IN (
    SELECT titulo_id FROM prova.linhas WHERE origem = 'lancamento' AND linha_id = titulo_id))
    THEN 'parcela' ELSE 'total' END || '"' AS colar
FROM mart.achados_itens i WHERE i.regra = 'Q44'

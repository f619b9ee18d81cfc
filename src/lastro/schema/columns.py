"""Every column of the warehouse once: type, rule and meaning. DDL, comments and the data dictionary derive from it.

A money column is DECIMAL(18,2) here and int64 `<name>_centavos` in pandas; signed as the service signs it (negative
expense, positive revenue) unless the description says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

MONEY = "DECIMAL(18,2)"
ID, TEXT, DAY, INSTANT, FLAG, COUNT = "BIGINT", "VARCHAR", "DATE", "TIMESTAMP", "BOOLEAN", "INTEGER"


@dataclass(frozen=True)
class ColumnDef:
    """One column: its SQL type, the rule that defines it ("" = the service's own field) and its meaning in pt-BR."""

    name: str
    type: str
    rule: str
    meaning: str

    @property
    def comment(self) -> str:
        """What `COMMENT ON COLUMN` says."""
        return f"{self.rule}: {self.meaning}" if self.rule else self.meaning


def _define(*columns: tuple[str, str, str, str]) -> dict[str, ColumnDef]:
    return {name: ColumnDef(name, type_, rule, meaning) for name, type_, rule, meaning in columns}


COLUMNS: dict[str, ColumnDef] = _define(
    ("abertura_centros", TEXT, "R06", "centro de custo"),
    ("agencia", TEXT, "", "agência bancária"),
    ("ancestrais", "BIGINT[]", "S11", "ids da raiz até a categoria mãe"),
    ("ano_iso", COUNT, "S14", "ano ISO da semana"),
    ("ativa", FLAG, "S7", "conta em uso"),
    ("ativo", FLAG, "S11", "registro ativo"),
    ("bruto", MONEY, "R08", "soma das linhas com o sinal do título"),
    ("campo", TEXT, "S13", "campo do registro"),
    ("caminho", TEXT, "S11", "nomes da raiz até a categoria, separados por « > »"),
    ("categoria_id", ID, "S11", "categoria; nula = Sem categoria"),
    ("categorias_distintas", COUNT, "R08", "quantas categorias têm as linhas do título"),
    ("centro_custo_lucro_id", ID, "S11", "centro de custo ou lucro; nulo = Sem centro"),
    ("chaves", "VARCHAR[]", "S15", "chaves que causam a diferença, no máximo dez"),
    ("cliente", FLAG, "S11", "a pessoa é cliente"),
    ("cliente_id", ID, "S12", "cliente da cobrança"),
    ("cobranca_hash", TEXT, "S12", "identificação pública da cobrança"),
    ("cobranca_id", ID, "S12", "cobrança"),
    ("cobrar_juros", FLAG, "S8", "a cobrança cobra juros por atraso"),
    ("competencia_presumida", FLAG, "S4", "competência ausente, tomada conforme competencia_nula"),
    ("composto_modo", TEXT, "S2", "parcela = o pai não inclui os itens; total = inclui"),
    ("configurada", FLAG, "S7", "a conta está em lastro.toml"),
    ("conhecida", FLAG, "V20", "o id está na lista do serviço"),
    ("conta_id", ID, "S7", "conta bancária; nula = Sem conta"),
    ("contagem_antes", ID, "S13", "tipo_view=count antes da leitura; nulo = indisponível"),
    ("contagem_depois", ID, "S13", "tipo_view=count depois da leitura; nulo = indisponível"),
    ("data", DAY, "", "dia"),
    ("data_a_transferir", DAY, "S12", "dia previsto da transferência à conta"),
    ("data_base", DAY, "S3", "D: o dia na data do qual se relata"),
    ("data_cancelamento", DAY, "S12", "dia do cancelamento da cobrança"),
    ("data_competencia", DAY, "S4", "competência como recebida"),
    ("data_competencia_ef", DAY, "S4", "competência efetiva: a recebida, senão conforme competencia_nula"),
    ("data_extracao", DAY, "S3", "dia local do início da extração"),
    ("data_pagamento", DAY, "S3", "dia do pagamento; nulo enquanto em aberto"),
    ("data_pagamento_observada", FLAG, "S12", "data da primeira execução que viu a cobrança paga"),
    ("data_saldo_inicial", DAY, "S7", "início do controle da conta; nulo = desde sempre"),
    ("data_transferido", DAY, "S12", "dia em que o dinheiro chegou à conta"),
    ("data_transferindo", DAY, "S12", "dia em que a transferência começou"),
    ("data_vencimento", DAY, "S3", "dia do vencimento"),
    ("deducoes", MONEY, "R08", "soma das linhas com o sinal oposto ao do título"),
    ("descricao", TEXT, "", "descrição, sem espaços nas pontas"),
    ("detalhe", TEXT, "S15", "o que foi comparado"),
    ("dia_util", FLAG, "S8", "dia em que os bancos liquidam"),
    ("dia_util_anterior", DAY, "S8", "o próprio dia, se útil; senão o dia útil anterior"),
    ("diferenca", MONEY, "S15", "encontrado menos esperado"),
    ("documento", TEXT, "", "documento; de pessoas, CPF ou CNPJ"),
    ("dre_grupo", TEXT, "R06", "grupo da DRE, herdado do ancestral mapeado mais próximo"),
    ("dre_mapeada", FLAG, "Q20", "o grupo vem de dre_mapa"),
    ("email", TEXT, "", "e-mail (dado pessoal)"),
    ("encontrado", TEXT, "S15", "valor encontrado"),
    ("erro", TEXT, "S13", "por que a execução não se completou"),
    ("esperado", TEXT, "S15", "valor esperado"),
    ("execucao_id", ID, "S13", "número da execução, crescente"),
    ("extraido_em", INSTANT, "S13", "instante da resposta (UTC)"),
    ("feriado", TEXT, "S8", "nome do feriado bancário"),
    ("fora_resultado", FLAG, "R06", "categoria do grupo fora: não entra no resultado"),
    ("forma_pagamento_id", ID, "S11", "forma de pagamento; nula = Sem forma"),
    ("fornecedor", FLAG, "S11", "a pessoa é fornecedora"),
    ("grupo_id", ID, "S10", "agrupa as repetições de um lançamento"),
    ("ids_distintos", ID, "S13", "registros distintos recebidos"),
    ("indicador", TEXT, "R00", "nome do indicador"),
    ("iniciada_em", INSTANT, "S13", "início (UTC)"),
    ("instrucoes_boleto", TEXT, "", "texto das instruções do boleto"),
    ("kpi", TEXT, "R00", "identificação do indicador"),
    ("lancamento_composto_id", ID, "S2", "agrupa os itens de um lançamento composto"),
    ("lancamento_id", TEXT, "S12", "id citado pela cobrança"),
    ("lancamento_ids", TEXT, "S12", "ids dos lançamentos, separados por vírgula, como recebidos"),
    ("lancamento_transferencia_id", ID, "S6", "a outra perna da transferência"),
    ("linha_id", ID, "S1", "id da linha; a chave é (origem, linha_id)"),
    ("linhas_recebidas", ID, "S13", "registros recebidos, repetições incluídas"),
    ("link_publico", TEXT, "", "endereço público da cobrança"),
    ("liquido", MONEY, "S12", "valor_pago menos taxa; nulo se não paga"),
    ("lista", TEXT, "S13", "listagem do serviço"),
    ("modified", INSTANT, "", "última alteração no serviço, hora local sem fuso"),
    ("motivo", TEXT, "S13", "por que não pôde ser lido ou provado"),
    ("natureza", TEXT, "S5", "R/D pela categoria; mista pelo sinal"),
    ("nivel", COUNT, "S11", "profundidade na árvore, 0 = raiz"),
    ("nome", TEXT, "S11", "nome fantasia se houver, senão o nome"),
    ("numero_repeticao", COUNT, "S10", "número da parcela"),
    ("observacao", TEXT, "", "observação"),
    ("origem", TEXT, "S1", "lancamento = registro da lista; item = só visto em itens_adicionais"),
    ("origem_pagina", TEXT, "S13", "caminho pedido ao serviço, sem o token"),
    ("pagamento_automatico", FLAG, "S10", "baixa automática no vencimento"),
    ("paga", FLAG, "S12", "cliente pagou, transferindo ou transferido"),
    ("pagina", COUNT, "S13", "página da listagem, desde 1"),
    ("paginas", COUNT, "S13", "páginas lidas"),
    ("parametro", TEXT, "", "nome do parâmetro (seção 0)"),
    ("parent_id", ID, "S11", "categoria mãe; nula = raiz"),
    ("passada", COUNT, "S13", "número da tentativa de leitura"),
    ("payload", "JSON", "S13", "registro como recebido"),
    ("pedido_id", ID, "", "pedido"),
    ("percentual_multa", "DECIMAL(9,4)", "S8", "multa da cobrança em percento"),
    ("periodicidade", TEXT, "S10", "código da repetição (D7, D15, M1, M2, M3, M6, M12)"),
    ("permite_lancamento", FLAG, "R01", "falso = a conta só se move por transferências"),
    ("permitir_segunda_via", FLAG, "", "a cobrança permite segunda via"),
    ("pessoa_id", ID, "S11", "cliente ou fornecedor; nula = Sem pessoa"),
    ("posicao", COUNT, "S13", "posição na página, desde 0"),
    ("prova", TEXT, "S13", "como a completude foi provada"),
    ("provisoria", FLAG, "S7", "sem saldo inicial: variação, não saldo"),
    ("proximo_dia_util", DAY, "S8", "o próprio dia, se útil; senão o próximo dia útil"),
    ("qtde_linhas", COUNT, "S1", "linhas do título"),
    ("rank", COUNT, "S12", "1 agendado .. 5 transferido; 0 cancelado ou desconhecido"),
    ("reconstituida", FLAG, "S3", "D anterior à extração, sem execução guardada daquele dia"),
    ("registros", ID, "S13", "quantos registros"),
    ("rejeitadas", ID, "S13", "registros que não puderam ser lidos"),
    ("repetidas", ID, "S13", "registros recebidos mais de uma vez"),
    ("requisicoes", ID, "S13", "pedidos feitos ao serviço"),
    ("rotulo", TEXT, "S11", "nome a imprimir"),
    ("semana_iso", COUNT, "S14", "semana ISO"),
    ("severidade", TEXT, "S15", "erro ou alerta"),
    ("situacao", TEXT, "", "situação"),
    ("status", TEXT, "S12", "situação da cobrança; cancelado prevalece"),
    ("status_descricao", TEXT, "S12", "situação da cobrança como recebida"),
    ("status_id", ID, "S12", "código da situação da cobrança"),
    ("tag_id", ID, "S11", "etiqueta"),
    ("taxa", MONEY, "S12", "valor absoluto de valor_taxa"),
    ("telefone", TEXT, "", "telefone (dado pessoal)"),
    ("tem_filhas", FLAG, "S11", "a categoria tem filhas"),
    ("tem_saldo_inicial", FLAG, "Q11", "há saldo inicial configurado ou lançado"),
    ("terminada_em", INSTANT, "S13", "fim (UTC)"),
    ("tipo", TEXT, "S1", "de títulos: R a receber (> 0), P a pagar (< 0), Z zero; de contas: conta ou cartao"),
    ("tipo_categoria_id", COUNT, "S5", "0 mista, 1 despesa, 2 receita"),
    ("tipo_custo_apropriacao_produto_id", ID, "", "apropriação do custo ao produto"),
    ("tipo_custo_nivel_producao_id", ID, "", "custo pelo nível de produção"),
    ("tipo_documento_id", ID, "S11", "tipo de documento"),
    ("tipo_execucao", TEXT, "S13", "completa ou quente"),
    ("titulo_id", ID, "S1", "título: o que se paga ou recebe de uma vez; id do portador"),
    ("total_repeticoes", COUNT, "S10", "número de parcelas; nulo com periodicidade = sem fim"),
    ("transferencia", FLAG, "S6", "perna de transferência entre contas"),
    ("unidade", TEXT, "R00", "M dinheiro, P percento, N número, I contagem, D data"),
    ("valor", MONEY, "S5", "valor com sinal: negativo despesa, positivo receita; de cobranças, sempre positivo"),
    ("valor_multa_juros", MONEY, "S12", "multa e juros recebidos"),
    ("valor_pago", MONEY, "S12", "valor pago pelo cliente; nulo enquanto não pago"),
    ("valor_saldo_inicial", MONEY, "S7", "saldo inicial"),
    ("valor_taxa", MONEY, "S12", "taxa como recebida"),
    ("valor_texto", TEXT, "", "valor como texto"),
    ("veredito", TEXT, "S13", "provada, mudou durante a leitura ou incompleta"),
    ("verificacao", TEXT, "S15", "V01 a V21, Q01 a Q20"),
    ("versao", TEXT, "", "versão do lastro"),
    ("viva", FLAG, "S12", "não cancelada"),
)

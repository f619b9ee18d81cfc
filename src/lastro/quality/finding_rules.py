"""The data-quality rules Q in words: what each says, how much it matters, why, and what to do (R15).

Belongs here: the words. Does not belong here: what a rule looks at (`lastro.quality.rules`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from lastro.grid.verdict import ALERTA, ERRO

INFORMACAO: Final = "informação"
MEMO: Final = "MEMO"


@dataclass(frozen=True)
class FindingRule:
    """A Q rule in words, pt-BR, and how much a finding of it matters."""

    titulo: str
    gravidade: str
    por_que: str
    como_corrigir: str


FINDING_RULES: Final[Mapping[str, FindingRule]] = {
    "Q01": FindingRule(
        "Sem categoria",
        ALERTA,
        "O valor entra no fluxo e na DRE só como «Sem categoria».",
        "Escolher a categoria no lançamento.",
    ),
    "Q02": FindingRule(
        "Categoria inativa em lançamento aberto",
        ALERTA,
        "O próximo pagamento ou recebimento cairá em categoria abandonada.",
        "Trocar a categoria ou reativá-la.",
    ),
    "Q03": FindingRule(
        "Sem pessoa",
        INFORMACAO,
        "Não aparece na posição do cliente ou fornecedor.",
        "Informar a pessoa no lançamento.",
    ),
    "Q04": FindingRule(
        "Valor zero",
        INFORMACAO,
        "Não entra em relatório nenhum: pode ser valor que falta digitar.",
        "Informar o valor ou excluir o lançamento.",
    ),
    "Q05": FindingRule(
        "Competência presumida",
        INFORMACAO,
        "O mês da DRE foi suposto pela regra competencia_nula.",
        "Informar a data de competência.",
    ),
    "Q06": FindingRule(
        "Competência a mais de 60 dias do vencimento",
        INFORMACAO,
        "Pode ser erro de digitação: o resultado cai em mês distante.",
        "Conferir as duas datas.",
    ),
    "Q07": FindingRule(
        "Automático não liquidado",
        ALERTA,
        "Deveria ter sido baixado no vencimento.",
        "Conferir no extrato e dar baixa, ou tirar a baixa automática.",
    ),
    "Q08": FindingRule(
        "Transferência vencida não liquidada",
        ALERTA,
        "A projeção a move hoje; se não vai acontecer, os saldos das contas estão errados.",
        "Dar baixa ou excluir a transferência.",
    ),
    "Q09": FindingRule(
        "Transferência sem par",
        ALERTA,
        "Uma conta mudou e a outra não, ou não no mesmo dia e valor.",
        "Refazer a transferência com as duas contas.",
    ),
    "Q10": FindingRule(
        "Pagamento anterior ao controle",
        INFORMACAO,
        "Já está dentro do saldo inicial: fica fora do caixa e dentro da DRE.",
        "Conferir a data de pagamento e a data do saldo inicial da conta.",
    ),
    "Q11": FindingRule(
        "Conta sem saldo inicial",
        ALERTA,
        "O que se mostra é a variação, não o saldo.",
        "Configurar valor_saldo_inicial e data_saldo_inicial da conta.",
    ),
    "Q12": FindingRule(
        "Recorrência não gerada",
        ALERTA,
        "A projeção não tem os próximos lançamentos de uma série sem fim; o valor é estimado.",
        "Gerar as próximas parcelas no sistema ou encerrar a série.",
    ),
    "Q13": FindingRule(
        "Possível duplicidade",
        ALERTA,
        "Mesma pessoa, valor e vencimento: pode estar lançado duas vezes.",
        "Comparar os documentos e excluir o repetido.",
    ),
    "Q14": FindingRule(
        "Sinal contrário à categoria",
        INFORMACAO,
        "Estorno ou devolução: reduz a própria categoria em vez de ir para a outra.",
        "Conferir o sinal; se for estorno, nada a fazer.",
    ),
    "Q15": FindingRule(
        "Pagamento com data futura",
        ALERTA,
        "Conta como aberto e agendado até essa data.",
        "Conferir a data de pagamento.",
    ),
    "Q16": FindingRule(
        "Vencido há mais de 180 dias",
        ALERTA,
        "Dificilmente será pago: a carteira parece maior do que é.",
        "Renegociar, baixar como perda ou excluir.",
    ),
    "Q17": FindingRule(
        "Pessoa com aberto sem CPF/CNPJ",
        ALERTA,
        "Sem documento não há boleto, negativação nem protesto.",
        "Completar o cadastro da pessoa.",
    ),
    "Q18": FindingRule(
        "Parcelas faltando no grupo",
        ALERTA,
        "Alguma parcela foi excluída ou não foi gerada.",
        "Conferir as parcelas do grupo e recriar as que faltam.",
    ),
    "Q19": FindingRule(
        "Possível lançamento de saldo inicial não configurado",
        ERRO,
        "O saldo inicial contaria duas vezes.",
        "Pôr o id em saldo_inicial_lancamentos ou excluir o lançamento.",
    ),
    "Q20": FindingRule(
        "Categoria sem grupo na DRE",
        ALERTA,
        "Sem grupo não há margem de contribuição nem EBITDA em que confiar.",
        "Pôr a categoria, ou a mãe dela, em dre_mapa: `lastro mapa` sugere as linhas.",
    ),
    "Q21": FindingRule(
        "Jeito de não operacional no resultado",
        ALERTA,
        "Empréstimo, aporte, retirada e investimento não são receita nem despesa: distorcem o resultado.",
        "Se for o caso, pôr a linha em [empresa.parametros.dre_mapa].",
    ),
    "Q31": FindingRule(
        "Arquivo de pessoa não lido",
        ALERTA,
        "O que foi digitado nele não está em relatório nenhum; o arquivo ficou onde estava.",
        "Corrigir o arquivo; a próxima execução tenta de novo.",
    ),
    "Q33": FindingRule(
        "Possível baixa esquecida",
        ALERTA,
        "Aberto há mais de 30 dias com uma ocorrência posterior já paga: o vencido parece maior do que é.",
        "Conferir no extrato; se foi pago, dar baixa com a data do pagamento.",
    ),
    "Q34": FindingRule(
        "Rótulos não configurados",
        INFORMACAO,
        "Formas, centros, tags e tipos de documento aparecem como números.",
        "Pôr os nomes em [empresa.parametros].",
    ),
    "Q35": FindingRule(
        "Id repetido com outro conteúdo",
        ALERTA,
        "O serviço devolveu o mesmo id duas vezes na mesma lista: vale o último que veio e pôde ser lido.",
        "Comparar os dois registros no serviço; as listas e os ids estão em «Campos novos ou ausentes na API».",
    ),
    "Q39": FindingRule(
        "Texto da mesa não entendido",
        ALERTA,
        "Devia ser uma data ou um valor e não se lê como tal: não conta em promessa nem em projeção nenhuma.",
        "Em cobranca, corrigir as células em vermelho: data como 16/03/2026, valor como 1500,00.",
    ),
    MEMO: FindingRule(
        "Baixas automáticas do mês",
        INFORMACAO,
        "São baixas por data, não confirmação do banco.",
        "Conferir com o extrato.",
    ),
}
"""Every Q rule by its id, in order, then the memo."""

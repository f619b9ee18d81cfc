"""What analysts are told of the columns of the bank's views (`lastro.schema.mart`, R20)."""

from __future__ import annotations

from typing import Final

BANK_MEANINGS: Final[dict[str, str]] = {
    "extrato_ate": "último dia que os extratos da conta cobrem, no máximo a data-base; nulo sem extrato",
    "saldo_do_livro": "saldo calculado ao fim desse dia, com sinal; nulo antes do controle da conta",
    "no_banco_sem_livro": "linhas do banco sem lançamento, com sinal; nulo sem extrato",
    "no_livro_sem_banco": "menos as baixas do livro sem linha no banco: negativo o recebido; nulo sem extrato",
    "diferencas_explicadas": "linhas do banco menos os títulos que elas pagam, com sinal; nulo sem extrato",
    "ignoradas": "linhas do banco que alguém mandou ignorar, com sinal; nulo sem extrato",
    "fora_do_periodo": "títulos com linha no banco e baixa fora dos dias do extrato, com sinal; nulo sem extrato",
    "abertura": "o que os dois lados já diferiam na véspera do extrato; nulo onde não se sabe o saldo de um",
    "saldo_do_banco": "saldo do livro mais todas as parcelas até aqui; nulo onde nenhum extrato diz o saldo",
    "conciliado_ate": "véspera da primeira coisa que só um lado tem; nulo enquanto abertura não é 0",
    "conciliacao.situacao": "OK, Pendências, Sem extrato ou Desatualizado",
    "derivado": "saldo_do_banco é um saldo anterior do banco mais as linhas desde então",
    "historico_ou_descricao": "texto do banco; do livro, a descrição do título, senão a categoria",
    "historico": "texto do banco",
    "sugestao": "o título em aberto que a linha pode ser, pelo valor; até quando uma baixa está em trânsito; ou nula",
    "extrato_id": "número que a linha do banco tem em qualquer arquivo; nulo no que só o livro tem",
    "passo": "como a linha achou seus títulos: manual, 1:1 ou lote; ou ignorada, sem título",
    "dia_no_banco": "dia da linha do banco",
    "valor_no_banco": "valor da linha inteira, que se repete em cada título de um lote; positivo entra, negativo sai",
    "dia_no_livro": "dia da baixa do título; nulo numa linha ignorada",
    "conciliacao_pendencias.dias": "dias do movimento à data-base",
    "pagamentos_extrato.dias": "dias do movimento à data-base",
    "conciliadas.dias": "dia no banco menos dia no livro; nulo numa linha ignorada",
    "conciliadas.diferenca": "a linha menos os seus títulos, no de menor número; 0 nos demais",
    "arquivo": "nome do arquivo OFX",
    "extrato_arquivos.extrato": "qual dos extratos do arquivo, desde 1",
    "chave": "banco/conta, como estão no arquivo; extrato, na configuração da conta, a liga a ela",
    "repetidas": "quantas das linhas outro arquivo já traz",
    "rejeitadas": "quantas transações do arquivo não se entenderam, no primeiro extrato dele; 0 nos demais",
    "saldo": "saldo que o arquivo diz, com sinal; nulo se não diz",
    "saldo_em": "dia desse saldo; nulo se não diz",
    "parcial": "tirado antes de o dia do saldo acabar: não confere nem ancora; nulo sem saldo",
    "visto_em": "dia da primeira execução que leu este conteúdo",
    "sha256": "resumo do conteúdo do arquivo",
    "palpite_conta_id": "conta cujas baixas mais se parecem com as linhas; nulo com a conta ligada, ou sem palpite",
    "pagamentos_extrato.situacao": "sem lançamento, título à mão ou ignorada",
}
"""`coluna`, or `visao.coluna`, as in `MEANINGS`."""

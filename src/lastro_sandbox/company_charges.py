"""Issues the charges of an invented company, each in the state that its entry suggests, and shapes composites."""

from __future__ import annotations

from lastro_sandbox.company_builder import MAIN, Builder
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Charge, Entry


def add_charges(books: Books, builder: Builder) -> None:
    """Issue a charge for each entry that was marked, in the state that the entry's payment suggests."""
    rng, iso, today = builder.rng, builder.iso, builder.today
    place = {text: number for number, text in enumerate(iso)}
    for number, entry in enumerate(builder.charged):
        kind = rng.choice(("boleto", "boleto", "boleto", "pix", "cartao_credito"))
        members = books.members(entry)
        due = place[entry.data_vencimento]
        charge = Charge(
            id=9001 + number,
            conta_id=MAIN,
            cliente_id=entry.pessoa_id or builder.customers[0],
            valor=sum(member.valor for member in members if member.valor > 0),
            data_vencimento=entry.data_vencimento,
            tipo_cobranca=kind,
            forma_pagamento_id={"boleto": 301, "cartao_credito": 302, "pix": 303}[kind],
            valor_taxa={"boleto": -350, "cartao_credito": -899, "pix": -199}[kind],
            lancamento_ids=tuple(member.id for member in members),
            lancamento_composto_id=entry.lancamento_composto_id,
            email=books.pessoas[entry.pessoa_id].email if entry.pessoa_id else None,
            cobranca_hash=f"{rng.getrandbits(80):020x}",
            instrucoes_boleto="Não receber após 30 dias do vencimento" if kind == "boleto" else None,
        )
        books.cobrancas[charge.id] = charge
        entry.forma_pagamento_id = charge.forma_pagamento_id
        if rng.random() < (0.15 if entry.data_pagamento is None else 0.01):
            charge.data_cancelamento = iso[min(due, today)]
            continue
        if entry.data_pagamento is None:
            charge.estado = "agendado" if due - today > charge.dias_para_emissao else "pendente"
            if charge.estado == "pendente" and rng.random() < 0.06:
                _settle(builder, charge, today - 1)  # the customer paid, nobody has settled the entry yet
            continue
        _settle(builder, charge, place[entry.data_pagamento])


def _settle(builder: Builder, charge: Charge, paid: int) -> None:
    """Move a charge to where a payment on a day has taken it by today: one day to transfer, two to arrive."""
    iso, age = builder.iso, builder.today - paid
    late = charge.data_vencimento < iso[paid]
    charge.valor_multa_juros = charge.valor * 2 // 100 if late and builder.rng.random() < 0.5 else 0
    charge.valor_pago = charge.valor + charge.valor_multa_juros
    charge.data_a_transferir = iso[paid + 1]
    charge.estado = "cliente_pagou"
    if age >= 1:
        charge.data_transferindo = iso[paid + 1]
        charge.estado = "transferindo"
    if age >= 2:
        charge.data_transferido = iso[paid + 2]
        charge.estado = "transferido"


def turn_to_totals(books: Books) -> None:
    """Give composites the shape T: the carrier's amount becomes an item and the carrier shows the total."""
    carried = {entry.item_de for entry in books.lancamentos.values() if entry.item_de is not None}
    for id_ in sorted(id_ for id_ in carried if id_ is not None):
        make_total(books, books.lancamentos[id_])


def make_total(books: Books, carrier: Entry) -> None:
    """Turn the amount of one carrier into an item of its own, and the carrier into the total of its items."""
    part = Entry(
        id=books.new_id("lancamentos"),
        conta_id=carrier.conta_id,
        categoria_id=carrier.categoria_id,
        valor=carrier.valor,
        descricao=f"{carrier.descricao} (principal)",
        data_vencimento=carrier.data_vencimento,
        data_pagamento=carrier.data_pagamento,
        data_competencia=carrier.data_competencia,
        pessoa_id=carrier.pessoa_id,
        centro_custo_lucro_id=carrier.centro_custo_lucro_id,
        lancamento_composto_id=carrier.lancamento_composto_id,
        item_de=carrier.id,
        modified=carrier.modified,
    )
    total = sum(member.valor for member in books.members(carrier))
    books.add_entry(part)
    books.change_entry(carrier, valor=total)

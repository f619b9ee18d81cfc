"""Issues, schedules and cancels charges, and books the entries that they stand for.

Each item of a charge becomes an entry of its own; several items form a composite whose members are rows in every shape,
because ``lancamento_ids`` names each of them. A charge never changes by itself except through ``clock``.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from lastro_sandbox.decisions import (
    CHARGE_FEES,
    CHARGE_METHODS,
    FEE_TEXT,
    FINE_DEFAULT,
    ISSUE_DAYS_DEFAULT,
    ITEMS_MAX,
    NOTE_MAX,
    PERIOD_DEFAULT,
    PERIODS,
    REPETITIONS_MAX,
    TEXT_MAX,
)
from lastro_sandbox.entries import remove_with_belongings
from lastro_sandbox.entry_forms import check_account, check_category, check_size
from lastro_sandbox.errors import not_found
from lastro_sandbox.ledger import Books
from lastro_sandbox.model import Charge, Entry
from lastro_sandbox.operations import Call, Operation, Param, Service
from lastro_sandbox.params import REQUIRED, Params
from lastro_sandbox.render import render_charge
from lastro_sandbox.repeats import add_periods, count_to_horizon, days_between, known_periods


@dataclass(frozen=True, slots=True)
class _Item:
    descricao: str
    categoria_id: int
    valor: int
    centro_custo_lucro_id: int | None


def issue_state(hoje: str, due: str, days: int, kind: int) -> str:
    """Return whether a charge is issued today (``pendente``) or scheduled (``agendado``).

    Args:
        hoje: today, ISO.
        due: due date, ISO.
        days: how many days before the due date it is issued.
        kind: ``tipo_emissao``, 1 issue now whatever the dates, 2 by the dates.
    """
    return "pendente" if kind == 1 or days_between(hoje, due) <= days else "agendado"


def _read_items(service: Service, call: Call) -> list[_Item]:
    node = call.form.child("itens")
    elements = [] if node is None else node.items()
    if not elements:
        call.params.fail("itens", REQUIRED)
    if len(elements) > ITEMS_MAX:
        call.params.fail("itens", f"deve ter no máximo {ITEMS_MAX} itens")
        elements = []
    items = []
    for number, element in enumerate(elements):
        params = Params(element.flat(), prefix=f"itens[{number}].", errors=call.params.errors)
        params.require("descricao", "categoria_id", "valor")
        text, amount = params.text("descricao", maximum=TEXT_MAX), params.centavos("valor")
        category, centre = params.integer("categoria_id"), params.link("centro_custo_lucro_id")
        if amount is not None and amount <= 0:
            params.fail("valor", "deve ser positivo")
        check_category(service, params, "categoria_id", category)
        if text is not None and category is not None and amount is not None:
            items.append(_Item(text, category, amount, centre))
    return items


def _check_customer(service: Service, params: Params, customer_id: int | None) -> None:
    if customer_id is None:
        return
    person = service.books.pessoas.get(customer_id)
    if person is None or not person.cliente:
        params.fail("cliente_id", "não existe")
    elif not person.ativo:
        params.fail("cliente_id", "está inativo")


def create_charge(service: Service, call: Call) -> Any:
    """Answer POST /v1/cobrancas; a repeating charge answers with the first one."""
    books, params = service.books, call.params
    params.require("conta_id", "cliente_id", "data_vencimento", "tipo_cobranca")
    account, customer = params.integer("conta_id"), params.integer("cliente_id")
    due, kind = params.date("data_vencimento"), params.choice("tipo_cobranca", tuple(CHARGE_METHODS))
    items = _read_items(service, call)
    competence = params.date("data_competencia")
    fine = params.centavos("percentual_multa")
    interest, copies = params.boolean("cobrar_juros"), params.boolean("permitir_segunda_via")
    days = params.integer("dias_para_emissao", maximum=3650)
    issue = params.choice("tipo_emissao", ("1", "2")) or "2"
    period = params.choice("periodicidade", known_periods(service.dialeto))
    parts = params.integer("parcelas", minimum=1, maximum=REPETITIONS_MAX)
    email, note = params.text("email", maximum=TEXT_MAX), params.text("instrucoes_boleto", maximum=NOTE_MAX)
    if period is not None or parts is not None:
        check_size(books, params, due, period or PERIOD_DEFAULT, parts, len(items) + 1)
    check_account(service, params, "conta_id", account)
    _check_customer(service, params, customer)
    if fine is not None and not 0 <= fine <= 10000:
        params.fail("percentual_multa", "deve estar entre 0 e 100")
    params.check()
    if account is None or customer is None or due is None or kind is None:
        raise AssertionError("check refuses a charge without its required fields")
    if service.dialeto == "observado":
        competence = competence or due
    step = period or PERIOD_DEFAULT
    if period is None and parts is None:
        count, group = 1, None
    else:
        count = parts or count_to_horizon(books.hoje, due, step)
        group = books.new_id("grupos") if count > 1 or parts is None else None
    template = Charge(
        id=0,
        conta_id=account,
        cliente_id=customer,
        valor=sum(item.valor for item in items),
        data_vencimento=due,
        tipo_cobranca=kind,
        forma_pagamento_id=CHARGE_METHODS[kind],
        valor_taxa=CHARGE_FEES[kind],
        percentual_multa=FINE_DEFAULT if fine is None else fine,
        cobrar_juros=int(interest is not False),
        instrucoes_boleto=note,
        permitir_segunda_via=int(copies is not False),
        dias_para_emissao=ISSUE_DAYS_DEFAULT if days is None else days,
        email=email,
        periodicidade=None if group is None else step,
        parcelas=parts,
        grupo_id=group,
    )
    with_fee = service.dialeto == "observado"
    charges = [
        _book_charge(books, template, items, competence, step, number, int(issue), with_fee=with_fee)
        for number in range(count)
    ]
    return render_charge(service, charges[0])


def _book_charge(
    books: Books,
    template: Charge,
    items: list[_Item],
    competence: str | None,
    period: str,
    number: int,
    issue: int,
    *,
    with_fee: bool,
) -> Charge:
    """Book one charge of a series: its entries first, then the charge that names them."""
    due = add_periods(template.data_vencimento, period, number)
    at = None if competence is None else add_periods(competence, period, number)
    parts = [(item.descricao, item.categoria_id, item.valor, item.centro_custo_lucro_id) for item in items]
    if with_fee:
        parts.append((FEE_TEXT, items[0].categoria_id, template.valor_taxa, items[0].centro_custo_lucro_id))
    composite = books.new_id("compostos") if len(parts) > 1 else None
    entries = [
        books.add_entry(
            Entry(
                id=books.new_id("lancamentos"),
                conta_id=template.conta_id,
                categoria_id=category,
                valor=amount,
                descricao=text,
                data_vencimento=due,
                data_competencia=at,
                pessoa_id=template.cliente_id,
                grupo_id=template.grupo_id,
                numero_repeticao=number + 1,
                total_repeticoes=1 if template.grupo_id is None else template.parcelas,
                periodicidade=template.periodicidade,
                infinito=template.grupo_id is not None and template.parcelas is None,
                lancamento_composto_id=composite,
                centro_custo_lucro_id=centre,
                forma_pagamento_id=template.forma_pagamento_id,
                modified=books.tick(),
            )
        )
        for text, category, amount, centre in parts
    ]
    charge = copy_charge(template, id=books.new_id("cobrancas"), data_vencimento=due)
    charge.estado = issue_state(books.hoje, due, charge.dias_para_emissao, issue if number == 0 else 2)
    charge.lancamento_ids = tuple(entry.id for entry in entries)
    charge.lancamento_composto_id = composite
    charge.cobranca_hash = make_hash(books, charge)
    books.cobrancas[charge.id] = charge
    books.touch("cobrancas", charge.id)
    if charge.estado == "pendente":
        notify(books, charge, "emissao")
    return charge


def repeat_charge(books: Books, charge: Charge, step: int) -> int:
    """Schedule the charge that follows another one by some periods, with entries like its own.

    Returns:
        How many entries were booked; 0 when none of the entries is left to resemble.
    """
    models = [books.lancamentos[id_] for id_ in charge.lancamento_ids if id_ in books.lancamentos]
    if not models or charge.periodicidade is None:
        return 0
    period = charge.periodicidade
    due = add_periods(charge.data_vencimento, period, step)
    composite = books.new_id("compostos") if len(models) > 1 else None
    entries = []
    for model in models:
        fields = {name: getattr(model, name) for name in Entry.__slots__}
        fields |= {
            "id": books.new_id("lancamentos"),
            "data_vencimento": due,
            "data_pagamento": None,
            "lancamento_composto_id": composite,
            "item_de": None,
            "numero_repeticao": (model.numero_repeticao or 1) + step,
            "anexos": (),
            "modified": books.tick(),
        }
        if model.data_competencia is not None:
            fields["data_competencia"] = add_periods(model.data_competencia, period, step)
        entries.append(books.add_entry(Entry(**fields)))
    following = copy_charge(
        charge,
        id=books.new_id("cobrancas"),
        data_vencimento=due,
        estado="agendado",
        valor_taxa=CHARGE_FEES[charge.tipo_cobranca],
        valor_multa_juros=0,
        valor_pago=None,
        data_a_transferir=None,
        data_transferindo=None,
        data_transferido=None,
        lancamento_ids=tuple(entry.id for entry in entries),
        lancamento_composto_id=composite,
    )
    following.cobranca_hash = make_hash(books, following)
    books.cobrancas[following.id] = following
    books.touch("cobrancas", following.id)
    return len(entries)


def make_hash(books: Books, charge: Charge) -> str:
    """Return the text that identifies a charge in public: the same for the same company and charge."""
    return hashlib.sha256(f"{books.seed}:{charge.id}".encode()).hexdigest()[:20]


def copy_charge(charge: Charge, **changes: Any) -> Charge:
    """Return a copy of a charge with some fields changed."""
    fields = {name: getattr(charge, name) for name in Charge.__slots__} | changes
    return Charge(**fields)


def notify(books: Books, charge: Charge, subject: str) -> None:
    """Note in the outbox the e-mail that the service would send; nothing is ever sent."""
    if charge.email:
        books.emails.append({"para": charge.email, "assunto": subject, "cobranca_id": str(charge.id), "em": books.hoje})
        del books.emails[:-1000]


def cancel_charge(service: Service, call: Call) -> Any:
    """Answer DELETE /v1/cobrancas/:id; a charge cancelled before keeps its date."""
    books = service.books
    charge = books.cobrancas.get(call.ids[0])
    if charge is None:
        raise not_found("cobrança")
    delete = call.params.boolean("excluir_lancamentos") or False
    tell = call.params.boolean("enviar_email_aviso") or False
    call.params.check()
    charge.data_cancelamento = charge.data_cancelamento or books.hoje
    if charge.valor_pago is None:
        charge.valor_taxa = 0
    books.touch("cobrancas", charge.id)
    if delete:
        for entry_id in charge.lancamento_ids:
            entry = books.lancamentos.get(entry_id)
            if entry is not None:
                remove_with_belongings(books, entry)
    if tell:
        notify(books, charge, "cancelamento")
    return {"success": "Cobrança cancelada com sucesso"}


_ITEM = (
    Param("descricao", required=True),
    Param("categoria_id", "integer", required=True, refers="categorias"),
    Param("valor", "decimal", required=True, positive=True, text="positive only"),
    Param("centro_custo_lucro_id", "integer"),
)

CHARGE_OPERATIONS = (
    Operation("POST", "/v1/cobrancas", create_charge, "criar_cobranca", "Issue or schedule a charge", "cobrancas",
              body=(
                  Param("conta_id", "integer", required=True, refers="contas_lancamento"),
                  Param("cliente_id", "integer", required=True, refers="clientes"),
                  Param("data_vencimento", "date", required=True),
                  Param("tipo_cobranca", required=True, values=tuple(CHARGE_METHODS)),
                  Param("itens", "items", required=True, items=_ITEM),
                  Param("data_competencia", "date"),
                  Param("email", text="customer address for automatic sending"),
                  Param("percentual_multa", "percent", text="default 2"),
                  Param("cobrar_juros", "boolean", text="default true: 1% interest on overdue slips"),
                  Param("instrucoes_boleto", maximum=NOTE_MAX),
                  Param("permitir_segunda_via", "boolean", text="default true"),
                  Param("dias_para_emissao", "integer", maximum=3650, text="default 5"),
                  Param("tipo_emissao", "integer", values=("1", "2"), text="1 now, 2 by the dates (default)"),
                  Param("periodicidade", values=tuple(PERIODS)),
                  Param("parcelas", "integer", minimum=1, maximum=REPETITIONS_MAX, text="unlimited when omitted"),
              ), schema="cobranca"),
    Operation("DELETE", "/v1/cobrancas/{id}", cancel_charge, "cancelar_cobranca", "Cancel a charge", "cobrancas",
              query=(Param("excluir_lancamentos", "boolean", text="also delete the linked entries"),
                     Param("enviar_email_aviso", "boolean", text="tell the customer")), schema="sucesso"),
)  # fmt: skip

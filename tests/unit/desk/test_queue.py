"""What stands against the keys of the desk: every payment and every name, as a walk over all títulos gives them."""

from __future__ import annotations

from datetime import date
from urllib.parse import quote

from lastro.analysis.frames import records_of
from lastro.desk.book import build_desk
from lastro.desk.desks import COBRANCA
from lastro.desk.memory import DeskMemory
from lastro.desk.queue import SEM_PESSOA, build_queue
from lastro.grid.cells import Link
from lastro.settings import Empresa
from tests.golden import dataset
from tests.unit.export.export_values import STAMP
from tests.unit.reports.positions import make_golden, make_position

BASE = {"conta_id": 101, "categoria_id": 11, "data_vencimento": "2026-03-10"}


def test_payments_by_person_and_by_titulo() -> None:
    entries = [
        {"id": 4, "valor": "40.00", "pessoa_id": 502, "data_pagamento": "2026-03-12", "documento": "NF 4", **BASE},
        {"id": 1, "valor": "10.00", "pessoa_id": 501, "data_pagamento": "2026-03-11", "descricao": "Um", **BASE},
        {"id": 3, "valor": "30.00", "pessoa_id": 502, "data_pagamento": "2026-03-11", **BASE},
        {"id": 2, "valor": "20.00", "data_pagamento": "2026-03-12", "documento": "", "descricao": "Dois", **BASE},
        {"id": 5, "valor": "50.00", "pessoa_id": 502, "descricao": "Cinco", "documento": "NF 5", **BASE},
        {"id": 6, "valor": "-60.00", "pessoa_id": 502, "data_pagamento": "2026-03-11", "categoria_id": 21,
         "conta_id": 101, "data_vencimento": "2026-03-10"},
        {"id": 7, "valor": "70.00", "pessoa_id": 502, "data_pagamento": "2026-03-10", "documento": "NF 7", **BASE},
    ]  # fmt: skip
    queue = build_queue(make_position(entries))
    assert dict(queue.recebidos) == {
        SEM_PESSOA: ((date(2026, 3, 12), 2000, 2),),
        501: ((date(2026, 3, 11), 1000, 1),),
        502: ((date(2026, 3, 10), 7000, 7), (date(2026, 3, 11), 3000, 3), (date(2026, 3, 12), 4000, 4)),
    }
    assert dict(queue.recebido_titulo) == {
        1: (date(2026, 3, 11), 1000),
        2: (date(2026, 3, 12), 2000),
        3: (date(2026, 3, 11), 3000),
        4: (date(2026, 3, 12), 4000),
        7: (date(2026, 3, 10), 7000),
    }
    names = queue.nomes
    assert dict(queue.rotulos) == {
        1: f"{names[501]} · Um",
        2: f"{names[SEM_PESSOA]} · Dois",
        3: f"{names[502]} · ",
        4: f"{names[502]} · NF 4",
        5: f"{names[502]} · NF 5",
        7: f"{names[502]} · NF 7",
    }


def test_the_golden_company_walked_over() -> None:
    position = make_golden()
    queue = build_queue(position)
    titulos = position.titulos
    counted = titulos[(titulos["tipo"] == "R") & ~titulos["transferencia"] & ~titulos["fora_resultado"]]
    paid = counted[counted["pago"]]
    walked = {
        number: (day.date(), amount)
        for number, day, amount in records_of(paid, "titulo_id", "data_pagamento", "valor_centavos")
    }
    assert dict(queue.recebido_titulo) == walked
    assert walked
    assert set(queue.rotulos) == set(counted["titulo_id"].tolist())
    found = {titulo: (day, amount) for payments in queue.recebidos.values() for day, amount, titulo in payments}
    assert found == walked


def test_namesakes_have_their_id_beside_the_name_and_a_letter_calls_each_by_it() -> None:
    known = [person for person in dataset.pessoas() if person["cliente"]][:2]
    names = ("Tintas Boa Vista", "TINTAS BOA VISTA")
    people = [{**person, "nome": name, "email": "a@b.com"} for person, name in zip(known, names, strict=True)]
    first, second = (int(person["id"]) for person in people)
    base = {"conta_id": 101, "categoria_id": 11, "data_vencimento": "2026-02-10"}
    entries = [{"id": 1, "valor": "9.00", "pessoa_id": first, **base},
               {"id": 2, "valor": "5.00", "pessoa_id": second, **base}]  # fmt: skip
    queue = build_queue(make_position(entries, clientes=people, fornecedores=[]))
    empresa = Empresa("ipe", "Ipê", "https://servico.exemplo", "TOKEN")
    (table, *_) = build_desk(queue, [], empresa, STAMP, DeskMemory(COBRANCA, "a/1")).sheets[0].sections
    places = {column.header: place for place, column in enumerate(table.columns)}
    told = [f"Tintas Boa Vista (#{first})", f"TINTAS BOA VISTA (#{second})"]
    assert [row.cells[places["Cliente"]] for row in table.rows] == told
    letter = table.rows[0].cells[places["E-mail"]]
    assert isinstance(letter, Link)
    assert f"{quote(names[0])}.%20" in str(letter.url)

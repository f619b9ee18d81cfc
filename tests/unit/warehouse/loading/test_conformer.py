"""What is read, what is rejected with which reason and place, and what stops a run (issue 4, point 6; S1, S13)."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from lastro.api.bodies import parse_body
from lastro.api.client import Answer
from lastro.errors import SchemaDrift
from lastro.extract.landing import PageFile
from lastro.transform.conformed import Conformed
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.conformer import conform_run
from lastro.warehouse.loading.listings import drop_received
from tests.books import open_warehouse
from tests.payloads import make_charge, make_entry

GONE = "\0gone"
MOMENT = datetime(2026, 3, 16, 9, 5, tzinfo=UTC)
ENTRY: Mapping[str, Any] = make_entry(
    id=1, categoria_id=11, conta_id=101, pessoa_id=501, descricao="Venda", valor="100.00", numero_repeticao=1,
    total_repeticoes=1, data_vencimento="2026-03-10", data_competencia="2026-03-01", modified="2026-03-10 09:00:00",
)  # fmt: skip
CHARGE: Mapping[str, Any] = make_charge(
    id=9001, valor="100.00", valor_taxa="-3.50", lancamento_ids="1", forma_pagamento_id=301, cliente_id=501,
    data_vencimento="2026-03-10", cobranca_hash="h", link_publico="https://x.example/h",
)  # fmt: skip
ITEM: Mapping[str, Any] = {
    "id": 8, "descricao": "Parte", "valor": "-5.00", "categoria_id": 12, "lancamento_composto_id": 70, "tags": []
}  # fmt: skip


def write(base: Mapping[str, Any], **changes: Any) -> str:
    """Write a record as JSON; a value given as `Raw` stands there as it is."""
    record = {**base, **changes}
    parts = [
        f"{json.dumps(name)}: {value.text if isinstance(value, Raw) else json.dumps(value)}"
        for name, value in record.items()
        if value != GONE
    ]
    return "{" + ", ".join(parts) + "}"


class Raw:
    """A JSON literal that Python would change."""

    def __init__(self, text: str) -> None:
        self.text = text


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    with open_warehouse(tmp_path_factory.mktemp("conform") / "acme") as opened:
        yield opened


def conform(warehouse: Warehouse, **listas: list[list[str]]) -> Conformed:
    """Land pages of records (JSON texts) through the client's reader and load them."""
    pasta = Path(tempfile.mkdtemp(dir=warehouse.pasta))
    for lista, pages in listas.items():
        name, _, conta = lista.partition("_conta")
        answers = []
        for number, page in enumerate(pages, 1):
            body = parse_body("[" + ", ".join(page) + "]")
            origem = f"/v1/{name}?" + (f"conta_id={conta}&" if conta else "") + f"start={(number - 1) * 500}"
            answers.append(
                Answer(origem, body.line, body.value, body.original, MOMENT + timedelta(seconds=number), None)
            )
        with PageFile(pasta, f"{name}-{conta}" if conta else name, int(conta) if conta else None) as file:
            for answer in answers:
                file.add(answer)
            file.commit()
    with warehouse.transaction():
        return conform_run(warehouse.con, [pasta], 7)


def rejected(warehouse: Warehouse) -> list[tuple[Any, ...]]:
    return warehouse.query("SELECT lista, pagina, posicao, motivo FROM raw.rejeitados ORDER BY ALL")


ID = "id: não é um inteiro positivo"
MONEY = "valor: não é um valor em dinheiro"
DAY = "não é uma data entre 1900 e 2199"


def _any(*values: Any) -> tuple[Any, ...]:
    return values


MALFORMED: list[tuple[str, Any, str]] = [
    ("id", GONE, "id: campo ausente"),
    *(("id", value, ID) for value in _any(None, 0, -5, "abc", "", True, [], {}, " 7", "07", 10**18, 10**30)),
    *(("id", Raw(text), ID) for text in ("1.5", "1.0", "1e3", "NaN")),
    ("valor", GONE, "valor: campo ausente"),
    *(
        ("valor", value, MONEY)
        for value in (
            "1,50", "1.234,56", "1e2", "1E+2", "NaN", "Infinity", "1.005", "", " ", " 1.00", "R$ 1.00", "abc", None,
            True, False, [], ["1.00"], {}, {"valor": "1.00"}, "10000000000000000.00", "-10000000000000000", "1.",
            ".", "-.905", "4000.0001", "--1",
        )
    ),
    *(("valor", Raw(text), MONEY) for text in ("1e2", "NaN", "-Infinity", "1.005", "10000000000000000.00", "1" * 30)),
    ("data_vencimento", GONE, "data_vencimento: campo ausente"),
    *(
        ("data_vencimento", value, f"data_vencimento: {DAY}")
        for value in (
            None, "", "2026-02-30", "2026-13-01", "2025-02-29", "1899-12-31", "2200-01-01", "0000-00-00", "amanhã",
            "10/03/2026", "2026-3-1", 20260310, True, "99999-01-01", "2026-03-10x",
        )
    ),
    *(
        (name, value, f"{name}: {DAY}")
        for name in ("data_pagamento", "data_competencia")
        for value in ("2026-02-30", "0000-00-00", "x", 1)
    ),
    ("data_pagamento", GONE, "data_pagamento: campo ausente"),
    *(
        (name, value, f"{name}: não é um id")
        for name in ("conta_id", "categoria_id", "pessoa_id", "lancamento_transferencia_id")
        for value in ("abc", -1, True, 10**18, [1])
    ),
    *(("conta_id", Raw(text), "conta_id: não é um id") for text in ("1.5", "1e2")),
    *(("itens_adicionais", value, "itens_adicionais: não é uma lista") for value in _any("x", {}, 5, True)),
    ("tags", "1,2", "tags: não é uma lista"),
]  # fmt: skip


def test_each_malformed_entry_is_rejected_with_its_reason_and_place_and_all_others_load(warehouse: Warehouse) -> None:
    good = [write(ENTRY, id=number) for number in range(1, 41)]
    bad = [write(ENTRY, **{"id": 1000 + place, field: value}) for place, (field, value, _) in enumerate(MALFORMED)]
    # A good record between every two bad ones, over pages of 20: places differ from plain counting.
    mixed = [record for pair in zip(bad, [*good, *good, *good, *good], strict=False) for record in pair]
    pages = [mixed[start : start + 20] for start in range(0, len(mixed), 20)]
    conformed = conform(warehouse, lancamentos=pages)

    found = warehouse.query(
        "SELECT lista, pagina, posicao, origem, motivo, execucao_id, payload::VARCHAR FROM raw.rejeitados "
        "ORDER BY pagina, posicao"
    )
    assert len(found) == len(MALFORMED)
    for place, ((field, value, reason), row) in enumerate(zip(MALFORMED, found, strict=True)):
        page, position = divmod(2 * place, 20)
        assert row[:4] == ("lancamentos", page + 1, position, f"/v1/lancamentos?start={page * 500}"), (field, value)
        assert row[4] == reason, (field, value)
        assert row[5] == 7
        kept = json.loads(row[6])
        expected = parse_body(bad[place]).value
        assert kept == expected
    assert conformed.lancamentos["lancamento_id"].tolist() == list(range(1, 41))
    assert conformed.lancamentos["valor_centavos"].sum() == 40 * 10_000
    kept_raw = warehouse.query("SELECT count(*) FROM raw.lancamentos")
    assert kept_raw == [(len(mixed),)]


MONEY_READ: list[tuple[Any, int]] = [
    ("10.0", 1_000), ("10", 1_000), ("+3.5", 350), ("-0.01", -1), ("0.00", 0), ("-0", 0),
    ("-.90", -90), (".5", 50), ("+.9", 90), ("4000.0000", 400_000), ("1.500", 150), (Raw("35.90000"), 3_590),
    ("9999999999999999.99", 999_999_999_999_999_999), ("-9999999999999999.99", -999_999_999_999_999_999),
    (Raw("12.5"), 1_250), (Raw("12"), 1_200), (Raw("-0.10"), -10), (Raw("6.7"), 670),
    (Raw("1234567890123456.78"), 123_456_789_012_345_678), (Raw("9007199254740993.01"), 900_719_925_474_099_301),
]  # fmt: skip


def test_a_money_text_or_number_is_read_exactly(warehouse: Warehouse) -> None:
    page = [write(ENTRY, id=number, valor=valor) for number, (valor, _) in enumerate(MONEY_READ, 1)]
    conformed = conform(warehouse, lancamentos=[page])
    assert rejected(warehouse) == []
    assert conformed.lancamentos["valor_centavos"].tolist() == [centavos for _, centavos in MONEY_READ]
    assert str(conformed.lancamentos["valor_centavos"].dtype) == "int64"


DAYS_READ = {
    "1900-01-01": date(1900, 1, 1), "2199-12-31": date(2199, 12, 31), "2028-02-29": date(2028, 2, 29),
    "2026-03-10 00:00:00": date(2026, 3, 10), "2026-03-10T23:59:59-03:00": date(2026, 3, 10),
}  # fmt: skip


def test_a_date_of_the_calendar_is_read(warehouse: Warehouse) -> None:
    page = [
        write(ENTRY, id=number, data_vencimento=text, data_pagamento=text) for number, text in enumerate(DAYS_READ, 1)
    ]
    frame = conform(warehouse, lancamentos=[page]).lancamentos
    assert rejected(warehouse) == []
    assert [day.date() for day in frame["data_vencimento"]] == list(DAYS_READ.values())
    assert [day.date() for day in frame["data_pagamento"]] == list(DAYS_READ.values())


def test_no_link_is_null_whatever_it_looks_like(warehouse: Warehouse) -> None:
    names = (
        "conta_id",
        "categoria_id",
        "pessoa_id",
        "centro_custo_lucro_id",
        "lancamento_transferencia_id",
        "pedido_id",
    )
    nothing = (None, 0, "", "0", "000")
    page = [
        write(ENTRY, id=number, data_pagamento="", **dict.fromkeys(names, value))
        for number, value in enumerate(nothing, 1)
    ]
    frame = conform(warehouse, lancamentos=[[*page, write(ENTRY, id=9)]]).lancamentos
    assert rejected(warehouse) == []
    assert frame[list(names)].head(len(nothing)).isna().all(axis=None)
    assert frame["data_pagamento"].isna().all()
    assert frame["conta_id"].tolist()[-1] == 101


def test_ids_beyond_the_precision_of_a_float_are_exact(warehouse: Warehouse) -> None:
    ids = [2**53, 2**53 + 1, 10**18 - 1]
    conformed = conform(warehouse, lancamentos=[[write(ENTRY, id=number, pessoa_id=number) for number in ids]])
    assert conformed.lancamentos["lancamento_id"].tolist() == ids
    assert conformed.lancamentos["pessoa_id"].tolist() == ids


def test_several_faults_of_one_record_are_named_together(warehouse: Warehouse) -> None:
    conform(warehouse, lancamentos=[[write(ENTRY, id=0, valor="x", data_vencimento="y"), write(ENTRY)]])
    assert rejected(warehouse) == [("lancamentos", 1, 0, f"{ID}; {MONEY}; data_vencimento: {DAY}")]


def test_elements_that_are_no_objects_are_rejected_records(warehouse: Warehouse) -> None:
    elements = ["null", '"texto"', "5", "[1, 2]", "true", "[]"]
    conformed = conform(warehouse, lancamentos=[[*elements[:3], write(ENTRY), *elements[3:]]])
    assert rejected(warehouse) == [("lancamentos", 1, place, "não é um objeto") for place in (0, 1, 2, 4, 5, 6)]
    assert warehouse.query("SELECT payload::VARCHAR FROM raw.rejeitados WHERE posicao = 0") == [("null",)]
    assert len(conformed.lancamentos) == 1


def test_items_are_records_of_their_own(warehouse: Warehouse) -> None:
    items = [
        ITEM,
        {**ITEM, "id": 9, "valor": "1,50"},
        None,
        "texto",
        {name: value for name, value in ITEM.items() if name != "id"},
        {**ITEM, "id": 10, "pessoa_id": None, "valor": Decimal("2.50")},
    ]
    texts = [
        write(item).replace('"2.50"', "2.50") if isinstance(item, dict) else json.dumps(item)
        for item in [{**i, "valor": str(i["valor"])} if isinstance(i, dict) else i for i in items]
    ]
    record = write(ENTRY, id=7, lancamento_composto_id=70, itens_adicionais=Raw("[" + ", ".join(texts) + "]"))
    conformed = conform(warehouse, lancamentos=[[write(ENTRY), record]])
    assert conformed.lancamentos["lancamento_id"].tolist() == [1, 7]
    assert conformed.lancamentos["qtde_itens"].tolist() == [0, 6]
    itens = conformed.itens
    assert itens["item_id"].tolist() == [8, 10]
    assert itens["valor_centavos"].tolist() == [-500, 250]
    assert itens["lancamento_id"].tolist() == [7, 7]
    # whether the key was there decides about inheriting (S2.3)
    assert itens["tem_pessoa_id"].tolist() == [False, True]
    found = warehouse.query("SELECT lista, pagina, posicao, motivo, conta_id FROM raw.rejeitados ORDER BY motivo")
    assert [(row[0], row[1], row[2], row[3]) for row in found] == [
        ("itens_adicionais", 1, 1, "id: campo ausente"),
        ("itens_adicionais", 1, 1, "não é um objeto"),
        ("itens_adicionais", 1, 1, "não é um objeto"),
        ("itens_adicionais", 1, 1, MONEY),
    ]


def test_the_account_of_a_rejected_record_is_the_one_in_whose_listing_it_stood(warehouse: Warehouse) -> None:
    conform(
        warehouse,
        lancamentos_conta101=[[write(ENTRY, valor="x"), write(ENTRY, id=2)]],
        lancamentos_conta102=[[write(ENTRY, id=3, conta_id=102, valor="y")]],
    )
    assert warehouse.query("SELECT conta_id, origem FROM raw.rejeitados ORDER BY 1") == [
        (101, "/v1/lancamentos?conta_id=101&start=0"),
        (102, "/v1/lancamentos?conta_id=102&start=0"),
    ]


def test_an_entry_received_twice_counts_once_and_the_last_one_wins(warehouse: Warehouse) -> None:
    conformed = conform(
        warehouse,
        lancamentos_conta101=[[write(ENTRY, valor="1.00"), write(ENTRY, id=2)], [write(ENTRY, valor="2.00")]],
        lancamentos_conta102=[[write(ENTRY, id=2, valor="5.00")], [], [write(ENTRY, id=2, conta_id=102, valor="7.00")]],
    )
    values = dict(zip(conformed.lancamentos["lancamento_id"], conformed.lancamentos["valor_centavos"], strict=True))
    assert values == {1: 200, 2: 700}


def test_items_of_a_row_that_came_again_are_those_received_last(warehouse: Warehouse) -> None:
    # Moved to another account and composite while the pages were read: what its old row nested is no part of it now.
    old = write(ENTRY, id=5, lancamento_composto_id=50, itens_adicionais=[{**ITEM, "id": 51}, {**ITEM, "id": 52}])
    new = write(ENTRY, id=5, conta_id=102, lancamento_composto_id=60, itens_adicionais=[{**ITEM, "id": 52}])
    bare = write(ENTRY, id=5, conta_id=102, lancamento_composto_id=60)
    conformed = conform(warehouse, lancamentos_conta101=[[old]], lancamentos_conta102=[[], [new]])
    assert conformed.itens["item_id"].tolist() == [52]
    assert conform(warehouse, lancamentos_conta101=[[old]], lancamentos_conta102=[[], [bare]]).itens.empty


def test_texts_of_any_kind_are_kept(warehouse: Warehouse) -> None:
    texts = {
        1: ('"Café 🧾 ação — ½"', "Café 🧾 ação — ½"),
        2: ('"meio \\ud83d par"', "meio \ufffd par"),
        3: ('"com\\u0000nulo"', "comnulo"),
        4: ('"duas\\nlinhas\\t"', "duas\nlinhas"),
        5: ('"=1+1"', "=1+1"),
        6: ("null", ""),
        7: ("12.50", "12.50"),
        8: ('"\'; DROP TABLE core.linhas; --"', "'; DROP TABLE core.linhas; --"),
        9: ('"  espaços  "', "espaços"),
    }
    conformed = conform(
        warehouse, lancamentos=[[write(ENTRY, id=key, descricao=Raw(text)) for key, (text, _) in texts.items()]]
    )
    assert rejected(warehouse) == []
    found = dict(zip(conformed.lancamentos["lancamento_id"], conformed.lancamentos["descricao"], strict=True))
    assert {key: value.strip() for key, value in found.items()} == {
        key: text.strip() for key, (_, text) in texts.items()
    }


def test_tags_that_are_no_ids_are_left_out(warehouse: Warehouse) -> None:
    tags = Raw('[{"id": 3}, {"id": "x"}, 5, null, {"id": 0}, {"nome": "y"}, {"id": "4"}]')
    conformed = conform(
        warehouse, lancamentos=[[write(ENTRY, tags=tags), write(ENTRY, id=2, tags=None), write(ENTRY, id=3)]]
    )
    found = conformed.lancamentos["tags"].tolist()
    assert found == [[3, 4], [], []]
    assert found[1] is found[2]  # of a million rows without any, one


MALFORMED_CHARGES: list[tuple[str, Any, str]] = [
    ("id", GONE, "id: campo ausente"),
    ("id", "0", ID),
    ("valor", "1,00", MONEY),
    ("valor_pago", "abc", "valor_pago: não é um valor em dinheiro"),
    ("valor_taxa", "1.005", "valor_taxa: não é um valor em dinheiro"),
    ("data_vencimento", "2026-02-30", f"data_vencimento: {DAY}"),
    ("data_cancelamento", "0000-00-00", f"data_cancelamento: {DAY}"),
    ("data_transferido", "1899-01-01", f"data_transferido: {DAY}"),
    ("lancamento_ids", GONE, "lancamento_ids: campo ausente"),
    ("cliente_id", "x", "cliente_id: não é um id"),
]


def test_malformed_charges_are_rejected(warehouse: Warehouse) -> None:
    page = [
        write(CHARGE, **{"id": 9100 + place, field: value}) for place, (field, value, _) in enumerate(MALFORMED_CHARGES)
    ]
    conformed = conform(warehouse, cobrancas=[[*page, write(CHARGE)]])
    assert rejected(warehouse) == [
        ("cobrancas", 1, place, reason) for place, (_, _, reason) in enumerate(MALFORMED_CHARGES)
    ]
    assert conformed.cobrancas["cobranca_id"].tolist() == [9001]


def test_a_charge_is_read_in_both_dialects(warehouse: Warehouse) -> None:
    other = write(
        CHARGE, id=9002, percentual_multa=Raw("2.5"), cobrar_juros=True, valor_pago="", valor_taxa=None,
        cobranca_hash=None, link_publico="", permitir_segunda_via=0,
    )  # fmt: skip
    frame = conform(warehouse, cobrancas=[[write(CHARGE), other]]).cobrancas
    assert rejected(warehouse) == []
    assert frame["percentual_multa"].tolist() == [Decimal("2.00"), Decimal("2.5")]
    assert frame["cobrar_juros"].tolist() == [True, True]
    assert frame["permitir_segunda_via"].tolist() == [True, False]
    assert frame["valor_taxa_centavos"].tolist() == [-350, 0]
    assert frame["valor_pago_centavos"].isna().all()
    assert frame["cobranca_hash"].tolist() == ["h", ""]


def test_the_category_tree_is_flattened_and_bad_children_are_rejected(warehouse: Warehouse) -> None:
    tree = (
        '{"id": 20, "descricao": "Despesas", "cor": "#fff", "parent_id": null, "ativo": true, "tipo_categoria_id": 1, '
        '"categorias_filhas": [{"id": 21, "descricao": "Aluguel", "ativo": false, "tipo_categoria_id": 1, '
        '"categorias_filhas": [{"id": 22, "descricao": "Loja", "parent_id": 21, "tipo_categoria_id": 1}]}, null, '
        '{"id": "x", "tipo_categoria_id": 1}]}'
    )
    frame = conform(warehouse, categorias=[[tree]]).categorias
    assert frame["categoria_id"].tolist() == [20, 21, 22]
    assert frame["parent_id"].tolist()[1:] == [20, 21]
    assert frame["ativo"].tolist() == [True, False, True]
    assert [row[3] for row in rejected(warehouse)] == [ID, "não é um objeto"]


def test_people_without_flags_are_what_their_list_says(warehouse: Warehouse) -> None:
    conformed = conform(
        warehouse,
        clientes=[['{"id": 1, "nome": "Ana"}', '{"id": 2, "nome": "Bia", "fornecedor": true, "ativo": false}']],
        fornecedores=[['{"id": 2, "nome": "Bia", "cliente": true}']],
    )
    assert conformed.clientes[["cliente", "fornecedor", "ativo"]].to_numpy().tolist() == [
        [True, False, True],
        [True, True, False],
    ]
    assert conformed.fornecedores[["cliente", "fornecedor"]].to_numpy().tolist() == [[True, True]]


def test_new_and_missing_fields_are_reported_once_per_run(warehouse: Warehouse) -> None:
    page = [
        write(ENTRY, id=1, status="x", novo=1),
        write(ENTRY, id=2, status="y", grupo_id=GONE),
        write(ENTRY, id=3, status=None),
    ]
    conformed = conform(warehouse, lancamentos=[page, [write(ENTRY, id=4)]])
    assert len(conformed.lancamentos) == 4
    expected = [
        (7, "lancamentos", "grupo_id", "ausente", 1),
        (7, "lancamentos", "novo", "desconhecido", 1),
        (7, "lancamentos", "status", "desconhecido", 3),
    ]
    report = "SELECT execucao_id, lista, campo, situacao, registros FROM ops.esquema ORDER BY ALL"
    assert warehouse.query(report) == expected
    conform(warehouse, lancamentos=[page, [write(ENTRY, id=4)]])
    assert warehouse.query(report) == expected


@pytest.mark.parametrize("field", ["id", "valor", "conta_id"])
def test_a_needed_field_gone_from_every_record_is_drift(warehouse: Warehouse, field: str) -> None:
    page = [write(ENTRY, **{"id": number, field: GONE}) for number in range(1, 4)]
    before = warehouse.query("SELECT count(*) FROM raw.lancamentos")
    with pytest.raises(SchemaDrift, match=rf"/v1/lancamentos: nenhum dos 3 registros tem os campos {field}"):
        conform(warehouse, lancamentos=[page])
    # The transaction took everything back, the raw records of the drifted list included.
    assert warehouse.query("SELECT count(*) FROM raw.lancamentos") == before


def test_fields_that_no_rule_needs_may_go(warehouse: Warehouse) -> None:
    gone = dict.fromkeys(("tags", "itens_adicionais", "descricao", "grupo_id", "pessoa_id", "modified"), GONE)
    conformed = conform(warehouse, lancamentos=[[write(ENTRY, **gone)]])
    assert len(conformed.lancamentos) == 1
    assert rejected(warehouse) == []


def test_a_needed_field_of_another_type_in_every_record_is_drift(warehouse: Warehouse) -> None:
    """One odd record is data; a whole list of them is a service that changed: nothing may be replaced by nothing."""
    page = [write(ENTRY, id=number, valor={"moeda": "BRL", "texto": "1.00"}) for number in range(1, 31)]
    with pytest.raises(SchemaDrift, match=r"/v1/lancamentos: em todos os 30 registros .* valor"):
        conform(warehouse, lancamentos=[page])
    few = conform(warehouse, lancamentos=[page[:3]])
    assert len(few.lancamentos) == 0
    assert len(rejected(warehouse)) == 3


def test_a_company_without_anything_loads(warehouse: Warehouse) -> None:
    conformed = conform(warehouse, lancamentos=[[]], cobrancas=[[]], categorias=[[]], clientes=[[]])
    assert len(conformed.lancamentos) == len(conformed.itens) == len(conformed.cobrancas) == 0
    assert rejected(warehouse) == []
    assert str(conformed.lancamentos["valor_centavos"].dtype) == "int64"


def test_nothing_of_the_pages_stays_in_memory(warehouse: Warehouse) -> None:
    conform(warehouse, lancamentos=[[write(ENTRY)]])
    assert (
        warehouse.query(
            "SELECT DISTINCT column_name FROM duckdb_columns() WHERE data_type = 'JSON' AND "
            "table_name IN (SELECT table_name FROM duckdb_tables() WHERE temporary)"
        )
        == []
    )
    drop_received(warehouse.con)
    assert warehouse.query("SELECT table_name FROM duckdb_tables() WHERE temporary") == []
    limit = warehouse.query("SELECT current_setting('memory_limit')")
    warehouse.release_memory()
    assert warehouse.query("SELECT current_setting('memory_limit')") == limit


def test_a_run_replaces_what_an_earlier_one_rejected(warehouse: Warehouse) -> None:
    conform(warehouse, lancamentos=[[write(ENTRY, valor="x"), write(ENTRY, id=2)]])
    assert len(rejected(warehouse)) == 1
    conform(warehouse, lancamentos=[[write(ENTRY), write(ENTRY, id=2)]])
    assert rejected(warehouse) == []


def test_a_record_with_a_key_twice_is_rejected_because_two_parsers_read_two_records(warehouse: Warehouse) -> None:
    """Python keeps the last of two equal keys and DuckDB the first: 1 was proved, 7 would have been booked."""
    doubled = '{"id": 7, "valor": "-77777.77", ' + write(ENTRY)[1:]
    amount = write(ENTRY, id=2)[:-1] + ', "valor": "999.00"}'
    item = write(ITEM)[:-1] + ', "valor": "-4.00"}'
    carrier = write(ENTRY, id=70, itens_adicionais=[]).replace(
        '"itens_adicionais": []', f'"itens_adicionais": [{item}]'
    )
    read = conform(warehouse, lancamentos=[[doubled, amount, carrier, write(ENTRY, id=3)]])
    assert read.lancamentos["lancamento_id"].tolist() == [3, 70]
    assert read.itens.empty
    assert [(lista, posicao, motivo) for lista, _, posicao, motivo in rejected(warehouse)] == [
        ("itens_adicionais", 2, "chave repetida"),
        ("lancamentos", 0, "chave repetida"),
        ("lancamentos", 1, "chave repetida"),
    ]


def test_a_text_of_more_than_a_megabyte_is_no_record(warehouse: Warehouse) -> None:
    read = conform(warehouse, lancamentos=[[write(ENTRY, descricao="x" * (2**20 + 1)), write(ENTRY, id=2)]])
    assert read.lancamentos["lancamento_id"].tolist() == [2]
    assert [motivo for *_, motivo in rejected(warehouse)] == ["texto longo demais"]


def test_a_tree_nested_deeper_than_64_levels_is_told(warehouse: Warehouse) -> None:
    nested = ""
    for number in range(70, 0, -1):
        fields = f'"id": {number}, "descricao": "c", "tipo_categoria_id": 1, "ativo": true'
        nested = f'{{{fields}, "categorias_filhas": [{nested}]}}'
    read = conform(warehouse, categorias=[[nested]])
    assert read.categorias["categoria_id"].tolist() == list(range(1, 65))
    assert [(lista, motivo) for lista, _, _, motivo in rejected(warehouse)] == [
        ("categorias", "além do nível 64 da árvore")
    ]


@pytest.mark.parametrize(
    ("details", "read", "nested"),
    [
        ([], [], []),
        ([write(ENTRY, id=2, valor="7.00")], [(2, 700)], []),
        ([write(ENTRY, id=2, itens_adicionais=[dict(ITEM)])], [(2, 10000)], [(2, 8, -500)]),
        ([write(ENTRY, id=2, valor="x", itens_adicionais=[dict(ITEM)])], [], []),
    ],
)
def test_entries_read_one_by_one_are_records_like_those_of_the_listing(
    warehouse: Warehouse, details: list[str], read: list[tuple[int, int]], nested: list[tuple[int, int, int]]
) -> None:
    """Where there is none of them, or none with nested items, what is empty has the very columns it has otherwise."""
    listed = [write(ENTRY), write(ENTRY, id=2, itens_adicionais=[{**ITEM, "id": 9}])]
    found = conform(warehouse, lancamentos_conta101=[listed], detalhes=[[text] for text in details])
    assert found.detalhes[["lancamento_id", "valor_centavos"]].values.tolist() == [list(row) for row in read]
    columns = ["lancamento_id", "item_id", "valor_centavos"]
    assert found.detalhes_itens[columns].values.tolist() == [list(row) for row in nested]
    assert found.detalhes.dtypes.equals(found.lancamentos.dtypes)
    assert found.detalhes_itens.dtypes.equals(found.itens.dtypes)
    assert [row[0] for row in rejected(warehouse)] == ["lancamentos"] * (len(details) - len(read))

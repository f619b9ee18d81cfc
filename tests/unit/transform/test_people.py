"""Customers and suppliers are one table by id; nobody is doubled, nobody is lost (S11)."""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from typing import Any

import pandas as pd

from lastro.secret_key import seal
from lastro.transform import core
from tests.builders import make_pessoas

KEY = bytes(range(32))
build_pessoas = partial(core.build_pessoas, chave=KEY, classificacoes={7: "Varejo"})


def people(*rows: dict[str, Any]) -> pd.DataFrame:
    return make_pessoas(rows)


def test_one_record_in_both_lists_is_one_person_with_both_roles() -> None:
    clientes = people(
        {"pessoa_id": 602, "nome": "Épsilon", "cliente": True}, {"pessoa_id": 501, "nome": "Azul", "cliente": True}
    )
    fornecedores = people(
        {"pessoa_id": 602, "nome": "Épsilon", "fornecedor": True},
        {"pessoa_id": 601, "nome": "Delta", "fornecedor": True},
    )
    before = clientes.copy(deep=True)
    frame = build_pessoas(clientes, fornecedores, ())
    pd.testing.assert_frame_equal(clientes, before)
    assert frame[["pessoa_id", "cliente", "fornecedor"]].to_numpy().tolist() == [
        [501, True, False],
        [601, False, True],
        [602, True, True],
    ]


def test_the_fancy_name_is_shown_if_there_is_one() -> None:
    frame = build_pessoas(
        people(
            {"pessoa_id": 1, "nome": "Azul Comércio Ltda", "nome_fantasia": " Azul "},
            {"pessoa_id": 2, "nome": " Beta ", "nome_fantasia": "  "},
            {"pessoa_id": 3, "nome": None, "nome_fantasia": None},
        ),
        people(),
        (),
    )
    assert frame["nome"].tolist() == ["Azul", "Beta", "Pessoa #3"]


def test_people_that_entries_name_and_nobody_lists_get_a_placeholder() -> None:
    frame = build_pessoas(people({"pessoa_id": 5, "nome": "Ana", "cliente": True}), people(), {5, 9, 7})
    assert frame["pessoa_id"].tolist() == [5, 7, 9]
    assert frame["nome"].tolist() == ["Ana", "Pessoa #7 (não encontrada)", "Pessoa #9 (não encontrada)"]
    assert frame["conhecida"].tolist() == [True, False, False]
    assert frame["documento"].tolist() == ["", "", ""]
    assert frame["cliente"].dtype == bool


def test_a_customer_has_the_name_of_its_classification_and_null_without_one_that_is_listed() -> None:
    clientes = people(
        *({"pessoa_id": n, "nome": "Ana", "classificacao_cliente_id": kind} for n, kind in ((1, 7), (2, None), (3, 8)))
    )
    kinds = build_pessoas(clientes, people(), {4})["classificacao"]
    assert [None if pd.isna(kind) else kind for kind in kinds] == ["Varejo", None, None, None]


def test_nobody_at_all() -> None:
    assert len(build_pessoas(people(), people(), ())) == 0
    assert build_pessoas(people(), people(), {3})["nome"].tolist() == ["Pessoa #3 (não encontrada)"]


def test_a_bank_account_is_kept_sealed_and_another_account_otherwise() -> None:
    rows = [
        {"pessoa_id": 1, "banco_id": "341", "agencia": "0012", "numero_conta": "12345-6"},
        {"pessoa_id": 2, "banco_id": "341", "agencia": "12", "numero_conta": "123456"},  # written otherwise
        {"pessoa_id": 3, "banco_id": "341", "agencia": "12", "numero_conta": "12345-X"},
        {"pessoa_id": 4, "banco_id": "1", "agencia": "12", "numero_conta": "123456"},
        {"pessoa_id": 5, "banco_id": "", "agencia": None, "numero_conta": "0"},
    ]
    frame = build_pessoas(people(*rows), people({**rows[3], "numero_conta": "9"}), (6,))
    first, same, letter, bank, none, unknown = frame["dados_bancarios"]
    assert first == same
    assert len({first, letter, bank}) == 3
    assert (none, unknown) == ("", "")
    assert "12345" not in first
    # What 0.3.0 kept of it, sealed under the key of the company: so that what is stored can be sealed too.
    old = sha256(b"341/12/123456").hexdigest()[:16]
    assert first == seal(KEY, old)
    assert old not in first
    assert first != seal(bytes(32), old)
    # Both records of a person count: the one for suppliers is the one that is paid.
    assert bank != build_pessoas(people(rows[3]), people(), ())["dados_bancarios"][0]

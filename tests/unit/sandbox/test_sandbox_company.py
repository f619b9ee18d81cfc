"""What an invented company holds in each dialect, and what happens to the demonstration's on purpose."""

from __future__ import annotations

import re
import tomllib
from datetime import date, timedelta

import pytest

from lastro_sandbox import Books, add_life, create_app, describe_settings, make_company
from lastro_sandbox.company_observed import DELETED
from lastro_sandbox.decisions import COMPOSITE_SHAPES, FEE_TEXT, CompositeShape, Dialect
from lastro_sandbox.life import PAYROLL_TEXT, SALES_TEXT, Life

DAY = date(2026, 3, 16)


def observed(seed: int = 1, size: int = 3000, shape: CompositeShape = "D") -> Books:
    return make_company(seed, size, DAY, shape, "observado")


@pytest.mark.parametrize("size", [0, 1, 2, 13, 60, 401, 5000])
@pytest.mark.parametrize("dialect", ["documento", "observado"])
def test_company_has_exactly_the_entries_asked_for(size: int, dialect: Dialect) -> None:
    assert len(make_company(2, size, DAY, "D", dialect).lancamentos) == size


@pytest.mark.parametrize("shape", COMPOSITE_SHAPES)
def test_every_issued_charge_has_its_fee_in_its_composite(shape: CompositeShape) -> None:
    books = observed(shape=shape)
    issued = [c for c in books.cobrancas.values() if c.data_cancelamento is None and c.estado != "agendado"]
    assert len(issued) > 300
    for charge in issued:
        members = [books.lancamentos[id_] for id_ in charge.lancamento_ids]
        fees = [entry for entry in members if entry.descricao == FEE_TEXT]
        assert [entry.valor for entry in fees] == [charge.valor_taxa]
        assert {entry.lancamento_composto_id for entry in members} == {charge.lancamento_composto_id}
        assert len({(entry.data_vencimento, entry.data_pagamento) for entry in members}) == 1
        positive = [e.valor for e in books.composite(charge.lancamento_composto_id or 0) if e.valor > 0]
        if shape != "T":  # there the carrier repeats what its items say
            assert sum(positive) == charge.valor
    others = [c for c in books.cobrancas.values() if c not in issued]
    assert not [c.id for c in others for id_ in c.lancamento_ids if books.lancamentos[id_].descricao == FEE_TEXT]


def test_old_entries_point_at_deleted_records() -> None:
    books = observed()
    existing: dict[str, set[int]] = {
        "pessoa_id": set(books.pessoas),
        "categoria_id": set(books.categorias),
        "centro_custo_lucro_id": set(books.centros),
    }
    for name, known in existing.items():
        lost = {getattr(e, name) for e in books.lancamentos.values()} - known - {None}
        assert lost == set(DELETED[name]), name
        assert books.new_id("pessoas") > max(DELETED["pessoa_id"])
    old = (DAY - timedelta(days=400)).isoformat()
    assert all(e.data_vencimento < old for e in books.lancamentos.values() if e.pessoa_id in DELETED["pessoa_id"])


def test_nothing_of_it_leaks_into_the_dialect_documento() -> None:
    books = make_company(1, 3000, DAY)
    assert not [
        e.id for e in books.lancamentos.values() if e.descricao == FEE_TEXT or e.pessoa_id in DELETED["pessoa_id"]
    ]
    before = repr(books.lancamentos)
    create_app(books)
    assert repr(books.lancamentos) == before


LIVED = date(2026, 11, 22)


def lived(size: int = 500, day: date = LIVED, seed: int = 1) -> tuple[Books, Life]:
    books = make_company(seed, size, day)
    return books, add_life(books)


def season(books: Books, month: str) -> int:
    return sum(
        one.valor
        for one in books.lancamentos.values()
        if one.descricao.startswith(SALES_TEXT) and (one.data_competencia or "").startswith(month)
    )


@pytest.mark.parametrize("size", [0, 10, 500, 5000])
def test_the_season_is_that_of_its_parameters(size: int) -> None:
    books, life = lived(size)
    assert (life.mes_usual >= 6_000_000, life.mes_usual % 100_000) == (True, 0)
    # November sells 125 percent of the usual month, February 70; of the next February, three months off, a quarter.
    assert season(books, "2025-11") == life.mes_usual // 100 * 125
    assert season(books, "2026-11") == life.mes_usual // 100 * 125
    assert season(books, "2026-02") == life.mes_usual // 100 * 70
    assert season(books, "2027-02") == life.mes_usual // 100 * 70 // 4


@pytest.mark.parametrize("day", [LIVED, date(2026, 3, 31), date(2027, 1, 1), date(2024, 2, 29)])
def test_one_payroll_is_forgotten_and_the_next_is_paid(day: date) -> None:
    books, life = lived(day=day)
    series = sorted((e for e in books.lancamentos.values() if e.descricao == PAYROLL_TEXT),
                    key=lambda entry: entry.data_vencimento)  # fmt: skip
    past = [entry for entry in series if entry.data_vencimento <= books.hoje]
    assert [entry.id for entry in past if entry.data_pagamento is None] == [life.folha_esquecida]
    forgotten = books.lancamentos[life.folha_esquecida]
    following = series[series.index(forgotten) + 1]
    assert following.data_pagamento == following.data_vencimento
    assert (day - date.fromisoformat(forgotten.data_vencimento)).days > 30
    assert len({entry.grupo_id for entry in series}) == 1


def on_its_way(books: Books, account: int, day: str) -> int:
    """What customers had paid and the bank had not received: each entry with a charge that arrives later."""
    return sum(
        entry.valor
        for entry in books.lancamentos.values()
        if entry.conta_id == account and entry.data_pagamento is not None and entry.data_pagamento <= day
        for charge in books.cobrancas.values()
        if entry.id in charge.lancamento_ids and charge.data_transferido is not None and charge.data_transferido > day
    )


def test_the_last_statement_of_the_bank_lacks_the_forgotten_payroll() -> None:
    books, life = lived()
    for id_, account in books.contas.items():
        (first, before), (second, after) = life.saldos[id_]
        assert (first, second) == (date(2026, 8, 31), date(2026, 10, 31))
        since = account.data_saldo_inicial or ""
        paid = [(e.data_pagamento or "", e.valor) for e in books.lancamentos.values() if e.conta_id == id_]
        until = [
            account.valor_saldo_inicial
            + sum(value for day, value in paid if since <= day <= last.isoformat() and day)
            - on_its_way(books, id_, last.isoformat())
            for last in (first, second)
        ]
        missing = -1_850_000 if id_ == books.lancamentos[life.folha_esquecida].conta_id else 0
        assert (before, after) == (until[0], until[1] + missing)


def test_the_settings_name_everything_that_the_books_use() -> None:
    books, life = lived(5000)
    (empresa,) = tomllib.loads(describe_settings(books, "http://127.0.0.1:1", "T", life))["empresa"]
    entries = list(books.lancamentos.values())
    parametros = empresa["parametros"]
    used: dict[str, set[int | None]] = {
        "formas": {e.forma_pagamento_id for e in entries} | {c.forma_pagamento_id for c in books.cobrancas.values()},
        "centros": {e.centro_custo_lucro_id for e in entries},
        "tipos_documento": {e.tipo_documento_id for e in entries},
        "tags": {tag for e in entries for tag in e.tags},
    }
    for name, ids in used.items():
        assert {str(id_) for id_ in ids if id_ is not None} <= set(parametros[name]), name
        assert not [label for label in parametros[name].values() if re.search(r"#\d", label)]
    assert parametros["dre_mapa"]["30"] == "fora"

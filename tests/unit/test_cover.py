"""The cover says what the stamp says: a finding of severity erro is counted, and the data-quality rules stand there."""

from __future__ import annotations

from decimal import Decimal

from lastro.catalogue import build_catalogue
from lastro.grid.cells import Link
from lastro.grid.verdict import UNMAPPED, Lack
from lastro.reports.view import View
from tests.books import make_empresa, read_books
from tests.entries import CONTA, D, entry
from tests.unit.reports.readers import section


def test_the_cover_names_what_makes_the_stamp_untrustworthy() -> None:
    rows = [
        entry(1, 101, "700.00", "2026-01-01", "2026-01-01", descricao="Saldo inicial"),
        entry(2, 101, "5.00", "2026-02-01", "2026-02-01", categoria_id=None),
    ]
    empresa = make_empresa([CONTA], {})
    payloads = {"lancamentos": rows, "categorias": [], "data_base": D, "data_extracao": D}
    with read_books(payloads, empresa) as read:
        catalogue = build_catalogue(View(read.position, empresa))
    assert [check.id for check in catalogue.errors] == ["Q19"]
    assert catalogue.cover is not None
    counted = next(kpi for kpi in catalogue.kpis if kpi.slug == "verificacoes_com_falha")
    trust = catalogue.tell_trust(0)
    assert counted.valor == trust.erros + trust.alertas
    (alerts,) = (part for part in catalogue.cover.parts if part.section.name == "resumo_alertas")
    assert trust.erros + trust.alertas == len(alerts.section.rows) + alerts.beyond
    assert counted.situacao == "Crítico"
    links = [row.cells[2] for row in section(catalogue.reports[0], "resumo_alertas").rows]
    printed = [str(link.key).split("-")[-1] for link in links if isinstance(link, Link)]
    assert printed[0] == "Q19"
    assert "Q01" in printed
    assert len(printed) == len(set(printed))


def test_a_few_centavos_beyond_the_tolerance_of_the_map_are_lacking() -> None:
    """Rent of 5.00 is mapped, 0.30 of another category are not: above 0 %. Nobody gave the opening of 101."""
    rows = [
        entry(1, 101, "700.00", "2026-01-01", "2026-01-01", descricao="Saldo inicial"),
        entry(2, 101, "-5.00", "2026-02-01", "2026-02-01"),
        entry(3, 101, "-0.30", "2026-02-01", "2026-02-01", categoria_id=21),
    ]
    categorias = [
        {"id": key, "descricao": name, "tipo_categoria_id": "D"} for key, name in ((20, "Aluguel"), (21, "X"))
    ]
    empresa = make_empresa([CONTA], {"dre_mapa": {"20": "administrativas"}})
    payloads = {"lancamentos": rows, "categorias": categorias, "data_base": D, "data_extracao": D}
    with read_books(payloads, empresa) as read:
        catalogue = build_catalogue(View(read.position, empresa))
    assert [kpi.number for kpi in catalogue.kpis if kpi.slug == UNMAPPED] == [Decimal("0.30")]
    assert catalogue.tell_trust(0).falta == Lack(mapas=1, saldos=1)

"""The list of what is approved, for whoever types it into the bank. D is Monday 16/03/2026."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lastro.calendar import BusinessCalendar
from lastro.desk.approved import write_approved
from lastro.desk.decisions import Approval, Decisions, find_decisions
from lastro.desk.payables import build_payables
from tests.unit.desk.written import D, golden, typed

HEADER = "fornecedor;cpf_cnpj;documento;descricao;valor;dia;conta;titulo_id;responsavel;aprovado_por;aviso"


def test_what_is_approved_to_be_paid_stands_there_and_nothing_else(tmp_path: Path) -> None:
    notes = (
        typed(3003, 16, pagar_em="2026-03-21", conta="Poupança", responsavel="=Bia"),  # a Saturday
        typed(3002, 16, pagar_em="2026-03-18"),
        typed(3005, 16, pagar_em="2026-03-13"),  # over
        typed(1016, 16, adiar_para="2026-04-02"),
        typed(3004, 16, pagar_em="2026-03-18", responsavel="Bia"),  # waits for a second name
    )
    payables = build_payables(golden(), {note.chave or 0 for note in notes})
    strange = [
        replace(one, fornecedor="=cmd|' /C calc'!A0", documento="@SUM(A1)", recebedor=("12.345.678/0001-95", ""))
        if one.titulo_id == 3002
        else one
        for one in payables.titulos
    ]
    payables = replace(payables, titulos=tuple(strange))
    decisions = find_decisions(notes, payables, Approval(5000_00, ("Rosa",)), {}, BusinessCalendar().next_business_day)
    path = write_approved(payables, decisions, tmp_path / "pagamentos_aprovados_2026-03-16.csv")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes().decode("utf-8").splitlines() == [
        f"\ufeff{HEADER}",
        "'=cmd|' /C calc'!A0;12.345.678/0001-95;'@SUM(A1);Lançamento 3002;400,00;18/03/2026;Banco Alfa;3002;;;",
        "Sem pessoa;;;Lançamento 3003;1200,00;23/03/2026;Poupança;3003;'=Bia;;",
    ]


def test_without_anything_approved_it_says_so_by_its_header_alone(tmp_path: Path) -> None:
    payables = build_payables(golden())
    path = write_approved(payables, Decisions(), tmp_path / "pagamentos_aprovados_2026-03-16.csv")
    assert path.read_text(encoding="utf-8-sig").splitlines() == [HEADER]
    assert payables.data_base == D

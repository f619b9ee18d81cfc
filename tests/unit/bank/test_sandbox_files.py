"""The files of `lastro sandbox --extratos`, as the reader finds them: whole, overlapping, with the habits of banks."""

from __future__ import annotations

from datetime import date

import pytest

from lastro.bank.ofx import read_ofx
from lastro_sandbox import make_company
from lastro_sandbox.bank_statements import FEE, make_bank_files

TODAY = date(2026, 3, 16)


def test_files_are_read_whole_and_their_balances_agree_with_their_lines() -> None:
    files = make_bank_files(make_company(seed=1, lancamentos=600, hoje=TODAY))
    assert files
    names = sorted(files)
    for old, new in zip(names[::2], names[1::2], strict=True):
        found = [read_ofx(files[name]) for name in (old, new)]
        assert not any(one.recusadas or one.motivo for one in found)
        (early,), (late,) = (one.extratos for one in found)
        assert (early.conta, early.fim, late.fim) == (late.conta, date(2025, 12, 16), date(2026, 3, 15))
        assert early.fim is not None
        since = [line.valor for line in late.linhas if line.dia > early.fim]
        assert late.saldo is not None
        assert early.saldo is not None
        assert late.saldo - early.saldo == sum(since)
        assert FEE in {line.valor for line in late.linhas}
        assert {line.fitid for line in (*early.linhas, *late.linhas)} == {"0"}
    texts = {line.historico for content in files.values() for one in read_ofx(content).extratos for line in one.linhas}
    assert {"LIQUIDAÇÃO COBRANÇA", "TARIFA PACOTE"} <= texts
    with pytest.raises(UnicodeDecodeError):
        b"".join(files[name] for name in names[::2]).decode("utf-8")
    assert not files[names[1]].startswith(b"OFXHEADER")

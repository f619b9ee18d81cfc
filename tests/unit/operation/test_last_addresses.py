"""Who was told last: kept beside the books, and read from what an earlier lastro kept."""

from __future__ import annotations

import json
from pathlib import Path

from lastro.operation.last_addresses import FILE, keep_last, read_last
from lastro.settings import Avisos, Email, Settings, Webhook


def test_what_an_earlier_lastro_kept_besides_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "lastro.toml"
    path.write_text('dir = "dados"\n', encoding="utf-8")
    avisos = Avisos(email=Email("localhost", "a@example.com", ("b@example.com",)), webhook=Webhook("CHAT"))
    keep_last(Settings(tmp_path / "dados", "UTC", (), str(path), avisos=avisos))
    kept = json.loads((tmp_path / "dados" / FILE).read_text(encoding="utf-8"))
    kept["avisos"]["email"] |= {"seguranca": "nenhuma", "certificados": ""}
    kept["avisos"]["webhook"] |= {"certificados": ""}
    (tmp_path / "dados" / FILE).write_text(json.dumps(kept), encoding="utf-8")
    last = read_last(path)
    assert last is not None
    assert last.avisos == avisos

"""Tables of the settings file become values, and every mistake is collected with file, key and fix."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Final

from lastro.settings.files import read_certificates
from lastro.settings.parsers import Wrong

MAX_SHOWN: Final = 200
LEFT: Final = {
    "": ("postgres", "kubernetes", "delta", "tentar_ate"),
    "empresa": ("exportar",),
    "empresa.parametros": (
        *("tolerancia", "saldo_inicial_ref", "ordem_categorias", "anexos", "baixar_anexos", "listas_observadas"),
        *("ultimo_dia_util_ano", "abc_cortes", "comparativo_base_minima", "data_fechamento", "natureza_por"),
        *("proj_dia_util", "vencidos_na_projecao", "projetar_infinitos", "comparativo_dias", "janela_prazos_dias"),
        *("vencido_cortes", "repasse_dias_max", "lembrete_dias", "fluxo_por_centro"),
    ),
    "empresa.recorte": ("tags_modo",),
    "grupo.transferencia": ("de_lancamentos", "para_lancamentos"),
    "avisos.email": ("seguranca", "certificados"),
    "avisos.webhook": ("certificados", "formato"),
    "retencao": ("copias", "refeitas_dias", "eventos_dias", "quentes_dias", "sobras_dias"),
}
"""Table -> keys that a lastro before 0.3 read in it (DEC60)."""
HAS_LEFT: Final = "esta chave saiu do lastro; apague a linha, e veja o que faz as vezes dela em lastro manual Upgrade"


class Reader:
    """Collects mistakes while tables of the file are turned into values."""

    def __init__(self, origem: str) -> None:
        self.origem = origem
        self.mistakes: list[str] = []

    def wrong(self, key: str, what: str) -> None:
        """Remember a mistake: which key, and what to write."""
        self.mistakes.append(self._say(key, what))

    def refuse_unknown(self, where: str, known: Iterable[str]) -> None:
        """Explain a key that is no setting: one that left (DEC60), or a mistake."""
        table, _, key = re.sub(r"\[[^\[\]]*\]", "", where).rpartition(".")
        self.wrong(where, HAS_LEFT if key in LEFT.get(table, ()) else "chave desconhecida; há " + ", ".join(known))

    def _say(self, key: str, what: str) -> str:
        shown = key if len(key) <= MAX_SHOWN else key[:MAX_SHOWN] + "…"
        return f"{self.origem}: {shown}: {what}."

    def read(self, kind: type[object], table: object, where: str, *, inner: Iterable[str] = ()) -> dict[str, Any]:
        """Parse the simple settings of one table; the keys in `inner` are read by the caller."""
        if not isinstance(table, dict):
            self.wrong(where, "escreva como uma tabela")
            return {}
        known = {item.name: item for item in fields(kind) if "parse" in item.metadata}  # type: ignore[arg-type]
        for key in table:
            if key not in known and key not in inner:
                self.refuse_unknown(f"{where}.{key}", (*known, *inner))
        values: dict[str, Any] = {}
        for name, item in known.items():
            if name in table:
                try:
                    values[name] = item.metadata["parse"](table[name])
                except Wrong as wrong:
                    self.wrong(f"{where}.{name}", str(wrong))
            elif item.default is MISSING and item.default_factory is MISSING:
                self.wrong(f"{where}.{name}", f"falta; {item.metadata['about']}")
        return values

    def certificates(self, values: dict[str, Any], where: str, folder: Path) -> None:
        """Put the certificates themselves in the place of their file, where a table names one."""
        if "certificados" in values:
            try:
                values["certificados"] = read_certificates(folder / values["certificados"])
            except Wrong as wrong:
                self.wrong(f"{where}.certificados", str(wrong))

    def tables(self, value: object, where: str) -> list[object]:
        """Return the tables of a list; anything else is a mistake and none."""
        if not isinstance(value, list):
            self.wrong(where, f"escreva cada uma como [[{where}]]")
            return []
        return value

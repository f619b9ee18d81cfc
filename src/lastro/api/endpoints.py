"""Each path of the service that lastro reads, once: its address, fixed parameters and page size.

What belongs here: what the service's document (and, for the probed ones, experience) says about a path (manual:
servico). What does not: how often or in which order it is asked (`lastro.extract`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

PAGE_LANCAMENTOS: Final = 500
"""The documented maximum of `limit`."""
PAGE_COBRANCAS: Final = 50
"""The documented, fixed page of charges."""


@dataclass(frozen=True)
class Endpoint:
    """A path that answers an array, and what one must send with it.

    Attributes:
        name: name of the landed file and of the listing in `ops.passadas`.
        path: below the base address, starting with `/v1`.
        params: parameters sent with every request of the listing.
        page: largest page in rows; None when the listing comes whole in one answer.
        sends_limit: whether `limit` is understood (charges have a fixed page).
    """

    name: str
    path: str
    params: Mapping[str, str | int] = field(default_factory=lambda: MappingProxyType({}))
    page: int | None = None
    sends_limit: bool = False


_WITH_INACTIVE: Final = MappingProxyType({"considerar_inativos": "true"})

LANCAMENTOS: Final = Endpoint("lancamentos", "/v1/lancamentos", page=PAGE_LANCAMENTOS, sends_limit=True)
COBRANCAS: Final = Endpoint(
    "cobrancas", "/v1/cobrancas", MappingProxyType({"data_inicio": "1900-01-01"}), page=PAGE_COBRANCAS
)
"""One of six filters is required; a due date from 1900 on is the one that leaves nothing out."""
TRANSFERENCIAS: Final = Endpoint("transferencias", "/v1/transferencias")

REFERENCIAS: Final[Mapping[str, Endpoint]] = MappingProxyType(
    {
        "categorias": Endpoint("categorias", "/v1/categorias", _WITH_INACTIVE),
        "clientes": Endpoint("clientes", "/v1/clientes", _WITH_INACTIVE),
        "fornecedores": Endpoint("fornecedores", "/v1/fornecedores", _WITH_INACTIVE),
        "classificacoes": Endpoint("classificacoes", "/v1/classificacoes", _WITH_INACTIVE),
    }
)

CONTAS: Final = Endpoint("contas", "/v1/contas")
"""Probed, as `NAME_LISTS`: the document does not show these paths, so their absence is normal."""
NAME_LISTS: Final[Mapping[str, Endpoint]] = MappingProxyType(
    {
        "centros_custo_lucro": Endpoint("centros_custo_lucro", "/v1/centros_custo_lucro"),
        "formas_pagamento": Endpoint("formas_pagamento", "/v1/formas_pagamento"),
        "tags": Endpoint("tags", "/v1/tags"),
        "tipos_documento": Endpoint("tipos_documento", "/v1/tipos_documento_fiscal"),
    }
)

STATUS_COBRANCA: Final = ("agendado", "pendente", "cliente_pagou", "transferindo", "transferido")
"""The documented values of the filter `status`, in the order of a charge's life (S12)."""

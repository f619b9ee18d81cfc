"""Small random hostile companies as API payloads, the same for the same seed.

Even seeds keep the parameters of section 0 (but for `dre_mapa`, labels and opening-balance entries); odd seeds vary
them. Everything a company may hold that the documents speak of is here: mixed-sign composites in the shapes A to D and
T, good and broken transfers, refunds, zero values, null competence, post-dated and pre-control payments, accounts not
configured or absent, dangling ids, 0 and "" as null ids, endless series, automatic settlements, `fora` categories,
charges of every status and divergence.

Left out on purpose, because the documents leave the figure open: category cycles, composites whose sum is zero,
transfers without competence or with value zero, two opening entries of one account, accounts whose control starts after
D, composites of `categorias_antecipam`, live charges of one título with different terms.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from tests.payloads import make_charge, make_entry, make_person

Record = dict[str, Any]

SHAPES = ("A", "B", "C", "D", "M")
TOTAL_SHAPES = ("T", "TR")
NO_LINK: tuple[Any, ...] = (None, None, None, 0, "")

ADVANCED = 27  # the only category in `categorias_antecipam`; simple entries only
OPENING = 95  # the category of opening-balance entries

_DRE_GROUPS = (
    "receita_bruta", "deducoes", "custos_variaveis", "pessoal", "administrativas", "comerciais", "financeiro",
    "outras", "ir_csll",
)  # fmt: skip
_INHERITED = ("centro_custo_lucro_id", "pessoa_id", "forma_pagamento_id")


def company(seed: int, *, duplicatas: bool = True) -> Record:
    """Return a random company.

    Args:
        seed: equal seeds give equal companies.
        duplicatas: in some companies, some rows come twice (the stale one first), as when a list shifts while it is
            being paged; False leaves the stale ones out.

    Returns:
        dict(lancamentos, cobrancas, categorias, clientes, fornecedores, contas, parametros, data_base, data_extracao),
        as `tests.golden.dataset.payloads`. One seed in five has D before the extraction.
    """
    return _Builder(seed).build().payload(duplicatas=duplicatas)


def evolve_company(seed: int, runs: int = 2) -> list[Record]:
    """Return complete runs of one company, each with D = its extraction day.

    Between them entries are settled, reopened, changed, moved, deleted and created, composites are served in another
    shape, and charges change status.
    """
    builder = _Builder(seed, retroactive=False).build()
    payloads = [builder.payload(duplicatas=False)]
    for _ in range(runs - 1):
        builder.evolve()
        payloads.append(builder.payload(duplicatas=False))
    return payloads


def money_text(rng: random.Random, cents: int) -> str:
    """Write cents as the service does, sometimes with one decimal when the last digit is 0."""
    text = str((Decimal(cents) / 100).quantize(Decimal("0.01")))
    return text[:-1] if cents % 10 == 0 and rng.random() < 0.5 else text


class _Builder:
    def __init__(self, seed: int, *, retroactive: bool | None = None) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - test data, no secret
        self.seed = seed
        rng = self.rng
        self.day = date(2023, 6, 1) + timedelta(days=rng.randrange(1500))
        late = seed % 5 == 3 if retroactive is None else retroactive
        self.extraction = self.day + timedelta(days=rng.randint(1, 40) if late else 0)
        self.next_id = 1000
        self.next_item = 1000 + rng.randrange(3) * 20  # an id space that overlaps the rows'
        self.next_composite = 500
        self.next_group = 70
        self.next_charge = 9000
        self.simple: list[Record] = []
        self.composites: list[Record] = []
        self.charges: list[Record] = []
        self.opening: list[int] = []
        self.varied = seed % 2 == 1

    # --- whole company ---

    def build(self) -> _Builder:
        rng = self.rng
        self.params: Record = {}
        self.total_mode = rng.random() < 0.3
        self._accounts()
        self._parameters()
        size = rng.randint(30, 150)
        while self._size() < size:
            rng.choices(
                (self._entry, self._transfer, self._composite, self._series),
                weights=(60, 10, 14, 6),
            )[0]()
        self._opening_entries()
        for _ in range(rng.randint(4, 18)):
            self._charge()
        return self

    def payload(self, *, duplicatas: bool) -> Record:
        rng = random.Random(self.seed * 7919 + self.extraction.toordinal())  # noqa: S311 - test data, no secret
        rows = copy.deepcopy(self.simple)
        for spec in self.composites:
            rows += self._render(rng, spec)
        if rng.random() < 0.5:
            rng.shuffle(rows)
        if duplicatas and rng.random() < 0.3:
            stale = [copy.deepcopy(row) for row in rng.sample(self.simple, min(3, len(self.simple)))]
            for row in stale:
                row["valor"] = "999.99"
                row["conta_id"] = 101
            rows = stale + rows
        categorias = _categories()
        return {
            "lancamentos": rows,
            "cobrancas": copy.deepcopy(self.charges),
            "categorias": categorias,
            "clientes": [person for person in _people() if person["cliente"]],
            "fornecedores": [person for person in _people() if person["fornecedor"]],
            "contas": copy.deepcopy(self.contas),
            "parametros": {**copy.deepcopy(self.params), "data_base": self.day.isoformat()},
            "data_base": self.day,
            "data_extracao": self.extraction,
        }

    def _size(self) -> int:
        return len(self.simple) + sum(len(spec["members"]) for spec in self.composites)

    # --- settings ---

    def _accounts(self) -> None:
        rng = self.rng
        self.contas: list[Record] = []
        for index in range(rng.randint(2, 4)):
            started = self.day - timedelta(days=rng.choice((0, 3, 20, 45, 120, 300, 500)))
            account: Record = {
                "conta_id": 101 + index,
                "descricao": ("Banco Alfa ", "Poupança", "Cartão", "Caixa pequena")[index],
                "data_saldo_inicial": started.isoformat(),
                "valor_saldo_inicial": money_text(rng, rng.randint(-200000, 2000000)),
                "ativa": index != 3,
                "tipo": "cartao" if index == 2 else "conta",
                "saldos_conferidos": [],
            }
            if index == 1 and rng.random() < 0.3:
                account["data_saldo_inicial"] = None
            if index == 3 and rng.random() < 0.5:
                account["data_saldo_inicial"] = account["valor_saldo_inicial"] = None
            if rng.random() < 0.3:
                checked = self.day - timedelta(days=rng.randint(0, 30))
                account["saldos_conferidos"] = [{"data": checked.isoformat(), "valor": "1234.56"}]
            self.contas.append(account)
        self.usable: list[Any] = [account["conta_id"] for account in self.contas] * 6 + [900]
        if rng.random() < 0.3:
            self.usable += [None, 0]

    def _parameters(self) -> None:
        rng = self.rng
        mapping: dict[int, str] = {30: "fora"}
        if rng.random() < 0.6:
            for categoria_id in rng.sample((10, 11, 12, 13, 14, 20, 21, 22, 23, 24, 25, 26, 40, 41), 6):
                mapping[categoria_id] = rng.choice(_DRE_GROUPS)
            if rng.random() < 0.4:
                mapping[22] = "fora"
        if rng.random() < 0.1:
            mapping = {}
        self.params = {
            "dre_mapa": mapping,
            "formas": {301: "boleto", 302: "cartao_credito", 303: "pix"},
            "centros": {201: "Matriz"},
        }
        if self.total_mode and rng.random() < 0.4:
            self.params["composto_valor_pai"] = "total"
        if not self.varied:
            return
        near = [self.day + timedelta(days=rng.randint(-20, 40)) for _ in range(3)]
        self.params |= {
            "competencia_nula": rng.choice(("vencimento", "caixa", "excluir")),
            "venc_regra": rng.choice(("corrido", "dia_util")),
            "feriados_extras": [day.isoformat() for day in near],
            "categorias_antecipam": [ADVANCED] if rng.random() < 0.6 else [],
            "multa_pct": {"receber": rng.choice(("2", "0", "10")), "pagar": rng.choice(("0", "2", "1.5"))},
            "juros_pct_mes": {"receber": rng.choice(("1", "0.5", "0")), "pagar": rng.choice(("0", "1", "3.33"))},
            "inadimplencia_dias": rng.choice((60, 90, 120)),
            "saldo_minimo": rng.choice(("0.00", "5000.00")),
        }
        if rng.random() < 0.5:
            self.params["fechamento"] = (self.day.replace(day=1) - timedelta(days=1)).isoformat()

    # --- values ---

    def _id(self) -> int:
        self.next_id += self.rng.choice((1, 1, 1, 2, 5))
        return self.next_id

    def _item_id(self, taken: set[int]) -> int:
        self.next_item += self.rng.choice((1, 1, 2))
        while self.next_item in taken:
            self.next_item += 1
        return self.next_item

    def _category(self, sign: int) -> Any:
        rng = self.rng
        draw = rng.random()
        if draw < 0.06:
            return rng.choice(NO_LINK)
        if draw < 0.09:
            return rng.choice((777, 778))
        if draw < 0.18:
            return rng.choice((30, 31, 40, 41))
        incomes, costs = (10, 11, 12, 13, 14), (20, 21, 22, 23, 24, 25, 26)
        other_way = rng.random() < 0.08  # a refund
        return rng.choice(incomes if (sign > 0) != other_way else costs)

    def _person(self) -> Any:
        draw = self.rng.random()
        if draw < 0.12:
            return self.rng.choice(NO_LINK)
        return 888 if draw < 0.14 else self.rng.choice((501, 502, 503, 504, 601, 602, 603))

    def _payment(self, due: date) -> str | None:
        """Paid around the due date, far from it, after D, after the extraction, or open."""
        rng = self.rng
        draw = rng.random()
        if draw < 0.40:
            return None
        if draw < 0.46:
            return (self.extraction + timedelta(days=rng.randint(1, 30))).isoformat()
        paid = due + timedelta(days=rng.choice((0, 0, 0, -3, 1, 2, 5, 15, 40, -20)))
        if draw < 0.50:
            paid = self.day - timedelta(days=rng.choice((0, 1, 2)))
        if paid > self.extraction:
            return None
        return paid.isoformat()

    def _due(self) -> date:
        rng = self.rng
        span = rng.choice(((-5, 5), (-60, 40), (-120, 120), (-400, 220)))
        return self.day + timedelta(days=rng.randint(*span))

    def _row(self, sign: int | None = None, **fields: Any) -> Record:
        rng = self.rng
        sign = sign or rng.choice((1, -1, -1))
        due = self._due()
        competence: date | None = due - timedelta(days=rng.choice((0, 0, 1, 5, 15, 31, 70, -10, -35)))
        if rng.random() < 0.10:
            competence = None
        row_id = self._id()
        row: Record = {
            **make_entry(),
            "id": row_id,
            "grupo_id": rng.choice(NO_LINK),
            "lancamento_transferencia_id": rng.choice(NO_LINK),
            "categoria_id": self._category(sign),
            "centro_custo_lucro_id": rng.choice((201, 202, 203, *NO_LINK)),
            "tipo_custo_nivel_producao_id": rng.choice(NO_LINK),
            "tipo_custo_apropriacao_produto_id": rng.choice(NO_LINK),
            "conta_id": rng.choice(self.usable),
            "forma_pagamento_id": rng.choice((301, 302, 399, *NO_LINK)),
            "pessoa_id": self._person(),
            "tipo_documento_id": rng.choice(NO_LINK),
            "descricao": rng.choice(("=1+1", "Mensalidade", "Água", f"Nota {row_id}", "saldo inicial do mês"[:8])),
            "documento": rng.choice(("", "", f"NF-{row_id}")),
            "data_vencimento": due.isoformat(),
            "data_pagamento": self._payment(due),
            "data_competencia": competence.isoformat() if competence else None,
            "valor": money_text(rng, sign * rng.choice((rng.randint(1, 900000), rng.randint(1, 99) * 1000))),
            "pagamento_automatico": rng.random() < 0.1,
            "pedido_id": rng.choice(NO_LINK),
            "lancamento_composto_id": rng.choice(NO_LINK),
            "modified": f"{self.day.isoformat()} 08:00:00",
            "tags": [{"id": tag} for tag in rng.sample((1, 2, 3), rng.choice((0, 0, 0, 1, 2)))],
        }
        row.update(fields)
        return row

    # --- what a company holds ---

    def _entry(self) -> None:
        rng = self.rng
        row = self._row()
        if rng.random() < 0.04:
            row["valor"] = rng.choice(("0.00", "0.0"))
        if rng.random() < 0.04 and rng.random() < 0.5:
            row["descricao"] = "Saldo Inicial da conta"
        if rng.random() < 0.06 and row["valor"].startswith("-"):
            row["categoria_id"] = ADVANCED
        self.simple.append(row)
        if rng.random() < 0.04:  # a possible duplicate
            twin = copy.deepcopy(row)
            twin["id"] = self._id()
            self.simple.append(twin)

    def _transfer(self) -> None:
        rng = self.rng
        cents = rng.randint(1, 500000)
        due = self._due()
        paid = self._payment(due)
        shared: Record = {
            "categoria_id": None,
            "pessoa_id": None,
            "data_vencimento": due.isoformat(),
            "data_pagamento": paid,
            "data_competencia": due.isoformat(),
            "descricao": "Transferência",
            "tags": [],
        }
        source = self._row(-1, **shared, valor=money_text(rng, -cents))
        target = self._row(1, **shared, valor=money_text(rng, cents))
        source["lancamento_transferencia_id"] = target["id"]
        target["lancamento_transferencia_id"] = source["id"]
        legs = [source, target]
        fault = rng.choice((None, None, None, "missing", "pointer", "value", "date"))
        if fault == "missing":
            legs.pop(rng.randrange(2))
        elif fault == "pointer":
            target["lancamento_transferencia_id"] = 999999
        elif fault == "value":
            target["valor"] = money_text(rng, cents + rng.randint(1, 500))
        elif fault == "date" and paid is not None:
            target["data_pagamento"] = (date.fromisoformat(paid) - timedelta(days=1)).isoformat()
        self.simple += legs

    def _composite(self) -> None:
        rng = self.rng
        shape = rng.choice(TOTAL_SHAPES if self.total_mode else SHAPES)
        head = self._row()
        count = rng.choice((1, 2, 2, 3, 4)) if shape != "M" else rng.choice((3, 4))
        if shape in ("A", "T", "TR"):
            count = max(count, 2)
        members = [head]
        for _ in range(count - 1):
            sign = rng.choice((1, -1))
            member = self._row(sign)
            for key in ("conta_id", "data_vencimento", "data_pagamento", "data_competencia", "documento",
                        "pagamento_automatico", "grupo_id", "pedido_id", "modified"):  # fmt: skip
                member[key] = head[key]
            for key in _INHERITED:
                if rng.random() < 0.6:
                    member[key] = head[key]
            members.append(member)
        # the items live in their own id space, which may hold a row's id, but not of a row of this composite
        rows_of_it = {head["id"], members[1]["id"]} if shape == "M" else {head["id"]}
        for member in members[{"A": 1, "T": 1, "M": 2}.get(shape, len(members)) :]:
            member["id"] = self._item_id(rows_of_it)
        if shape in ("B", "D") and len(members) > 2 and rng.random() < 0.4:
            # another título of the same composite
            members[-1]["data_vencimento"] = (self.day + timedelta(days=rng.randint(-40, 40))).isoformat()
            members[-1]["data_pagamento"] = None
            members[-1]["conta_id"] = rng.choice(self.usable)
        self.next_composite += 1
        spec: Record = {
            "members": members,
            "shape": shape,
            "composto": self.next_composite,
            "no_key": shape == "A" and rng.random() < 0.3,
            "key_in_items": rng.random() < 0.3,
        }
        if shape in TOTAL_SHAPES:
            spec["parent_id"] = head["id"]
            head["id"] = self._item_id(rows_of_it) if shape == "T" else self._id()
            spec["extra"] = 0
            if self.params.get("composto_valor_pai") == "total" and rng.random() < 0.3:
                spec["extra"] = rng.randint(1, 5000)
        if sum(_cents(member) for member in members) + spec.get("extra", 0) == 0 or (
            shape in ("B", "D") and _some_titulo_is_zero(members)
        ):
            return
        self.composites.append(spec)

    def _series(self) -> None:
        rng = self.rng
        self.next_group += 1
        code = rng.choice(("D7", "D15", "M1", "M1", "M1", "M2", "M3", "M6", "M12", "D1"))
        endless = rng.random() < 0.4
        size = rng.randint(2, 6)
        sign = rng.choice((1, -1))
        step = {"D7": 7, "D15": 15, "D1": 1}.get(code, 30 * int(code[1:]))
        first = self.day - timedelta(days=step * rng.randint(0, size))
        template = self._row(sign)
        for number in range(1, size + 1):
            if rng.random() < 0.08:
                continue
            due = first + timedelta(days=step * (number - 1))
            paid = due.isoformat() if due <= self.day and rng.random() < 0.8 else None
            row = self._row(
                sign,
                **{key: template[key] for key in ("conta_id", "categoria_id", "pessoa_id", "descricao", "valor")},
                grupo_id=self.next_group,
                numero_repeticao=number,
                total_repeticoes=None if endless else size,
                periodicidade=code,
                data_vencimento=due.isoformat(),
                data_pagamento=paid,
                data_competencia=due.isoformat(),
            )
            if rng.random() < 0.2:
                row["valor"] = money_text(rng, sign * rng.randint(1, 90000))
            self.simple.append(row)

    def _opening_entries(self) -> None:
        """Sometimes the opening balance of an account is also an entry, configured as such (S7)."""
        rng = self.rng
        for account in self.contas:
            start, value = account["data_saldo_inicial"], account["valor_saldo_inicial"]
            if start is None or value is None or rng.random() > 0.25:
                continue
            row = self._row(
                1,
                conta_id=account["conta_id"],
                valor=value,
                data_vencimento=start,
                data_pagamento=start,
                data_competencia=start,
                descricao="Saldo inicial",
                categoria_id=None,
                pessoa_id=None,
                tags=[],
            )
            if rng.random() < 0.5:
                row["categoria_id"] = OPENING
                self.params["saldo_inicial_categorias"] = [OPENING]
            else:
                self.params.setdefault("saldo_inicial_lancamentos", []).append(row["id"])
            if rng.random() < 0.2:
                row["valor"] = "777.00"  # V21: differs from the configured value
            self.opening.append(row["id"])
            self.simple.append(row)

    def _charge(self) -> None:
        rng = self.rng
        receivable: list[tuple[Any, Record, int]] = [
            (row["id"], row, _cents(row))
            for row in self.simple
            if _cents(row) > 0 and not row["lancamento_transferencia_id"] and row["id"] not in self.opening
        ]
        for spec in self.composites:
            if sum(_cents(member) for member in spec["members"]) > 0:
                head_id = spec.get("parent_id", spec["members"][0]["id"])
                positive = sum(max(0, _cents(member)) for member in spec["members"])
                receivable.append((head_id, spec["members"][0], positive))
        if not receivable:
            return
        row_id, row, cents = rng.choice(receivable)
        due = date.fromisoformat(row["data_vencimento"]) - timedelta(days=rng.choice((0, 0, 0, 1, 4, 40, -2)))
        text, rank = rng.choice(
            (("Agendado", 1), ("Pendente", 2), ("pendente ", 2), ("CLIENTE PAGOU", 3), ("Transferindo", 4),
             ("Transferido", 5), ("Em análise", 0))
        )  # fmt: skip
        paid = rank >= 3
        extra = rng.choice((0, 0, rng.randint(1, 9999)))
        value = cents if rng.random() < 0.8 else cents + rng.randint(1, 999)
        ids = f"{row_id}"
        members: list[Record] = next((spec["members"] for spec in self.composites if spec["members"][0] is row), [])
        if len(members) > 1 and rng.random() < 0.4:
            ids = f"{row_id},{members[1]['id']}"  # two ids of one título; an item's id may also be a row's
        draw = rng.random()
        if draw < 0.08:
            ids = f" {row_id} , 424242,"
        elif draw < 0.12:
            ids = rng.choice(("", "424243"))
        elif draw < 0.18 and len(receivable) > 1:
            other = rng.choice(receivable)
            ids, value = (f"{row_id},{other[0]}", value + other[2]) if other[0] != row_id else (ids, value)
        received: str | None = money_text(rng, value + extra) if paid and rng.random() < 0.85 else None
        if received and rng.random() < 0.1:
            received = money_text(rng, value + extra + 1)
        self.next_charge += 1
        moved = due + timedelta(days=rng.randint(1, 9))
        charge: Record = {
            **make_charge(),
            "id": self.next_charge,
            "valor": money_text(rng, value),
            "valor_taxa": money_text(rng, rng.choice((-1, -1, 1)) * rng.randint(0, 900)),
            "percentual_multa": rng.choice(("2.00", "2.00", "0.00", "5.0")),
            "cobrar_juros": rng.choice((1, 1, 0)),
            "valor_multa_juros": money_text(rng, extra if paid else 0),
            "valor_pago": received,
            "lancamento_ids": ids,
            "forma_pagamento_id": rng.choice((301, 302, 303)),
            "cliente_id": row["pessoa_id"] if rng.random() < 0.9 and row["pessoa_id"] else 503,
            "conta_id": row["conta_id"] if rng.random() < 0.9 and row["conta_id"] else 101,
            "data_vencimento": due.isoformat(),
            "data_a_transferir": moved.isoformat() if paid else None,
            "data_transferindo": moved.isoformat() if rank >= 4 else None,
            "data_transferido": moved.isoformat() if rank == 5 else None,
            "data_cancelamento": self.day.isoformat() if rng.random() < 0.15 else None,
            "status_id": max(rank - 1, 1),
            "status_descricao": text,
            "cobranca_hash": f"h{self.next_charge}",
        }
        for earlier in self.charges:  # charges of one título share their terms
            shared = {piece.strip() for piece in earlier["lancamento_ids"].split(",")} & {
                piece.strip() for piece in ids.split(",") if piece.strip()
            }
            if shared - {"424242", "424243"}:
                for key in ("percentual_multa", "cobrar_juros", "data_vencimento"):
                    charge[key] = earlier[key]
        self.charges.append(charge)

    # --- rendering of composites ---

    def _render(self, rng: random.Random, spec: Record) -> list[Record]:
        members = copy.deepcopy(spec["members"])
        shape = spec["shape"]
        key = None if spec["no_key"] else spec["composto"]
        for member in members:
            member["lancamento_composto_id"] = spec["composto"]
        if shape in TOTAL_SHAPES:
            parent = copy.deepcopy(members[0])
            parent["id"] = spec["parent_id"]
            cents = sum(_cents(member) for member in members) + spec["extra"]
            parent["valor"] = str((Decimal(cents) / 100).quantize(Decimal("0.01")))
            parent["tags"] = []
            if shape == "T":
                parent["itens_adicionais"] = [_item(rng, member, parent, spec["composto"]) for member in members]
                return [parent]
            return [parent, *members]
        if shape == "A":
            head = members[0]
            in_items = spec["composto"] if spec["key_in_items"] or key is not None else None
            head["lancamento_composto_id"] = key
            head["itens_adicionais"] = [_item(rng, member, head, in_items) for member in members[1:]]
            return [head]
        if shape == "M":
            head, second, *rest = members
            head["itens_adicionais"] = [_item(rng, member, head, spec["composto"]) for member in rest]
            return [head, second]
        if shape in ("C", "D"):
            carriers = members if shape == "D" else members[:1]
            for member in carriers:
                member["itens_adicionais"] = [
                    _item(rng, other, member, spec["composto"]) for other in members if other is not member
                ]
        return members

    # --- the next run ---

    def evolve(self) -> None:
        """Move the company on by 1 to 40 days."""
        rng = self.rng
        old = self.day
        self.day = old + timedelta(days=rng.randint(1, 40))
        self.extraction = self.day
        fixed = set(self.opening)
        kept = []
        for row in self.simple:
            draw = rng.random()
            if row["id"] in fixed:
                kept.append(row)
                continue
            if draw < 0.05:
                continue
            if draw < 0.60:
                self._change(row, old)
            kept.append(row)
        self.simple = kept
        alive = []
        for spec in self.composites:
            draw = rng.random()
            if draw < 0.08:
                continue
            if draw < 0.4:
                paid = (old + timedelta(days=rng.randint(1, (self.day - old).days))).isoformat()
                for member in spec["members"]:
                    if member["data_pagamento"] is None:
                        member["data_pagamento"] = paid
            if spec["shape"] == "A" and not spec["no_key"] and rng.random() < 0.5 and self._no_row_has(spec):
                spec["shape"] = "C"  # nested items become rows: the same linhas (R14)
            alive.append(spec)
        self.composites = alive
        for _ in range(rng.randint(2, 8)):
            self._entry()
        for charge in self.charges:
            if rng.random() < 0.3 and charge["data_cancelamento"] is None:
                charge["status_descricao"] = "Cliente pagou"
                charge["valor_pago"] = charge["valor"]
                charge["data_a_transferir"] = self.day.isoformat()

    def _no_row_has(self, spec: Record) -> bool:
        """Tell whether the items' ids are free among the rows."""
        rows = {row["id"] for row in self.simple}
        for other in self.composites:
            rows.add(other.get("parent_id"))
            rows |= {member["id"] for member in other["members"]}
        rows -= {member["id"] for member in spec["members"]}
        own = [member["id"] for member in spec["members"]]
        return len(set(own)) == len(own) and not rows & set(own)

    def _change(self, row: Record, old: date) -> None:
        rng = self.rng
        transfer = bool(row["lancamento_transferencia_id"])
        paid_between = (old + timedelta(days=rng.randint(1, (self.day - old).days))).isoformat()
        actions: list[Callable[[], None]] = []
        if row["data_pagamento"] is None:
            actions += [lambda: row.update(data_pagamento=paid_between)] * 5
        else:
            actions.append(lambda: row.update(data_pagamento=None))
        if not transfer:
            actions += [
                lambda: row.update(
                    valor=money_text(rng, _cents(row) + rng.randint(1, 999) * (-1 if _cents(row) < 0 else 1))
                ),
                lambda: row.update(data_vencimento=(old + timedelta(days=rng.randint(-10, 60))).isoformat()),
                lambda: row.update(data_competencia=old.isoformat()),
                lambda: row.update(categoria_id=22),
                lambda: row.update(conta_id=rng.choice(self.usable)),
                lambda: row.update(pessoa_id=502),
                lambda: row.update(centro_custo_lucro_id=201),
                lambda: row.update(descricao="Corrigido"),
            ]
        for action in rng.sample(actions, min(len(actions), rng.choice((1, 1, 2)))):
            action()
        row["modified"] = f"{self.day.isoformat()} 09:00:00"


def _cents(row: Record) -> int:
    return int(Decimal(row["valor"]) * 100)


def _some_titulo_is_zero(members: list[Record]) -> bool:
    sums: dict[Any, int] = {}
    for member in members:
        key = (member["conta_id"] or None, member["data_vencimento"], member["data_pagamento"])
        sums[key] = sums.get(key, 0) + _cents(member)
    return 0 in sums.values()


def _item(rng: random.Random, member: Record, carrier: Record, composto: int | None) -> Record:
    """Write a member as a nested item; a key equal to the carrier's is sometimes left out (S2.3)."""
    item: Record = {
        "id": member["id"],
        "descricao": member["descricao"],
        "valor": member["valor"],
        "categoria_id": member["categoria_id"],
        "lancamento_composto_id": composto,
        "tags": copy.deepcopy(member["tags"]),
    }
    for key in _INHERITED:
        if member[key] != carrier[key] or rng.random() < 0.4:
            item[key] = member[key]
    return item


def _categories() -> list[Record]:
    """Three levels, mixed kinds, an inactive one, equal names, a child listed apart with only `parent_id`."""

    def node(
        categoria_id: int, descricao: str, tipo: int, parent: int | None, *filhas: Record, ativo: bool = True
    ) -> Record:
        return {
            "id": categoria_id,
            "descricao": descricao,
            "cor": "#123456",
            "parent_id": parent,
            "ativo": ativo,
            "categorias_filhas": list(filhas),
            "tipo_categoria_id": tipo,
        }

    return [
        node(10, "Receitas", 2, None,
             node(11, "Serviços", 2, 10, node(13, "Água", 2, 11), node(14, "agua", 2, 11)),
             node(12, "Produtos", 2, 10)),
        node(20, "Despesas", 1, None,
             node(21, "Aluguel", 1, 20),
             node(22, "Pessoal", 1, 20, node(25, "Salários", 1, 22), node(26, "Benefícios", 1, 22)),
             node(24, "Marketing", 1, 20, ativo=False)),
        node(23, "Serviços de terceiros", 1, 20),
        node(ADVANCED, "Tributos", 1, 20),
        node(30, "Empréstimos", 0, None, node(31, "Juros", 1, 30)),
        node(40, "Diversos", 0, None, node(41, "Ajustes", 0, 40)),
        node(OPENING, "Saldos de abertura", 0, None),
    ]  # fmt: skip


def _people() -> list[Record]:
    def person(pessoa_id: int, nome: str, cliente: bool, fornecedor: bool, **fields: Any) -> Record:
        own = {"documento": f"{pessoa_id:011d}", "fornecedor": fornecedor, "cliente": cliente}
        return make_person(**{"id": pessoa_id, "nome": nome, **own, **fields})

    return [
        person(501, "Azul Ltda", True, False, nome_fantasia="Azul"),
        person(502, "beta", True, False, email="beta@exemplo.invalid"),
        person(503, "Ágata", True, False, documento=None),
        person(504, "Inativa", True, False, ativo=False, documento=""),
        person(601, "Delta", False, True),
        person(602, "Épsilon", True, True),
        person(603, "Épsilon", False, True, nome_fantasia=""),
    ]

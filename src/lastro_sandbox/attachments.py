"""Stores, hands out and deletes the files attached to entries, transfers, customers and suppliers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lastro_sandbox.decisions import ATTACHMENT_MAX, TEXT_MAX
from lastro_sandbox.errors import invalid, not_found
from lastro_sandbox.model import Attachment, Entry, Person
from lastro_sandbox.operations import Answer, Call, Operation, Param, Service
from lastro_sandbox.params import REQUIRED
from lastro_sandbox.reading import find_person, find_transfer
from lastro_sandbox.render import render_attachment


def _read_upload(call: Call) -> tuple[str, str, bytes]:
    """Read ``file`` and ``filename``; return name, content type and content.

    Raises:
        Refused: 422 when either is missing or the file is too large.
    """
    call.params.require("filename")
    name = call.params.text("filename", maximum=TEXT_MAX)
    upload = call.files.get("file")
    if upload is None:
        call.params.fail("file", REQUIRED)
    elif len(upload.content) > ATTACHMENT_MAX:
        call.params.fail("file", f"deve ter no máximo {ATTACHMENT_MAX} bytes")
    call.params.check()
    if upload is None or name is None:
        raise AssertionError("check refuses an upload without its required fields")
    return name, upload.content_type, upload.content


def _store(service: Service, call: Call, kind: str, owner: Entry | Person) -> Attachment:
    name, content_type, content = _read_upload(call)
    books = service.books
    attachment = Attachment(books.new_id("anexos"), kind, owner.id, name, content_type, content)
    books.anexos[attachment.id] = attachment
    owner.anexos = (*owner.anexos, attachment.id)
    books.touch("anexos", attachment.id)
    books.touch("lancamentos" if isinstance(owner, Entry) else "pessoas", owner.id)
    return attachment


def _find(service: Service, kinds: tuple[str, ...], attachment_id: int, owners: tuple[int, ...] = ()) -> Attachment:
    attachment = service.books.anexos.get(attachment_id)
    if attachment is None or attachment.dono not in kinds or (owners and attachment.dono_id not in owners):
        raise not_found("anexo")
    return attachment


def _remove(service: Service, attachment: Attachment, owner: Entry | Person | None) -> bool:
    books = service.books
    del books.anexos[attachment.id]
    books.touch("anexos", attachment.id)
    if owner is not None:
        owner.anexos = tuple(id_ for id_ in owner.anexos if id_ != attachment.id)
        books.touch("lancamentos" if isinstance(owner, Entry) else "pessoas", owner.id)
    return True


def _show(service: Service, call: Call, attachment: Attachment, *, url: bool = True) -> Any:
    with_file = call.params.boolean("with_file") or False
    with_url = (call.params.boolean("with_url") or False) if url else False
    call.params.check()
    return render_attachment(
        attachment,
        with_file=with_file,
        url=f"{service.link_base}/anexos/{attachment.id}/{attachment.id}" if with_url else None,
        composto_id=_composite_of(service, attachment),
    )


def _composite_of(service: Service, attachment: Attachment) -> int | None:
    entry = service.books.lancamentos.get(attachment.dono_id) if attachment.dono == "lancamento" else None
    return None if entry is None else entry.lancamento_composto_id


# --- entries ---


def create_for_entry(service: Service, call: Call) -> Any:
    """Answer POST /v1/anexos."""
    call.params.require("lancamento_id")
    entry_id = call.params.integer("lancamento_id")
    entry = service.books.lancamentos.get(entry_id or 0)
    if entry is not None and not service.books.is_row(entry):
        entry = None  # an item that is visible only inside its entry takes no files of its own
    if entry_id is not None and entry is None:
        call.params.fail("lancamento_id", "não existe")
    if entry is None:
        _read_upload(call)  # names every other mistake too; the noted one refuses the request in any case
        raise AssertionError("an upload without its entry is refused")
    attachment = _store(service, call, "lancamento", entry)
    return render_attachment(attachment, composto_id=entry.lancamento_composto_id)


def get_of_entry(service: Service, call: Call) -> Any:
    """Answer GET /v1/anexos/:id."""
    return _show(service, call, _find(service, ("lancamento",), call.ids[0]), url=False)


def delete_of_entry(service: Service, call: Call) -> Any:
    """Answer DELETE /v1/anexos/:id."""
    attachment = _find(service, ("lancamento",), call.ids[0])
    return _remove(service, attachment, service.books.lancamentos.get(attachment.dono_id))


# --- transfers ---


def create_for_transfer(service: Service, call: Call) -> Any:
    """Answer POST /v1/transferencias/:id/anexos; the id must be that of the source leg."""
    source, _ = find_transfer(service.books, call.ids[0])
    if source.id != call.ids[0]:
        raise invalid("id", "deve ser o do lançamento de despesa (origem) da transferência")
    return render_attachment(_store(service, call, "transferencia", source))


def _of_transfer(service: Service, call: Call) -> tuple[Attachment, Entry]:
    source, target = find_transfer(service.books, call.ids[0])
    return _find(service, ("transferencia",), call.ids[1], (source.id, target.id)), source


def get_of_transfer(service: Service, call: Call) -> Any:
    """Answer GET /v1/transferencias/:id/anexos/:id."""
    return _show(service, call, _of_transfer(service, call)[0])


def delete_of_transfer(service: Service, call: Call) -> Any:
    """Answer DELETE /v1/transferencias/:id/anexos/:id."""
    attachment, source = _of_transfer(service, call)
    return _remove(service, attachment, source)


# --- customers and suppliers: one record can be both, so either path finds its files ---


def _for_person(role: str) -> tuple[Answer, Answer, Answer]:
    """Build the three operations on the files of a person in a role."""

    def create(service: Service, call: Call) -> Any:
        person = find_person(service.books, call.ids[0], role)
        return render_attachment(_store(service, call, role, person))

    def get(service: Service, call: Call) -> Any:
        person = find_person(service.books, call.ids[0], role)
        found = _find(service, ("cliente", "fornecedor"), call.ids[1], (person.id,))
        return _show(service, call, replace(found, dono=role))

    def delete(service: Service, call: Call) -> Any:
        person = find_person(service.books, call.ids[0], role)
        return _remove(service, _find(service, ("cliente", "fornecedor"), call.ids[1], (person.id,)), person)

    return create, get, delete


_FILE = (
    Param("file", "file", required=True),
    Param("filename", required=True),
)
_WITH_FILE = Param("with_file", "boolean", text="also the content, base64")
_WITH_BOTH = (_WITH_FILE, Param("with_url", "boolean", text="also an address"))


def _person_operations(role: str, plural: str) -> tuple[Operation, ...]:
    create, get, delete = _for_person(role)
    path = f"/v1/{plural}/{{id}}/anexos"
    return (
        Operation("POST", path, create, f"criar_anexo_{role}", f"Attach a file ({role})", plural, body=_FILE,
                  multipart=True, schema=f"anexo_{role}"),
        Operation("GET", path + "/{anexo_id}", get, f"obter_anexo_{role}", f"Get an attached file ({role})", plural,
                  query=_WITH_BOTH, schema=f"anexo_{role}"),
        Operation("DELETE", path + "/{anexo_id}", delete, f"excluir_anexo_{role}", f"Delete a file ({role})", plural,
                  schema="verdadeiro"),
    )  # fmt: skip


ATTACHMENT_OPERATIONS = (
    Operation("POST", "/v1/anexos", create_for_entry, "criar_anexo", "Attach a file to an entry", "anexos",
              body=(*_FILE, Param("lancamento_id", "integer", required=True, refers="lancamentos")), multipart=True,
              schema="anexo_lancamento"),
    Operation("GET", "/v1/anexos/{id}", get_of_entry, "obter_anexo", "Get a file of an entry", "anexos",
              query=(_WITH_FILE,), schema="anexo_lancamento"),
    Operation("DELETE", "/v1/anexos/{id}", delete_of_entry, "excluir_anexo", "Delete a file of an entry", "anexos",
              schema="verdadeiro"),
    Operation("POST", "/v1/transferencias/{id}/anexos", create_for_transfer, "criar_anexo_transferencia",
              "Attach a file to a transfer", "transferencias", body=_FILE, multipart=True,
              schema="anexo_transferencia"),
    Operation("GET", "/v1/transferencias/{id}/anexos/{anexo_id}", get_of_transfer, "obter_anexo_transferencia",
              "Get a file of a transfer", "transferencias", query=_WITH_BOTH, schema="anexo_transferencia"),
    Operation("DELETE", "/v1/transferencias/{id}/anexos/{anexo_id}", delete_of_transfer,
              "excluir_anexo_transferencia", "Delete a file of a transfer", "transferencias", schema="verdadeiro"),
    *_person_operations("cliente", "clientes"),
    *_person_operations("fornecedor", "fornecedores"),
)  # fmt: skip

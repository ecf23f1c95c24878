"""An MCP server: `select`, `explain` and, with a store, `search` as tools, on stdio or HTTP. Extra `mcp`."""

from __future__ import annotations

from typing import Any

from reparto.contract import Contract
from reparto.errors import InputError, MissingExtraError
from reparto.pipeline import select
from reparto.selection import to_json

try:
    from mcp.server import MCPServer
except ImportError as error:
    raise MissingExtraError("the MCP server", "mcp") from error

INSTRUCTIONS = (
    "Shares k seats out over ranked passages: copies collapse into one seat that counts them, overlapping chunks "
    "become one span, and the seats are spread over documents and angles. Every passage's fate is in `decisions`."
)


def server(contract: Contract | None = None, store: str | None = None) -> MCPServer:
    """A server over one contract and, where given, one store."""
    found = MCPServer("reparto", instructions=INSTRUCTIONS)

    @found.tool(name="select")
    def select_tool(
        candidates: list[dict[str, Any]],
        query: str = "",
        query_class: str | None = None,
        k: int | None = None,
        policy: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Share k seats out over ranked candidates, each with at least `id`, `score` and `text`."""
        return _answer(lambda: _plain(_select(candidates, query, query_class, k, policy)))

    @found.tool(name="explain")
    def explain_tool(
        candidates: list[dict[str, Any]], id: str, query: str = "", query_class: str | None = None, k: int | None = None
    ) -> dict[str, Any]:
        """Say why one candidate got, lost or shared its seat."""
        return _answer(lambda: {"explanation": _select(candidates, query, query_class, k, None).explain(id)})

    if store is not None:
        _add_search(found, store, contract)

    def _select(*given: Any) -> Any:
        pool, query, name, k, policy = given
        return select(pool, contract, query=query, query_class=name, k=k, policy=policy)

    return found


def _add_search(found: MCPServer, store: str, contract: Contract | None) -> None:
    from reparto import embedders
    from reparto.retrieval.searching import Search
    from reparto.stores.opening import open_store

    held = open_store(store)
    search = Search(held, embedders.again(held.manifest.embedder, None), contract)

    @found.tool(name="search")
    def search_tool(
        query: str, query_class: str | None = None, k: int | None = None, pool: int | None = None
    ) -> dict[str, Any]:
        """Retrieve from the store and share the seats out."""
        return _answer(lambda: _plain(search(query, query_class=query_class, k=k, pool=pool).selection))


def _plain(selection: Any) -> dict[str, Any]:
    import json

    plain: dict[str, Any] = json.loads(to_json(selection.to_dict()))
    return plain


def _answer(call: Any) -> dict[str, Any]:
    """Bad input is an answer that the caller can read and mend."""
    try:
        found: dict[str, Any] = call()
    except InputError as error:
        return error.to_dict()
    return found

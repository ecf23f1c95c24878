"""`reparto mcp`: the tools as an MCP server."""

from __future__ import annotations

import click

from reparto.cli.options import contract_option
from reparto.contract import Contract


@click.command()
@contract_option
@click.option("--store", metavar="DIR", help="Also offer `search` over this store.")
@click.option("--http", is_flag=True, help="Streamable HTTP instead of stdio.")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8765, show_default=True, type=click.IntRange(1, 65535))
def command(contract: Contract, store: str | None, http: bool, host: str, port: int) -> int:
    """Serve `select`, `explain` and `search` to MCP clients, on stdio unless --http is given."""
    from reparto.integrations.mcp import server

    found = server(contract, store)
    if http:
        found.run(transport="streamable-http", host=host, port=port)
    else:
        found.run(transport="stdio")
    return 0

"""Selection over HTTP: the native doors, the rerank doors that other systems already speak, and what watches them.

Needs the extra `service`. `reparto.service.app.create_app` makes the ASGI application; `reparto serve` runs it.
"""

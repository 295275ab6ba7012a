"""Worlds over HTTP, WebSocket and MCP."""

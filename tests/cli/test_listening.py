"""Sockets of commands that serve."""

import socket

from orrery.cli.listening import LOCALHOST, listening


def test_connections_send_without_delay():
    with listening(LOCALHOST, 0) as bound, socket.create_connection(bound.getsockname()):
        accepted, _ = bound.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

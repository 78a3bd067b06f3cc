"""A TCP proxy in front of an API server whose connections can be cut."""

import socket
import struct
import threading
import time


class Proxy:
    def __init__(self, to_port):
        self._to_port = to_port
        self._lock = threading.Lock()
        self._open = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self._listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self._to_port), timeout=5)
                server.settimeout(None)
            except OSError:
                client.close()
                continue
            with self._lock:
                self._open |= {client, server}
                self.connections += 1
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    def _copy(self, source, sink):
        try:
            while data := source.recv(1 << 16):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            with self._lock:
                self._open.discard(end)
            end.close()

    def cut(self):
        """Waits until there is a connection, up to a minute, and resets all; returns whether there was one."""
        for _ in range(600):
            if self._open:
                break
            time.sleep(0.1)
        with self._lock:
            ends, self._open = self._open, set()
        for end in ends:
            try:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.shutdown(socket.SHUT_RDWR)
                end.close()
            except OSError:
                pass
        return bool(ends)

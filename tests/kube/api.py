"""Requests to an API server with a client certificate, by Python's own HTTP."""

import http.client
import json
import ssl


class Api:
    """Used by one thread. `status` is 0 when the server cannot be reached."""

    def __init__(self, port, authority, certificate, key):
        self._port = port
        self._context = ssl.create_default_context(cafile=authority)
        self._context.load_cert_chain(certificate, key)
        self._connection = None

    def request(self, method, path, body=None, content_type="application/json"):
        """(status, object)"""
        try:
            if self._connection is None:
                self._connection = http.client.HTTPSConnection("127.0.0.1", self._port, timeout=20,
                                                               context=self._context)
            text = None if body is None else json.dumps(body)
            self._connection.request(method, path, text, {"Content-Type": content_type})
            response = self._connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException):
            self._connection = None
            return 0, {}
        try:
            return response.status, json.loads(content)
        except ValueError:
            return response.status, {}

    def status(self, method, path, body=None):
        return self.request(method, path, body)[0]

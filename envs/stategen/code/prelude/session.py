# The module requests, as far as a client of one JSON service needs it.


class RequestException(IOError):
    pass


class HTTPError(RequestException):
    pass


class ConnectionFailed(RequestException):
    pass


class JSONDecodeError(RequestException, ValueError):
    pass


ConnectionFailed.__name__ = "ConnectionError"


class Response:
    def __init__(self, url, status, text):
        self.url, self.status_code, self.text = url, status, text
        self.content = text.encode()
        self.ok = status < 400
        self.reason = "OK" if self.ok else "Error"
        self.headers = {"Content-Type": "application/json"}

    def json(self, **ignored):
        try:
            return json.loads(self.text)
        except ValueError as error:
            raise JSONDecodeError(str(error)) from None

    def raise_for_status(self):
        if not self.ok:
            raise HTTPError("%d %s for url: %s: %s" % (self.status_code, self.reason, self.url, self.text))

    def __bool__(self):
        return self.ok

    def __repr__(self):
        return "<Response [%d]>" % self.status_code


def value(thing):
    return thing


class Client:
    """What sends requests: the module's functions, and those of a Session."""

    def __init__(self, channel):
        self.channel = channel
        self.headers = {}

    def request(self, method, url, params=None, data=None, json=None, **ignored):
        if json is not None:
            data = dumps(plain(json))
        elif isinstance(data, bytes):
            data = data.decode("utf-8", "replace")
        query = {str(name): str(of) for name, of in dict(params or {}).items() if of is not None}
        answer = self.channel.ask({
            "method": str(method).upper(), "url": str(url), "query": query, "body": "" if data is None else str(data),
        })
        if answer["status"] == 0:
            raise ConnectionFailed(answer["body"])
        return Response(str(url), answer["status"], answer["body"])

    def get(self, url, params=None, **rest):
        return self.request("GET", url, params=params, **rest)

    def post(self, url, data=None, json=None, **rest):
        return self.request("POST", url, data=data, json=json, **rest)

    def put(self, url, data=None, **rest):
        return self.request("PUT", url, data=data, **rest)

    def patch(self, url, data=None, **rest):
        return self.request("PATCH", url, data=data, **rest)

    def delete(self, url, **rest):
        return self.request("DELETE", url, **rest)

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


dumps = json.dumps


def preload(channel, data):
    requests = type(sys)("requests")
    requests.exceptions = type(sys)("requests.exceptions")
    for error in (RequestException, HTTPError, ConnectionFailed, JSONDecodeError):
        setattr(requests, error.__name__, error)
        setattr(requests.exceptions, error.__name__, error)
    client = Client(channel)
    for name in ("request", "get", "post", "put", "patch", "delete"):
        setattr(requests, name, getattr(client, name))
    requests.Response = Response
    requests.Session = requests.session = lambda: Client(channel)
    sys.modules["requests"], sys.modules["requests.exceptions"] = requests, requests.exceptions
    return dict(data["variables"], requests=requests, json=json, BASE_URL=data["base_url"])

"""Calls the session service of generated tasks with httpx2, which the MCP SDK brings along.

    sessions.py URL MOVED

URL is a service under p_c, MOVED one under another version. All six routes are called as a task would call them, and as
none may. Exit 1 and a traceback when anything is otherwise.
"""

import sys

import httpx2

base = httpx2.Client(base_url=sys.argv[1], trust_env=False)
place = "/api/sessions/lab/group"


def answered(method, path, status=200, **more):
    """Returns what a request gives: the value of its JSON, or None where it has no body."""
    reply = base.request(method, path, **more)
    assert reply.status_code == status, (method, path, reply.status_code, reply.text)
    return reply.json() if reply.content else None


first = answered("POST", place, json={"title": "Ä & B", "members": "1"})
assert list(first) == ["id"], first
assert answered("POST", place, json={"members": "1", "title": "Ä & B"}) == first  # the same data, no second session
second = answered("POST", place, json={"title": "C", "members": "1"})

listed = answered("GET", place)
assert [s["id"] for s in listed] == [first["id"], second["id"]], listed
assert set(listed[0]) == {"id", "source", "type", "checksum", "data"}, listed
assert answered("GET", "/api/sessions/lab/settings") == []

query = {"field": "data.title", "value": "Ä & B"}
assert answered("GET", place + "/query", params=query) == listed[:1]
assert answered("GET", f"{place}/{first['id']}") == listed[0]

assert answered("PUT", f"{place}/{first['id']}", json={"title": "D"}) is None
assert answered("GET", f"{place}/{first['id']}")["data"] == {"title": "D"}
assert answered("GET", place + "/query", params=query) == []

assert answered("DELETE", f"{place}/{first['id']}") is None
for method, more in ("GET", {}), ("PUT", {"json": {}}), ("DELETE", {}):
    assert "error" in answered(method, f"{place}/{first['id']}", 404, **more)
for path, body in ("/api/sessions/lab/groups", {}), ("/api/sessions/la/group", {}), (place, [1]):
    assert "error" in answered("POST", path, 400, json=body)

moved = httpx2.get(sys.argv[2] + place, trust_env=False)
assert moved.status_code == 410 and "deprecated" in moved.json()["error"], moved.text
print("sessions: 6 routes over HTTP; under another version a route that is gone says what to use instead")

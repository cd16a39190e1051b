# wall: network
# what: Connects to Unix sockets of the host's, by path and by abstract name.
# short
def connect(name):
    import socket
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(1)
        s.connect(name)
        return "connected"


attempt("connect to a path", connect, UNIX)
attempt("connect to an abstract name", connect, ABSTRACT)

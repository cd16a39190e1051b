# wall: network
# what: Opens a port that others can connect to.
# short
def listen():
    import socket
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        return s.getsockname()


attempt("listen", listen)

# wall: network
# what: Connects to a listener on the loopback device, over IPv4 and IPv6.
# short
def connect(family, host):
    import socket
    with socket.socket(getattr(socket, family), socket.SOCK_STREAM) as s:
        s.settimeout(1)
        s.connect((host, TCP))
        return "connected"


attempt("connect to 127.0.0.1", connect, "AF_INET", "127.0.0.1")
attempt("connect to an IPv4 address in IPv6", connect, "AF_INET6", "::ffff:127.0.0.1")

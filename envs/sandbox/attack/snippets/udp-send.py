# wall: network
# what: Sends a datagram to a listener on the loopback device.
# short
def send():
    import socket
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        return s.sendto(b"secret", ("127.0.0.1", UDP))


attempt("send a datagram", send)

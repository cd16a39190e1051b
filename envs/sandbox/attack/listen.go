package attack

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// listener is a socket of the host's that nobody should reach.
type listener struct {
	name   string
	fd     int
	stream bool // connections arrive, not datagrams
}

// listen opens the listeners. They do not block: visited asks what has arrived.
func (b *Bait) listen() error {
	b.abstract = "\x00" + b.mark

	local := &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}
	for _, l := range []struct {
		name         string
		family, kind int
		at           unix.Sockaddr
		port         *int
	}{
		{"TCP listener", unix.AF_INET, unix.SOCK_STREAM, local, &b.tcp},
		{"UDP listener", unix.AF_INET, unix.SOCK_DGRAM, local, &b.udp},
		{"Unix socket", unix.AF_UNIX, unix.SOCK_STREAM, &unix.SockaddrUnix{Name: b.sockets()}, nil},
		{"abstract Unix socket", unix.AF_UNIX, unix.SOCK_STREAM,
			&unix.SockaddrUnix{Name: "@" + b.mark}, nil},
	} {
		fd, err := unix.Socket(l.family, l.kind, 0)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}

		// Only the descriptor that was laid out as bait may be inherited.
		unix.CloseOnExec(fd)

		// Close also closes one that cannot be bound.
		b.watched = append(b.watched, listener{l.name, fd, l.kind == unix.SOCK_STREAM})
		if err := b.bind(fd, l.at, l.kind, l.port); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	// An ordinary user's socket must let everybody in, as the files do.
	if err := unix.Chmod(b.sockets(), 0o777); err != nil {
		return err
	}

	b.before = b.folder()
	return nil
}

func (b *Bait) bind(fd int, at unix.Sockaddr, kind int, port *int) error {
	if err := unix.SetNonblock(fd, true); err != nil {
		return err
	}

	if err := unix.Bind(fd, at); err != nil {
		return err
	}

	if port != nil {
		bound, err := unix.Getsockname(fd)
		if err != nil {
			return err
		}

		*port = bound.(*unix.SockaddrInet4).Port
	}

	if kind != unix.SOCK_STREAM {
		return nil
	}
	return unix.Listen(fd, 8)
}

// visited reports whether something arrived since the last look.
func (l listener) visited() bool {
	seen := false

	for {
		if !l.stream {
			n, _, err := unix.Recvfrom(l.fd, make([]byte, 64), 0)
			if err != nil || n < 0 {
				return seen
			}
		} else {
			fd, _, err := unix.Accept(l.fd)
			if err != nil {
				return seen
			}

			unix.Close(fd)
		}

		seen = true
	}
}

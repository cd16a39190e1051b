package cluster

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// startServer starts a NATS server within this process. It keeps its streams in dir.
func startServer(listen, dir, token string, secure *tls.Config) (*server.Server, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}

	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("cluster: the port of %s: %w", listen, err)
	}

	if number == 0 {
		number = server.RANDOM_PORT
	}

	// Signals are the program's, and what the server has to say is said by its clients.
	o := &server.Options{
		Host: host, Port: number, Authorization: token, TLSConfig: secure, TLS: secure != nil, TLSTimeout: 10,
		JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true, MaxPayload: mostMessage,
	}

	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}

	s.Start()

	if !s.ReadyForConnections(startTime) {
		s.Shutdown()
		return nil, fmt.Errorf("cluster: no server could be started on %s: is the address in use?", listen)
	}

	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, errors.New("cluster: the server has no JetStream: " + dir + " cannot be written?")
	}
	return s, nil
}

// startTime is how long a server may take until it takes connections: it reads its streams first.
const startTime = 60 * time.Second

// mostMessage is how large a message may be, in bytes: the default of NATS. Whoever sends more is
// cut off.
const mostMessage = 1 << 20

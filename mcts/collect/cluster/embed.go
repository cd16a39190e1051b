package cluster

import (
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"toolevo/envs"
)

// startServer starts a NATS server within this process. It keeps its streams in dir, and lets in
// who knows the token. full is called once the disk is full, or fails.
func startServer(
	listen, dir, token string, secure *tls.Config, log *slog.Logger, full func(error),
) (*server.Server, error) {
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
		Host: host, Port: number, CustomClientAuthentication: &doorman{token, log}, TLSConfig: secure,
		TLS: secure != nil, TLSTimeout: connectTime.Seconds(), AuthTimeout: connectTime.Seconds(),
		PingInterval: pingEvery, MaxPingsOut: 3, JetStream: true, StoreDir: dir, NoSigs: true,
		MaxPayload: mostMessage,
	}

	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}

	s.SetLoggerV2(serverLog{log, full}, false, false, false)
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

// doorman lets in who knows the token, and says who does not.
type doorman struct {
	token string
	log   *slog.Logger
}

// Check implements server.Authentication.
func (d *doorman) Check(c server.ClientAuthentication) bool {
	if subtle.ConstantTimeCompare([]byte(c.GetOpts().Token), []byte(d.token)) == 1 {
		return true
	}

	d.log.Warn("somebody without the run's token was refused", "address", fmt.Sprint(c.RemoteAddress()))
	return false
}

// serverLog is the log of a server, of which what goes wrong is passed on.
type serverLog struct {
	to   *slog.Logger
	full func(error)
}

// Noticef implements server.Logger.
func (l serverLog) Noticef(string, ...any) {}

// Warnf implements server.Logger.
func (l serverLog) Warnf(format string, args ...any) {
	l.to.Debug("NATS: " + fmt.Sprintf(format, args...))
}

// Fatalf implements server.Logger.
func (l serverLog) Fatalf(format string, args ...any) { l.Errorf(format, args...) }

// Errorf implements server.Logger. Only here does a server say that it can take nothing more: to
// workers that is a failure that passes, and they would try for ever. After what it calls a
// critical write error a stream refuses everything until the server is started again.
func (l serverLog) Errorf(format string, args ...any) {
	l.to.Warn("NATS: " + fmt.Sprintf(format, args...))

	isFinal := strings.Contains(format, "ritical write error")

	for _, arg := range args {
		err, _ := arg.(error)
		if err != nil && isFinal ||
			errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			l.full(envs.Fail(envs.StageStore, "keep what workers hand in", err))
		}
	}
}

// Debugf implements server.Logger.
func (l serverLog) Debugf(string, ...any) {}

// Tracef implements server.Logger.
func (l serverLog) Tracef(string, ...any) {}

// startTime is how long a server may take until it takes connections: it reads its streams first.
const startTime = 60 * time.Second

// mostMessage is how large a message may be, in bytes: the default of NATS. Whoever sends more is
// cut off.
const mostMessage = 1 << 20

package cluster

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/nats-io/nats.go"
)

// Place is where a coordinator is, and what a worker needs to know to join it.
type Place struct {
	Host  string // HOST:PORT
	Key   string // of the run's names
	Token string // that the server wants; or the name of a user, who has a password
	Pin   string // the SHA-256 of the server's certificate, in hex; "" is a server without TLS
	CA    bool   // with TLS, whose certificate the machine's authorities vouch for

	Password string // "" with a token
}

// The schemes of places.
const (
	schemePlain = "nats"
	schemeTLS   = "tls"
)

// PlaceOf returns the place of a run's coordinator.
func PlaceOf(run, host, token, pin string) Place {
	return Place{Host: host, Key: namesOf(run).key, Token: token, Pin: pin}
}

// PlaceAt returns the place of a run's coordinator that uses a NATS server, whose address is like
// those of other clients: nats://HOST:PORT or tls://HOST:PORT, with TOKEN@ or USER:PASSWORD@.
func PlaceAt(run, address string) (Place, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != schemePlain && u.Scheme != schemeTLS || u.Hostname() == "" || u.Path != "" {
		return Place{}, errors.New("this is no address of a NATS server: want nats://HOST:PORT or tls://HOST:PORT, " +
			"with TOKEN@ or USER:PASSWORD@ before the host if it wants that")
	}

	p := PlaceOf(run, u.Host, u.User.Username(), "")
	p.Password, _ = u.User.Password()
	p.CA = u.Scheme == schemeTLS

	if u.Port() == "" {
		p.Host = net.JoinHostPort(u.Hostname(), natsPort)
	}
	return p, nil
}

// natsPort is where NATS servers listen.
const natsPort = "4222"

// String returns the place as one word, which ParsePlace reads: nats://TOKEN@HOST:PORT/KEY, or
// tls://TOKEN@HOST:PORT/KEY?pin=SHA256.
func (p Place) String() string {
	u := url.URL{Scheme: schemePlain, Host: p.Host, Path: "/" + p.Key}

	switch {
	case p.Password != "":
		u.User = url.UserPassword(p.Token, p.Password)
	case p.Token != "":
		u.User = url.User(p.Token)
	}

	switch {
	case p.Pin != "":
		u.Scheme, u.RawQuery = schemeTLS, url.Values{"pin": {p.Pin}}.Encode()
	case p.CA:
		u.Scheme = schemeTLS
	}
	return u.String()
}

// ParsePlace reads the word that a coordinator prints for its workers.
func ParsePlace(text string) (Place, error) {
	const want = "want what the coordinator printed, nats://TOKEN@HOST:PORT/KEY or tls://TOKEN@HOST:PORT/KEY?pin=…"

	u, err := url.Parse(text)
	if err != nil { // its text would have the token
		return Place{}, errors.New("this is no address: " + want)
	}

	p := Place{Host: u.Host, Key: strings.Trim(u.Path, "/"), Token: u.User.Username(), Pin: u.Query().Get("pin")}
	p.Password, _ = u.User.Password()
	p.CA = u.Scheme == schemeTLS && p.Pin == ""

	_, keyErr := hex.DecodeString(p.Key)

	switch {
	case u.Scheme != schemePlain && u.Scheme != schemeTLS, u.Port() == "":
		return Place{}, errors.New("this is no address of a coordinator: " + want)
	case len(p.Key) != keySize || keyErr != nil:
		return Place{}, errors.New("the key of the run, the last part of the address, is missing or cut: " + want)
	case u.Scheme == schemePlain && p.Pin != "":
		return Place{}, errors.New("a pin is for tls://: " + want)
	}
	return p, nil
}

// keySize is how many characters the key of a run's names has.
const keySize = 16

// credentials returns what a client shows the server.
func (p Place) credentials() nats.Option {
	if p.Password != "" {
		return nats.UserInfo(p.Token, p.Password)
	}
	return nats.Token(p.Token)
}

// Server returns the address for a client of NATS, without secrets.
func (p Place) Server() string {
	if p.Pin != "" || p.CA {
		return schemeTLS + "://" + p.Host
	}
	return schemePlain + "://" + p.Host
}

// Client returns the TLS configuration of a client of the place, or nil without TLS. A pinned
// certificate needs no authority: it is the one whose SHA-256 the place has.
func (p Place) Client() *tls.Config {
	switch {
	case p.CA:
		return &tls.Config{MinVersion: tls.VersionTLS13}
	case p.Pin == "":
		return nil
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, // the pin is compared in place of a chain of authorities
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 || PinOf(s.PeerCertificates[0]) != p.Pin {
				return fmt.Errorf("the certificate of %s is not the one whose pin the address has: another "+
					"server answers there, or the coordinator has a new certificate", p.Host)
			}
			return nil
		},
	}
}

// PinOf returns the SHA-256 of a certificate, in hex.
func PinOf(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return hex.EncodeToString(sum[:])
}

// NewToken returns a secret that nobody can guess.
func NewToken() string { return rand.Text() }

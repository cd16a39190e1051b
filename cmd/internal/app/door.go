package app

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/wire"
	"toolevo/mcts/collect/cluster"
)

// doorFile keeps the token and the certificate of a run's coordinator, so that workers find it
// again when the run is resumed. It is for the run's owner alone.
const doorFile = "workers.json"

// door is what workers have to know and see to join a run.
type door struct {
	Token       string `json:"token"`
	Certificate string `json:"certificate,omitempty"` // PEM
	Key         string `json:"key,omitempty"`         // PEM

	server *tls.Config // nil without TLS
	pin    string      // of the certificate; "" without TLS
}

// openDoor reads the door of the run in dir, or makes it. Where other machines can listen it has
// TLS, with a certificate of its own, which the join command names.
func openDoor(dir string, c *Coordination) (d door, err error) {
	path := filepath.Join(dir, doorFile)
	if err := d.read(path); err != nil {
		return d, err
	}

	before, secure := d, c.NATS == "" && !c.Insecure && !isLoopback(c.Listen)
	if d.Token == "" {
		d.Token = cluster.NewToken()
	}

	if secure && d.Certificate == "" {
		if err := d.certify(); err != nil {
			return d, err
		}
	}

	if d != before {
		if err := d.write(path); err != nil {
			return d, console.GaveUp(err)
		}
	}

	if secure {
		err = d.load()
	}
	return d, err
}

// read reads a door, if there is one.
func (d *door) read(path string) error {
	text, err := disk.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	if err == nil {
		err = json.Unmarshal(text, d)
	}

	if err != nil {
		return console.GaveUp(fmt.Errorf("%s cannot be read: %w\nRemove it: workers that wait then need the new "+
			"join command, and what they have not handed in is made again", path, err))
	}
	return nil
}

func (d *door) write(path string) error {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o600)
}

// isLoopback reports whether only this machine can dial an address.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && wire.IsLocal(host)
}

// certify makes a certificate that its pin vouches for, and no authority.
func (d *door) certify() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}

	began := time.Now().Add(-time.Hour) // clocks differ
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "toolevo coordinator"},
		NotBefore: began, NotAfter: began.AddDate(10, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}

	raw, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		return err
	}

	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}

	d.Certificate = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
	d.Key = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
	return nil
}

// load reads the certificate.
func (d *door) load() error {
	pair, err := tls.X509KeyPair([]byte(d.Certificate), []byte(d.Key))
	if err != nil {
		return console.GaveUp(fmt.Errorf("the certificate in %s: %w", doorFile, err))
	}

	d.server = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{pair}}
	d.pin = cluster.PinOf(pair.Leaf)
	return nil
}

package ollama

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// clientGone is the status with which a server logs that its client went away; if it arrives, it is
// a gateway's.
const clientGone = 499

// statusFault is the fault of an answer that is not a 2xx.
func (b *Backend) statusFault(a wire.Answer) *server.Fault {
	c := wire.ReadComplaint(a.Body)

	message := cmp.Or(c.Message, http.StatusText(a.Status))
	switch {
	case a.Status == http.StatusNotFound && strings.Contains(message, "not found") &&
		strings.Contains(message, "model"):
		message = fmt.Sprintf("%s (on the server's machine: ollama pull %s)", message, b.opts.Model)
	case a.Status == http.StatusNotFound:
		message += " (is this an Ollama server?)"
	}

	kind := kindOf(a.Status, c)
	if c.OutOfQuota(a.Status, a.Wait() > 0) { // of a model in the cloud
		kind = server.OutOfQuota
	}
	return b.link.StatusFault(a, kind, message)
}

// sampleFault returns the fault of a reply with a good status that is not a sample, or err itself.
func (b *Backend) sampleFault(err error) error {
	var c wire.Complaint
	switch {
	case errors.As(err, &c):
		// It comes from the middle of a stream, where the status was sent already: 500 is what it
		// would have been.
		return b.link.Fault(kindOf(http.StatusInternalServerError, c), http.StatusOK, c.Message, nil)
	case errors.Is(err, errWindow):
		return b.link.Fault(server.TooLong, http.StatusOK, err.Error(), nil)
	case errors.Is(err, errNoSample):
		return b.link.Fault(server.Refused, http.StatusOK, err.Error(), nil)
	}

	return err
}

// kindOf is the kind of a complaint under a status. The server answers 500 to some requests for
// which a second try is useless.
func kindOf(status int, c wire.Complaint) server.FaultKind {
	text := strings.ToLower(c.Message)

	broken := status == http.StatusInternalServerError
	switch {
	case (broken || status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge) && c.TooLong():
		return server.TooLong
	case broken && strings.Contains(text, "option") && strings.Contains(text, "must be of type"),
		broken && strings.Contains(text, "requires more system memory"):
		return server.Refused
	case status == clientGone:
		return server.Transient
	default:
		return server.KindOfStatus(status)
	}
}

package ollama

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// clientGone is the status with which a server notes that its client went away; one that arrives is a gateway's.
const clientGone = 499

// statusFault is the fault of an answer that is not a 2xx.
func (b *Backend) statusFault(a wire.Answer) *server.Fault {
	message := complaint(a.Body)
	kind := kindOf(a.Status, message)
	message = cmp.Or(message, http.StatusText(a.Status))
	switch {
	case a.Status == http.StatusNotFound && strings.Contains(message, "not found") && strings.Contains(message, "model"):
		message = fmt.Sprintf("%s (on the server's machine: ollama pull %s)", message, b.opts.Model)
	case a.Status == http.StatusNotFound:
		message += " (is this an Ollama server?)"
	}
	return b.link.StatusFault(a, kind, message)
}

// sampleFault is the fault of a reply with a good status that is no sample, or the error that it is.
func (b *Backend) sampleFault(err error) error {
	var c complaintInReply
	switch {
	case errors.As(err, &c):
		// It comes from the middle of a stream, where the status was sent already: 500 is what it would have been.
		return b.link.Fault(kindOf(http.StatusInternalServerError, string(c)), http.StatusOK, string(c), nil)
	case errors.Is(err, errWindow):
		return b.link.Fault(server.TooLong, http.StatusOK, err.Error(), nil)
	case errors.Is(err, errNoSample):
		return b.link.Fault(server.Refused, http.StatusOK, err.Error(), nil)
	}
	return err
}

// complaint is what the server says in an error: {"error":"text"}, the nested form of its /v1, or the body itself.
func complaint(body []byte) string {
	var outer struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &outer) != nil || len(outer.Error) == 0 {
		return string(body)
	}
	var text string
	if json.Unmarshal(outer.Error, &text) == nil {
		return text
	}
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(outer.Error, &inner) == nil && inner.Message != "" {
		return inner.Message
	}
	return string(body)
}

// kindOf is the kind of a complaint under a status. The server answers 500 to some requests that no second try helps.
func kindOf(status int, message string) server.Kind {
	text := strings.ToLower(message)
	contains := func(words ...string) bool {
		for _, w := range words {
			if !strings.Contains(text, w) {
				return false
			}
		}
		return true
	}
	client := status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge
	broken := status == http.StatusInternalServerError
	switch {
	case (client || broken) && (contains("exceeds", "context length") || contains("exceeds", "context size") ||
		contains("exceed_context_size") || contains("context window")):
		return server.TooLong
	case broken && (contains("option", "must be of type") || contains("requires more system memory")):
		return server.Refused
	case status == clientGone:
		return server.Transient
	default:
		return server.KindOfStatus(status)
	}
}

package openai

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// statusFault is the fault of an answer that is not a 2xx.
func (b *Backend) statusFault(a wire.Answer) *server.Fault {
	c := wire.ReadComplaint(a.Body)
	return b.link.StatusFault(a, kindOf(a, c), b.advise(a.Status, c))
}

// replyFault returns the fault of a reply with a good status that holds an error, or err itself.
func (b *Backend) replyFault(err error) error {
	var c wire.Complaint
	if !errors.As(err, &c) {
		return err
	}

	if c.Status >= 400 { // what a gateway had to pass on
		a := wire.Answer{Status: c.Status, Header: c.Header}
		return b.link.StatusFault(a, kindOf(a, c), c.Error())
	}

	kind := server.Transient

	switch {
	case c.TooLong():
		kind = server.TooLong
	case c.OutOfQuota(http.StatusOK, false):
		kind = server.OutOfQuota
	}

	return b.link.Fault(kind, http.StatusOK, c.Error(), nil)
}

// advise returns the server's message with what to do about it.
func (b *Backend) advise(status int, c wire.Complaint) string {
	text := cmp.Or(c.Message, http.StatusText(status))
	switch {
	case status == http.StatusNotFound && !c.Known && b.opts.inTokens():
		return text + " (is the base URL right? " + wantsVLLM + ")"
	case status == http.StatusNotFound && !c.Known:
		return text + " (is the base URL right? It ends in /v1 on most servers)"
	case status == http.StatusNotFound:
		return fmt.Sprintf("%s (asked for the model %q)", text, b.opts.Model)
	case c.Param != "" && !strings.Contains(text, c.Param):
		return fmt.Sprintf("%s (%s)", text, c.Param)
	}

	return text
}

// kindOf is the kind of an answer that holds a complaint.
func kindOf(a wire.Answer, c wire.Complaint) server.FaultKind {
	switch a.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		if c.TooLong() {
			return server.TooLong
		}
	}

	if c.OutOfQuota(a.Status, a.Wait() > 0) {
		return server.OutOfQuota
	}
	return server.KindOfStatus(a.Status)
}

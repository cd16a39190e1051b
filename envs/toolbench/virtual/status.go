package virtual

import (
	"net/http"
	"strings"

	"toolevo/envs/pytext"
)

// Status is the number by which a caller of the virtual server notes in StableToolBench's transcripts how a call went.
// It is the caller's: no outcome of an environment follows from it, and a simulated error is a response like another.
type Status int

// The statuses that an answer leads to; 1 to 4 are about what a model wrote. In the published code 7 and 8 are swapped,
// and several texts of errors never match.
const (
	StatusNormal         Status = 0
	StatusTimeout        Status = 5
	StatusNotWorking     Status = 6 // the API is gone
	StatusNotSubscribed  Status = 7
	StatusUnauthorised   Status = 8
	StatusTooMany        Status = 9  // requests
	StatusRateLimit      Status = 10 // of a minute
	StatusOtherError     Status = 11
	StatusTransportError Status = 12 // no answer, or none that can be read
)

// statuses are the texts of errors by which servers of real APIs say what is wrong, in lower case.
var statuses = map[string]Status{
	"api not working error...":             StatusNotWorking,
	"api temporarily not working error...": StatusNotWorking,
	"unsubscribed error...":                StatusNotSubscribed,
	"unauthorized error...":                StatusUnauthorised,
	"too many requests error...":           StatusTooMany,
	"rate limit error...":                  StatusRateLimit,
	"rate limit per minute error...":       StatusRateLimit,
	"gateway error...":                     StatusNotWorking,
	"blocked error...":                     StatusUnauthorised,
	"timeout error...":                     StatusTimeout,
}

// StatusOf returns the status of what a server answered.
func StatusOf(code int, body []byte) Status {
	o, _, err := pytext.DecodeObject(string(body))
	if code != http.StatusOK || err != nil {
		return StatusTransportError
	}

	message, _ := o.Text("error")
	if message == "" {
		return StatusNormal
	}

	if s, ok := statuses[strings.ToLower(strings.TrimSpace(message))]; ok {
		return s
	}

	return StatusOtherError
}

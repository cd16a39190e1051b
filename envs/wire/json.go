package wire

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// ReadObject reads the body of a request, which http.MaxBytesReader may bound. The error is the client's; the status is
// what to answer it with.
func ReadObject(r *http.Request) (object envs.Args, status int, err error) {
	body, err := io.ReadAll(r.Body)

	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return nil, http.StatusRequestEntityTooLarge, TooLarge(large.Limit)
	}

	if err != nil {
		return nil, http.StatusBadRequest, fmt.Errorf("the body was cut off: %w", err)
	}

	v, err := pytext.Decode(strings.ToValidUTF8(string(body), "\uFFFD"))
	if err != nil {
		return nil, http.StatusBadRequest, fmt.Errorf("the body is no JSON: %w", err)
	}

	object, ok := v.(envs.Args)
	if !ok {
		return nil, http.StatusBadRequest, fmt.Errorf("the body is a %s, want an object", pytext.TypeName(v))
	}

	return object, http.StatusOK, nil
}

// TooLarge is the reason of a body of more than a number of bytes.
func TooLarge(most int64) error {
	return fmt.Errorf("the body is too large: want at most %d bytes", most)
}

// SendJSON answers a request with JSON. A client whose body is too large is not listened to any more.
func SendJSON(w http.ResponseWriter, status int, text string) {
	if status == http.StatusRequestEntityTooLarge {
		w.Header().Set("Connection", "close") // nobody reads the rest
	}

	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // who does not listen any more is told nothing
}

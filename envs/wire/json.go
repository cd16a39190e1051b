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

// ReadObject reads the body of a request, which http.MaxBytesReader may bound. The error is the
// client's, and the status is the one to answer with.
func ReadObject(r *http.Request) (object envs.Args, status int, err error) {
	body, err := io.ReadAll(r.Body)

	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return nil, http.StatusRequestEntityTooLarge, TooLarge(large.Limit)
	}

	if err != nil {
		return nil, http.StatusBadRequest, fmt.Errorf("the body was cut off: %w", err)
	}

	if object, err = Object(string(body)); err != nil {
		return nil, http.StatusBadRequest, fmt.Errorf("the body: %w", err)
	}
	return object, http.StatusOK, nil
}

// Object reads a JSON object as tools take it. Bytes that are not UTF-8 are replaced.
func Object(text string) (envs.Args, error) {
	v, err := decode(text)
	if err != nil {
		return nil, err
	}
	return asObject(v)
}

// Arguments reads the arguments of a call: an object, a text that contains one, or nothing.
func Arguments(input any) (args envs.Args, err error) {
	if text, ok := input.(string); ok {
		if input = nil; strings.TrimSpace(text) != "" {
			input, err = decode(text)
		}
	}

	if err != nil || input == nil {
		return envs.Args{}, err
	}
	return asObject(input)
}

func decode(text string) (any, error) {
	v, err := pytext.Decode(strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		err = fmt.Errorf("invalid JSON: %w", err)
	}
	return v, err
}

func asObject(v any) (envs.Args, error) {
	object, ok := v.(envs.Args)
	if !ok {
		return nil, fmt.Errorf("want a JSON object, not a %s", pytext.TypeName(v))
	}
	return object, nil
}

// TooLarge returns the error about a body of more than most bytes.
func TooLarge(most int64) error {
	return fmt.Errorf("the body is too large: want at most %d bytes", most)
}

// SendJSON answers a request with JSON. The connection of a client whose body is too large is
// closed.
func SendJSON(w http.ResponseWriter, status int, text string) {
	if status == http.StatusRequestEntityTooLarge {
		w.Header().Set("Connection", "close") // nobody reads the rest
	}

	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // the client may be gone
}

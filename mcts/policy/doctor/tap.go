package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// largestReply bounds the bytes of a reply that are read.
const largestReply = 16 << 20

// note goes with a request to the tap below the backend: how to change the body, and what came back.
type note struct {
	edit func(fields) error // nil changes nothing

	mu     sync.Mutex
	bodies [][]byte // of the replies, in the order they came
	sent   int
}

// fields are the fields of a request.
type fields map[string]json.RawMessage

type noteKey struct{}

func withNote(ctx context.Context, n *note) context.Context {
	return context.WithValue(ctx, noteKey{}, n)
}

// tap sits between a backend and the network. The backends send a run's requests; what a probe wants otherwise, such as
// a field left out, is changed here, and what a backend does not pass on of a reply is kept.
type tap struct{ base http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t tap) RoundTrip(req *http.Request) (*http.Response, error) {
	n, ok := req.Context().Value(noteKey{}).(*note)
	if !ok {
		return t.base.RoundTrip(req)
	}

	if n.edit != nil && req.Body != nil {
		body, err := io.ReadAll(req.Body)
		req.Body.Close()

		if err == nil {
			body, err = edited(body, n.edit)
		}

		if err != nil {
			return nil, err
		}

		req = req.Clone(req.Context()) // a RoundTripper must leave its request alone
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}

	n.mu.Lock()
	n.sent++
	n.mu.Unlock()

	resp, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()

	body, err := io.ReadAll(io.LimitReader(resp.Body, largestReply))
	if err != nil {
		return nil, err
	}

	n.mu.Lock()
	n.bodies = append(n.bodies, body)
	n.mu.Unlock()

	resp.Body = io.NopCloser(bytes.NewReader(body))

	return resp, nil
}

func edited(body []byte, edit func(fields) error) ([]byte, error) {
	var f fields
	if err := json.Unmarshal(body, &f); err != nil {
		return nil, fmt.Errorf("doctor: the request to change: %w", err)
	}

	if err := edit(f); err != nil {
		return nil, err
	}

	return json.Marshal(f)
}

// set sets a field.
func (f fields) set(name string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("doctor: field %s: %w", name, err)
	}

	f[name] = raw

	return nil
}

// leaveOut removes fields; of those of an inner object when it is named.
func (f fields) leaveOut(inner string, names []string) error {
	target := f
	if inner != "" {
		target = fields{}
		if err := json.Unmarshal(f[inner], &target); err != nil {
			return fmt.Errorf("doctor: field %s: %w", inner, err)
		}
	}

	for _, name := range names {
		delete(target, name)
	}

	if inner == "" {
		return nil
	}

	return f.set(inner, target)
}

package virtual

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
)

// Backend is a server of ToolBench's real APIs, or one that speaks their protocol.
type Backend struct {
	url, key string
	client   *http.Client
}

// The limits on the answer of a backend.
const (
	backendTime = 30 * time.Second
	backendBody = 4 << 20
)

// NewBackend returns the backend at a URL, which is sent a key as toolbench_key.
func NewBackend(address, key string) (*Backend, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("the backend %q is not a URL, want e.g. http://localhost:8081/virtual", address)
	}
	return &Backend{address, key, &http.Client{Timeout: backendTime}}, nil
}

// Ask returns the answer to a call, and whether there is one that is worth keeping.
func (b *Backend) Ask(ctx context.Context, call Call) (toolbench.Answer, bool) {
	a, err := b.Call(ctx, call)
	if err != nil {
		return toolbench.Answer{}, false
	}

	_, worthy := Check(a)
	return a, worthy
}

// Call returns the answer to a call, whatever it says. An error means that there is none.
func (b *Backend) Call(ctx context.Context, call Call) (a toolbench.Answer, err error) {
	// In the published protocol arguments are a text, and an empty strip asks for the whole answer.
	body := object(envs.Object(
		"category", call.API.Category,
		"tool_name", call.API.Tool,
		"api_name", call.API.API,
		"tool_input", cmp.Or(object(call.Args), "{}"),
		"strip", "",
		"toolbench_key", b.key,
	))

	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url,
		bytes.NewReader([]byte(body)))
	if err != nil {
		return a, err
	}

	request.Header.Set("Content-Type", "application/json")

	reply, err := b.client.Do(request)
	if err != nil {
		return a, err
	}
	defer reply.Body.Close()

	// One byte more than the limit tells a long answer from one that just fits.
	text, err := io.ReadAll(io.LimitReader(reply.Body, backendBody+1))

	switch {
	case err != nil:
		return a, err
	case len(text) > backendBody || reply.StatusCode != http.StatusOK:
		return a, fmt.Errorf("%s: HTTP %d, %d bytes", b.url, reply.StatusCode, len(text))
	}

	o, _, err := pytext.DecodeObject(string(text))
	a, _ = AnswerOf(o) // what has no response is not worth keeping
	a.Maker = string(Real)
	return a, err
}

package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/remote/openapi"
	"toolevo/envs/wire"
)

// request is a request of an operation, however often it is sent.
type request struct {
	openapi.Operation

	args envs.Args
	key  string // the same each time, and no other request's; "" if the operation takes none
}

// keyHeader lets a service recognise a request that is sent again.
const keyHeader = "Idempotency-Key"

func (r *request) takesKey() bool {
	return slices.ContainsFunc(r.Parameters, func(p openapi.Parameter) bool {
		return p.In == openapi.Header && strings.EqualFold(p.Wire, keyHeader)
	})
}

func (r *request) isSafe() bool {
	return slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE"}, r.Method)
}

func (r *request) isRepeatable() bool {
	return r.isSafe() || r.key != "" || r.Method == "PUT" || r.Method == "DELETE"
}

// failed is an error about the request.
func (r *request) failed(text string) error {
	return fmt.Errorf("%s %s: %s", r.Method, r.Path, text)
}

// Call implements [Instance]. A call that no request can express is a mistake in the call.
func (i *httpInstance) Call(
	ctx context.Context, tool string, args envs.Args,
) (envs.Result, error) {
	o, ok := i.operations[tool]
	if !ok {
		return envs.Result{}, fmt.Errorf("the document has no operation %s", tool)
	}

	r := request{Operation: o, args: i.inFolder(args)}
	r.Server = i.base(o.Server)

	// The same call of another instance, or later of this one, is another request.
	if i.calls++; r.takesKey() {
		r.key = envs.SHA256(fmt.Sprintf("%s %d %s %s", i.nonce, i.calls, tool,
			pytext.JSON(args)))[:32]
	}

	a, err := i.exchange(ctx, r)
	if !r.isRepeatable() {
		// As the agent made the call: every instance has a folder of its own.
		err = i.countBroken(r.Method+" "+r.Path+pytext.JSON(args), a, err)
	}

	if errors.Is(err, openapi.ErrArgument) {
		text := strings.TrimPrefix(err.Error(), "openapi: ")
		return envs.Result{Observation: text, Outcome: envs.InvocationError}, nil
	}

	if err != nil {
		return envs.Result{}, err
	}
	return i.result(a), nil
}

// inFolder returns arguments with the instance's folder in place of the word by which agents know
// it, since every instance has another folder.
func (i *httpInstance) inFolder(args envs.Args) envs.Args {
	if i.dir == "" {
		return args
	}

	placed, _ := envs.Map(args, func(part any) (any, bool) {
		text, isText := part.(string)
		if isText {
			part = strings.ReplaceAll(text, dirWord, i.dir)
		}
		return part, isText
	}).(envs.Args)
	return placed
}

// How long to wait before a request is sent again: first, and at most unless the service asks for
// more.
const (
	firstWait   = 100 * time.Millisecond
	longestWait = 10 * time.Second
)

// mostBroken is how often a service may answer a request with 500 before it is taken to fail at it
// always. A request that an instance must not be sent again is made at as many instances as callers
// try, which is three times.
const (
	mostBroken     = 4
	mostBrokenOnce = 3
)

// exchange sends a request until it is answered.
func (i *httpInstance) exchange(ctx context.Context, r request) (answer, error) {
	unclear, broken := false, 0 // unclear: an earlier one may have been carried out

	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		a, err := i.attempt(ctx, &r)

		f, isFault := errors.AsType[*fault](err)
		if !isFault {
			// The service may refuse because the earlier request was carried out.
			if err == nil && unclear && a.status >= http.StatusBadRequest {
				err = r.failed("nobody answered, and when it was sent again " + i.describeAnswer(a) +
					": what the first one did is not known")
			}

			return a, err
		}

		// Other faults pass with time. A 500 may be due to this very request.
		if a.status == http.StatusInternalServerError {
			broken++
		}

		if err := r.checkAgain(ctx, f, broken); err != nil {
			return a, err
		}

		// With a key, the service itself recognises the request.
		unclear = unclear || f.reached && r.key == "" && !r.isSafe()

		if over := i.pause(ctx, max(wait, f.wait)); over != nil {
			return a, fmt.Errorf("%w: %w%s", r.failed(f.text), over, i.lastOutput())
		}
	}
}

// checkAgain returns why a request is not sent again after a fault. broken counts the 500s of the
// request.
func (r *request) checkAgain(ctx context.Context, f *fault, broken int) error {
	end, bounded := ctx.Deadline()

	switch {
	case broken == mostBroken:
		return &givenUp{r.failed(f.text), "a service fails at a request"}
	case f.reached && !r.isRepeatable():
		return r.failed(f.text + ": it may have been carried out, and is not sent again")
	case bounded && time.Now().Add(f.wait).After(end):
		return r.failed(fmt.Sprintf("%s, and the service asks to be left alone for %v: "+
			"lower the rate, or be more patient", f.text, f.wait))
	}

	return nil
}

// countBroken gives a call up that instance after instance answers with 500: no state that is made
// anew gets past it.
func (s *httpSource) countBroken(call string, a answer, err error) error {
	if a.status != http.StatusInternalServerError {
		s.broken.Delete(call)
		return err
	}

	all, _ := s.broken.LoadOrStore(call, new(atomic.Int32))
	if n, ok := all.(*atomic.Int32); ok && n.Add(1) >= mostBrokenOnce {
		return &givenUp{err, "a service fails at a request"}
	}
	return err
}

// attempt sends a request once. The error is a [fault] where it makes sense to send it again.
func (i *httpInstance) attempt(ctx context.Context, r *request) (a answer, err error) {
	sent, err := i.write(ctx, r, i.secret)
	if err != nil {
		return a, err
	}

	leave, err := i.limits.enter(ctx, sent.URL.Hostname())
	if err != nil {
		return a, err
	}
	defer leave()

	response, err := i.client.Do(sent)
	if err != nil {
		return a, i.judge(ctx, r, err)
	}
	defer response.Body.Close()

	a = answer{status: response.StatusCode, kind: response.Header.Get("Content-Type")}

	a.body, err = io.ReadAll(io.LimitReader(response.Body, i.MostBytes+1))
	if err != nil {
		return a, i.judge(ctx, r, err)
	}

	a.large = int64(len(a.body)) > i.MostBytes
	return a, i.judgeStatus(r, a, wire.Wait(a.status, response.Header))
}

// write makes the HTTP request, with the secrets of its security schemes.
func (i *httpInstance) write(
	ctx context.Context, r *request, secret func(scheme string) (string, bool),
) (*http.Request, error) {
	if len(i.Secrets) == 0 {
		secret = nil
	}

	sent, err := r.Request(ctx, r.args, secret)

	switch {
	case errors.Is(err, openapi.ErrArgument):
		return nil, err
	case err != nil:
		return nil, &hopeless{fmt.Errorf("%w: secrets has to name the variable of the environment "+
			"that holds one of them, and the variable has to be set", err)}
	}

	if sent.Header.Get("Accept") == "" {
		sent.Header.Set("Accept", "application/json, */*;q=0.5")
	}

	if r.key != "" && sent.Header.Get(keyHeader) == "" {
		sent.Header.Set(keyHeader, r.key)
	}
	return sent, nil
}

// secret returns the secret of a security scheme.
func (i *httpInstance) secret(scheme string) (string, bool) {
	value := strings.TrimSpace(os.Getenv(i.Secrets[scheme]))
	return value, value != ""
}

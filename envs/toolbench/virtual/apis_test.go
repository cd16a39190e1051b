package virtual_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"toolevo/envs"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// writer is a language model that writes what it is told to.
type writer struct {
	calls atomic.Int64
	seeds sync.Map // that it was given
	write func(call int64, instructions, request string) (string, error)
}

func (w *writer) Write(_ context.Context, instructions, request string, seed uint64) (string, error) {
	w.seeds.Store(seed, true)
	return w.write(w.calls.Add(1), instructions, request)
}

// saying is a model that writes the replies in turn, and then the last one for good.
func saying(replies ...string) *writer {
	return &writer{write: func(call int64, _, _ string) (string, error) {
		return replies[min(int(call), len(replies))-1], nil
	}}
}

func ask(t *testing.T, a *virtual.APIs, version string, args envs.Args) (string, virtual.Provenance) {
	t.Helper()

	answer, from, err := a.Answer(t.Context(), version, forecast, args)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Text(), from
}

// The first call is simulated, the second replayed with the same bytes, whatever the order of the
// arguments. Another version is another call.
func TestAnswer(t *testing.T) {
	t.Parallel()

	w := saying(`{"error": "", "response": {"sun": 2.50}}`, `{"error": "", "response": "rain"}`)
	a := virtual.New(virtual.Options{Cache: openCache(t), Model: virtual.NewModel(w, "openai:m", virtual.SFT)})
	args := envs.Args{arg("city", "Bern"), arg("days", envs.Number("2"))}

	first, made := ask(t, a, "p_c", args)
	again, replayed := ask(t, a, "p_c", envs.Args{args[1], args[0]})

	if first != again || made != virtual.Simulated || replayed != virtual.Replayed || w.calls.Load() != 1 {
		t.Errorf("first %s (%s), then %s (%s), by %d calls", first, made, again, replayed, w.calls.Load())
	}

	if other, from := ask(t, a, "p_s_in", args); other == first || from != virtual.Simulated {
		t.Errorf("another version answers %s (%s)", other, from)
	}

	if got := a.Tally(); got != (virtual.Tally{Simulated: 2, Replayed: 1}) {
		t.Errorf("counted %+v", got)
	}
}

// Equal calls at the same time are simulated once.
func TestSingleFlight(t *testing.T) {
	t.Parallel()

	release := make(chan struct{})
	w := &writer{write: func(int64, string, string) (string, error) {
		<-release
		return `{"error": "", "response": "sunny"}`, nil
	}}
	a := virtual.New(virtual.Options{Cache: openCache(t), Model: virtual.NewModel(w, "openai:m", virtual.SFT)})

	var asking sync.WaitGroup
	for range 100 {
		asking.Go(func() { _, _ = ask(t, a, "p_c", bern()) })
	}

	close(release)
	asking.Wait()

	if n := w.calls.Load(); n != 1 {
		t.Errorf("%d calls of the model, want 1", n)
	}
}

// Whoever waits for an answer gets one though the call that was making it is called off.
func TestCalledOff(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	w := &writer{}
	w.write = func(call int64, _, _ string) (string, error) {
		if call > 1 {
			return `{"error": "", "response": "sunny"}`, nil
		}

		close(asked)
		<-ctx.Done()
		return "", ctx.Err()
	}
	a := virtual.New(virtual.Options{Model: virtual.NewModel(w, "openai:m", virtual.SFT)})

	var asking sync.WaitGroup
	asking.Go(func() {
		if _, _, err := a.Answer(ctx, "p_c", forecast, bern()); !errors.Is(err, context.Canceled) {
			t.Errorf("the call that is called off says %v", err)
		}
	})

	<-asked

	asking.Go(func() {
		if text, _ := ask(t, a, "p_c", bern()); !strings.Contains(text, "sunny") {
			t.Errorf("who waits gets %s", text)
		}
	})
	cancel()
	asking.Wait()
}

// A reply that cannot be read is asked for again, under another seed; three of them are a failure,
// and nothing is kept.
func TestSpoiltReplies(t *testing.T) {
	t.Parallel()

	for replies, want := range map[string]bool{
		"I do not know.|{}|{\"response\": \"sunny\"}": true,
		"I do not know.|{}|No.":                       false,
	} {
		w, c := saying(strings.Split(replies, "|")...), openCache(t)
		a := virtual.New(virtual.Options{Cache: c, Model: virtual.NewModel(w, "openai:m", virtual.SFT)})

		_, _, err := a.Answer(t.Context(), "p_c", forecast, bern())
		if _, alone := envs.GivenUp(err); (err == nil) != want ||
			!want && !errors.Is(err, virtual.ErrReply) || alone == want {
			t.Errorf("%s: %v, given up: %v", replies, err, alone)
		}

		seeds := 0
		w.seeds.Range(func(any, any) bool { seeds++; return true })

		n, err := c.Count(t.Context())
		if err != nil || (n == 1) != want || w.calls.Load() != 3 || seeds != 3 {
			t.Errorf("%s: %d answers kept (%v), %d calls, %d seeds", replies, n, err, w.calls.Load(), seeds)
		}
	}
}

// Every known way to spoil a reply is answered, and what is kept is whole.
func TestSpoiltRepliesAreKept(t *testing.T) {
	t.Parallel()

	c := openCache(t)

	for name, s := range spoilt {
		a := virtual.New(virtual.Options{Cache: c, Model: virtual.NewModel(saying(s.reply), "openai:m", virtual.CoT)})

		first, from := ask(t, a, "p_c", envs.Args{arg("city", name)})
		if again, replayed := ask(t, a, "p_c", envs.Args{arg("city", name)}); first != again ||
			from != virtual.Simulated || replayed != virtual.Replayed {
			t.Errorf("%s: first %s (%s), then %s (%s)", name, first, from, again, replayed)
		}
	}

	if n, err := c.Count(t.Context()); n != len(spoilt) || n < 20 || err != nil {
		t.Errorf("%d of %d answers are kept (%v)", n, len(spoilt), err)
	}
}

// An answer that says that something failed is given, and asked for again the next time.
func TestFailuresAreNotKept(t *testing.T) {
	t.Parallel()

	w := saying(`{"error": "no such city", "response": ""}`, `{"error": "", "response": "404 Not Found"}`,
		`{"error": "", "response": "sunny"}`)
	a := virtual.New(virtual.Options{Cache: openCache(t), Model: virtual.NewModel(w, "openai:m", virtual.SFT)})

	for _, want := range []string{"no such city", "404", "sunny", "sunny"} {
		if got, _ := ask(t, a, "p_c", bern()); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}

	if got := a.Tally(); got != (virtual.Tally{Simulated: 3, Replayed: 1, Unkept: 2}) {
		t.Errorf("counted %+v", got)
	}
}

// A failing server is a failure of ours, and is not kept.
func TestServerFails(t *testing.T) {
	t.Parallel()

	down := errors.New("down")
	w := &writer{write: func(int64, string, string) (string, error) { return "", down }}
	a := virtual.New(virtual.Options{Cache: openCache(t), Model: virtual.NewModel(w, "openai:m", virtual.SFT)})

	if _, _, err := a.Answer(t.Context(), "p_c", forecast, bern()); !errors.Is(err, down) || w.calls.Load() != 1 {
		t.Errorf("got %v after %d calls", err, w.calls.Load())
	}
}

// A model without training is shown what the API answered before.
func TestFewShot(t *testing.T) {
	t.Parallel()

	w := &writer{write: func(call int64, _, request string) (string, error) {
		return fmt.Sprintf(`{"error": "", "response": "answer %d to %d"}`, call, strings.Count(request, "Answer: ")), nil
	}}
	a := virtual.New(virtual.Options{Cache: openCache(t), Model: virtual.NewModel(w, "openai:m", virtual.FewShot)})

	for i := range 8 {
		want := fmt.Sprintf("answer %d to %d", i+1, min(i, 5))
		if got, _ := ask(t, a, "p_c", envs.Args{arg("city", fmt.Sprint(i))}); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A real answer goes before a simulated one, if it is any good.
func TestBackend(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		code int
		body string
		want virtual.Provenance
	}{
		"good":        {200, `{"error": "", "response": "real"}`, virtual.Real},
		"error":       {200, `{"error": "Unauthorized error...", "response": ""}`, virtual.Scripted},
		"gone":        {200, `{"error": "", "response": "API doesn't exist"}`, virtual.Scripted},
		"down":        {503, `{"error": "", "response": "real"}`, virtual.Scripted},
		"no JSON":     {200, `<html>`, virtual.Scripted},
		"no response": {200, `{"error": ""}`, virtual.Scripted},
	} {
		var sent string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body := make([]byte, r.ContentLength)
			_, _ = r.Body.Read(body)
			sent = string(body)

			w.WriteHeader(test.code)
			_, _ = w.Write([]byte(test.body))
		}))

		b, err := virtual.NewBackend(server.URL+"/virtual", "secret")
		if err != nil {
			t.Fatal(err)
		}

		_, from := ask(t, virtual.New(virtual.Options{Backend: b}), "p_c", bern())
		server.Close()

		want := `{"category": "Weather", "tool_name": "sky", "api_name": "forecast", "tool_input": ` +
			`"{\"city\": \"Bern\"}", "strip": "", "toolbench_key": "secret"}`
		if from != test.want || sent != want {
			t.Errorf("%s: the answer is %s, want %s; sent %s", name, from, test.want, sent)
		}
	}

	if _, err := virtual.NewBackend("localhost:8081", ""); err == nil {
		t.Error("an address without a scheme is taken")
	}
}

// Two processes, here two caches of one file, see what the other has kept.
func TestTwoOfOneFile(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "cache.db")
	one, other := openCacheAt(t, path), openCacheAt(t, path)

	if _, from := ask(t, virtual.New(virtual.Options{Cache: one}), "p_c", bern()); from != virtual.Scripted {
		t.Errorf("the first answer is %s", from)
	}

	if _, from := ask(t, virtual.New(virtual.Options{Cache: other}), "p_c", bern()); from != virtual.Replayed {
		t.Errorf("the second answer is %s", from)
	}
}

// Two processes that ask for the same at the same time give the same answer, that of the first
// whose answer is kept, whoever it comes from and however often they are asked.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()

	real := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"error": "", "response": "real"}`))
	})

	for _, tt := range []struct{ name, slow, fast string }{
		{"two models", `{"error": "", "response": "slow"}`, `{"error": "", "response": "fast"}`},
		{"one that is not kept", `{"error": "no", "response": ""}`, `{"error": "", "response": "fast"}`},
		{"a model and a real API", `{"error": "", "response": "slow"}`, ""},
	} {
		path := filepath.Join(t.TempDir(), "cache.db")

		options := virtual.Options{Cache: openCacheAt(t, path), Backend: real}
		if tt.fast != "" {
			options.Backend, options.Model = nil, virtual.NewModel(saying(tt.fast), "m", virtual.SFT)
		}

		other := virtual.New(options)

		var first string

		slow := &writer{write: func(int64, string, string) (string, error) {
			first, _ = ask(t, other, "p_c", bern())
			return tt.slow, nil
		}}
		one := virtual.New(virtual.Options{
			Cache: openCacheAt(t, path), Model: virtual.NewModel(slow, "n", virtual.SFT),
		})

		got, _ := ask(t, one, "p_c", bern())
		again, _ := ask(t, one, "p_c", bern())

		if got != first || again != first {
			t.Errorf("%s: the one says %s, then %s, the other %s", tt.name, got, again, first)
		}
	}
}

// Without a simulator there are the answers of the cache, and no others; that there is none is not
// kept.
func TestUnsimulated(t *testing.T) {
	t.Parallel()

	cache := openCache(t)
	a := virtual.New(virtual.Options{Cache: cache, Unsimulated: true})
	known, unknown := envs.Args{arg("city", "Bern")}, envs.Args{arg("city", "Rome")}
	entry := func(args envs.Args, answer toolbench.Answer) virtual.Entry {
		return virtual.Entry{
			Call: virtual.NewCall("p_c", forecast.Key, args), Answer: answer, Provenance: virtual.Real,
		}
	}

	done, err := cache.Keep(t.Context(), []virtual.Entry{
		entry(known, toolbench.Answer{Response: "sun"}), entry(unknown, toolbench.Answer{Error: "Rate limit"}),
	})
	if err != nil || done.Added != 1 || len(done.Rejected) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}

	if text, from := ask(t, a, "p_c", known); text != `{"error": "", "response": "sun"}` || from != virtual.Replayed {
		t.Errorf("a recorded call: %s (%s)", text, from)
	}

	_, _, err = a.Answer(t.Context(), "p_c", forecast, unknown)
	if _, givenUp := envs.GivenUp(err); !errors.Is(err, virtual.ErrUnrecorded) || !givenUp || a.Tally().Failed != 1 {
		t.Errorf("another call: %v, %+v", err, a.Tally())
	}

	if n, err := cache.Count(t.Context()); n != 1 || err != nil {
		t.Errorf("%d are kept, %v", n, err)
	}
}

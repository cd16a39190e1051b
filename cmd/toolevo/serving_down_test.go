package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/suite"
	"toolevo/mcts/policy/simserver"
)

// What does not answer, and what is not a model server, is found out within five seconds, and
// leaves no run directory. Nothing waits but the probe: it does so once, for less than that. Time
// itself is looked at with room for a busy machine.
func TestNoModelServer(t *testing.T) {
	t.Parallel()

	if suite.ProbeTime > 4*time.Second {
		t.Errorf("the probe takes %v", suite.ProbeTime)
	}

	data := smallData(t)
	page := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(status)
			w.Write([]byte(body))
		}))
		t.Cleanup(s.Close)

		return s.URL
	}
	var probed atomic.Int64
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		probed.Add(1)
		<-r.Context().Done()
	}))

	t.Cleanup(func() {
		silent.Close()

		if n := probed.Load(); n != 4 {
			t.Errorf("the silent server was asked %d times by four commands", n)
		}
	})
	dead, gone := deadServer(t), deadServer(t)
	alive := serve(t, simserver.Options{})
	for name, test := range map[string]struct {
		policy, server string
		words          []string
	}{
		"dead": {"openai:sim", dead.URL(),
			[]string{"connection refused", "start the server", "--server"}},
		"dead Ollama": {"ollama:sim", dead.URL(),
			[]string{"connection refused", "start the server", "--server"}},
		"two dead": {"openai:sim", dead.URL() + "," + gone.URL(),
			[]string{"connection refused", "start the server"}},
		"dead and wrong path": {"openai:sim", dead.URL() + "," + alive.URL() + "/v2", []string{"404", "base URL"}},
		"silent":              {"openai:sim", silent.URL, []string{"does not answer within", "start the server"}},
		"silent Ollama":       {"ollama:sim", silent.URL, []string{"does not answer within", "start the server"}},
		"wrong path":          {"openai:sim", alive.URL() + "/v2", []string{"404", "base URL", "/v1"}},
		"a page": {"openai:sim", page(200, "<html><body>Welcome to nginx!</body></html>"),
			[]string{"not as a model server", "--server", "/v1"}},
		"a page, for Ollama": {"ollama:sim", page(200, "<html></html>"),
			[]string{"not as a model server", "--server"}},
		"a page of an error": {"openai:sim", page(404, "<html>404 Not Found</html>"),
			[]string{"404", "base URL", "/v1"}},
		"still loading":   {"openai:sim", page(503, "loading"), []string{"503", "wait until the server is up"}},
		"vLLM for Ollama": {"ollama:sim", alive.URL(), []string{"404", "Ollama server?"}},
		"Ollama, other model": {"ollama:other", serve(t, simserver.Options{Kind: simserver.Ollama}).URL(),
			[]string{`"other"`, "it serves sim"}},
		"no address at all": {"openai:sim", "gpu1:8000", []string{"base URL"}},
	} {
		for _, command := range []string{"collect", "eval"} {
			t.Run(command+" "+name, func(t *testing.T) {
				t.Parallel()
				out := filepath.Join(t.TempDir(), "run")

				var r result
				inTime(t, command, 30*time.Second, func() {
					r = cliOf(t, 0, "", nil, command, "--data", data, "--out", out,
						"--policy", test.policy, "--server", test.server)
				})

				if r.code != exitGaveUp && name != "no address at all" || r.code == exitDone || r.out != "" {
					t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
				}

				says(t, command, r.err, test.words...)

				if left := files(t, out); len(left) > 0 {
					t.Errorf("it left %v", left)
				}
			})
		}
	}
}

// One of two servers does not answer: the run says so and goes on with the other, and its
// trajectories are those of a run on that one alone.
func TestOneServerDoesNotAnswer(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()

	for _, kind := range []string{kindOpenAI, kindOllama} {
		o := simserver.Options{
			Kind:  map[string]simserver.Kind{kindOpenAI: simserver.VLLM, kindOllama: simserver.Ollama}[kind],
			Slots: 16,
		}
		good, dead := serve(t, o), deadServer(t)

		args := []string{"collect", "--data", data, "--policy", kind + ":sim", "--limit", "1", "--trees", "1",
			"--preset", "paper",
			"--set", "search.simulations=2", "--set", "server.window=32768", "--run-id", "one", "--engine", "unsafe"}
		alone := filepath.Join(dir, kind+"-alone")
		undisturbed(t, append(slices.Clip(args), "--server", calmServer(t, kind), "--out", alone)...)

		for name, servers := range map[string]string{
			"second": good.URL() + "," + dead.URL(),
			"first":  dead.URL() + "," + good.URL(),
		} {
			run := filepath.Join(dir, kind+name)

			r := cli(t, append(slices.Clip(args), "--server", servers, "--out", run)...)
			if r.code != exitDone {
				t.Fatalf("exit %d\n%s", r.code, r.err)
			}

			says(t, "collect", r.err, "server does not answer, using the others", dead.URL())

			if !bytes.Equal(read(t, filepath.Join(alone, rowsFile)), read(t, filepath.Join(run, rowsFile))) {
				t.Errorf("%s, %s: the trajectories differ", kind, name)
			}
		}
	}
}

// A server that lists no models may have this one all the same.
func TestServerWithoutAList(t *testing.T) {
	t.Parallel()
	s := serve(t, simserver.Options{})
	unlisted := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			http.NotFound(w, r)
			return
		}

		s.ServeHTTP(w, r)
	}))
	t.Cleanup(unlisted.Close)

	for _, form := range []string{"few-shot", "chat"} {
		args := []string{"eval", "--data", smallData(t), "--limit", "1", "--api", "p_c", "--server", unlisted.URL,
			"--set", "server.window=32768", "--set", "server.form=" + form}
		must(t, append(args, "--policy", "openai:sim", "--out", filepath.Join(t.TempDir(), "run"))...)
		fails(t, exitGaveUp, []string{"404", "other"},
			append(args, "--policy", "openai:other", "--out", filepath.Join(t.TempDir(), "run"))...)
	}
}

// reader is what a command writes for people; a function hears all of it so far, and whatever is
// added.
type reader struct {
	mu   sync.Mutex
	text bytes.Buffer
	hear func(text string)
}

func (r *reader) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()

	r.text.Write(p)
	r.hear(r.text.String())
	return len(p), nil
}

// A server dies after thirty questions and comes back when the run has said that it waits: it is
// said once, the run goes on by itself, and nothing of it is in the result.
func TestServerDiesAndComesBack(t *testing.T) {
	t.Parallel()

	for _, kind := range []string{kindOpenAI, kindOllama} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()

			o := simserver.Options{
				Kind:  map[string]simserver.Kind{kindOpenAI: simserver.VLLM, kindOllama: simserver.Ollama}[kind],
				Slots: 16,
			}
			args := []string{"collect", "--data", smallData(t), "--trees", "1", "--preset", "paper", "--set",
				"search.simulations=3",
				"--policy", kind + ":sim", "--limit", "2", "--set", "server.window=32768", "--run-id", "down",
				"--progress", "none", "--engine", "unsafe"}
			calm, dir := filepath.Join(t.TempDir(), "calm"), filepath.Join(t.TempDir(), "run")
			undisturbed(t, append(args, "--server", calmServer(t, kind), "--out", calm)...)
			o.Faults.Script = append(make([]simserver.Fault, 30), simserver.Die)
			s := serve(t, o)
			var revived error
			once := sync.OnceFunc(func() { revived = s.Revive() })
			words := &reader{hear: func(text string) {
				if strings.Contains(text, "server is not answering, waiting for it") {
					once()
				}
			}}
			var out bytes.Buffer

			a := on(words)
			a.Out, a.Environ = &out, modulesHere()
			a.backoff, a.probe, a.open, a.attack = soon, time.Minute, openShared, attackedOnce

			if code := a.run(context.WithoutCancel(t.Context()),
				append(args, "--server", s.URL(), "--out", dir)); code != exitDone || revived != nil {
				t.Fatalf("exit %d, revived: %v\n%s", code, revived, words.text.String())
			}

			text := words.text.String()
			if strings.Count(text, "server is not answering") != 1 || strings.Count(text, "server is back") != 1 {
				t.Errorf("it is not said once:\n%s", text)
			}

			if !bytes.Equal(read(t, filepath.Join(calm, rowsFile)), read(t, filepath.Join(dir, rowsFile))) {
				t.Error("the trajectories differ")
			}

			if s.Stats().Faults[simserver.Die] != 1 {
				t.Error("it did not die")
			}
		})
	}
}

// A server that stays away longer than the patience ends the run with what to do; what it answered
// is kept.
func TestServerStaysAway(t *testing.T) {
	t.Parallel()
	s := serve(t, simserver.Options{Faults: simserver.Faults{Script: append(make([]simserver.Fault, 40),
		simserver.Die)}})
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"collect", "--data", smallData(t), "--trees", "1", "--preset", "paper", "--set",
		"search.simulations=4", "--set", "attempts=1",
		"--policy", "openai:sim", "--limit", "2", "--set", "server.window=32768", "--progress", "none", "--patience",
		"0s", "--out", dir}

	r := cli(t, append(args, "--server", s.URL())...)
	if r.code != exitGaveUp || r.out != "" {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
	}

	// Whether the first call that fails finds a connection cut or none at all is up to the
	// operating system.
	says(t, "collect", r.err, "has not answered since", s.URL()+"/v1: transient: Post", "--resume --out",
		"--server "+s.URL(), "--patience 0s")

	if n := logged(t, dir); n < 30 {
		t.Errorf("%d calls are kept", n)
	}

	if err := s.Revive(); err != nil {
		t.Fatal(err)
	}

	must(t, append(args, "--server", s.URL(), "--resume")...)

	if c := document[toolevo.CheckedTrees](t, made(t, "check", dir, "--data", smallData(t), "--json")); !c.Complete {
		t.Errorf("%+v", c)
	}
}

func TestServingFlags(t *testing.T) {
	t.Parallel()
	for _, flags := range []string{"--timeout 0s", "--timeout -1s", "--patience -1s", "--parallel 0",
		"--timeout soon"} {
		r := cli(t, append([]string{"collect", "--policy", "openai:m", "--out", filepath.Join(t.TempDir(), "run")},
			strings.Fields(flags)...)...)
		if r.code != exitUsage || !strings.Contains(r.err, strings.Fields(flags)[0]) {
			t.Errorf("%s: exit %d\n%s", flags, r.code, r.err)
		}
	}
}

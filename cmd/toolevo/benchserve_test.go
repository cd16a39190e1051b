package main

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/mcts/policy/simserver"
)

// listener is a process that serves on a free port until it is interrupted.
type listener struct {
	t     *testing.T
	cmd   *exec.Cmd
	out   bytes.Buffer
	words *bufio.Reader
	said  string // on its first line
	url   string
}

func benchServe(t *testing.T, environ []string, args ...string) *listener {
	t.Helper()
	return startServing(t, environ, append([]string{"bench", "serve"}, args...)...)
}

// startServing starts a command that serves, and returns once it has said where.
func startServing(t *testing.T, environ []string, args ...string) *listener {
	t.Helper()
	s := &listener{t: t, cmd: program(t, append(args, "--listen", "127.0.0.1:0")...)}
	s.cmd.Env = append(s.cmd.Env, environ...)
	s.cmd.Stdout = &s.out

	words, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}

	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
	})

	// A run, or a start that takes long, is announced first.
	for s.words = bufio.NewReader(words); s.url == ""; s.url = listening.FindString(s.said) {
		if s.said, err = s.words.ReadString('\n'); err != nil {
			t.Fatalf("after %q: %v", s.said, err)
		}
	}
	return s
}

// interrupt sends Ctrl-C and returns all that it wrote.
func (s *listener) interrupt() (out, said string) {
	s.t.Helper()

	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		s.t.Fatal(err)
	}

	rest, err := io.ReadAll(s.words)
	if err != nil {
		s.t.Fatal(err)
	}

	if err := s.cmd.Wait(); err != nil {
		s.t.Fatalf("it ended with %v\n%s", err, rest)
	}
	return s.out.String(), s.said + string(rest)
}

// A run against the server is counted: what it was asked, what it made go wrong, and for how long
// its slots were in use.
func TestBenchServe(t *testing.T) {
	t.Parallel()
	data := smallData(t)
	for _, protocol := range []string{"vllm", "ollama"} {
		t.Run(protocol, func(t *testing.T) {
			s := benchServe(t, nil, "--protocol", protocol, "--model", "toy", "--slots", "4", "--latency", "1ms",
				"--faults", "500=0.1", "--json")

			kind, address := "openai", s.url+"/v1"
			if protocol == "ollama" {
				kind, address = "ollama", s.url
			}

			run := document[toolevo.Collected](t, must(t, "collect", "--json", "--data", data, "--policy", kind+":toy",
				"--server", address, "--difficulty", "easy", "--limit", "2", "--preset", "paper", "--set",
				"server.layout=stable", "--set", "search.simulations=3", "--trees", "1",
				"--out", filepath.Join(t.TempDir(), "run")))
			out, said := s.interrupt()
			says(t, "bench serve", said, "toy", "Try, in another terminal", "--policy "+kind+":toy --server "+address,
				"Ctrl-C")

			r := document[serveReport](t, out)
			if r.URL != s.url || r.Protocol != protocol || r.Slots != 4 || r.Speed != 1 {
				t.Errorf("%+v", r)
			}

			if failed := r.Faults[simserver.InternalError]; failed == 0 || r.Requests != r.Answered+failed ||
				len(r.Faults) != 1 {
				t.Errorf("%d requests, %d answered, faults %v", r.Requests, r.Answered, r.Faults)
			}

			perRequest := map[string]int{"vllm": 5, "ollama": 1}[protocol]

			drawn := perRequest * r.Answered
			// The first answer is to a greeting; an expansion draws five samples.
			if int64(drawn) != int64(perRequest)+5*run.Asked {
				t.Errorf("%d answers to %d expansions", r.Answered, run.Asked)
			}

			if r.Sequences != drawn || r.Completed != r.Sequences || r.Aborted != 0 {
				t.Errorf("%d sequences, %d completed, of %d answers", r.Sequences, r.Completed, r.Answered)
			}

			if r.MaxRunning > 4 || !(r.SlotsBusy > 0 && r.SlotsBusy <= 1) || r.Seconds <= 0 || r.PrefixReused < 0.9 ||
				r.ProcessorSeconds <= 0 {
				t.Errorf("%+v", r)
			}

			if n := len(r.Timeline); n == 0 || r.Timeline[n-1].Completed != r.Completed {
				t.Errorf("the timeline ends otherwise: %+v", r.Timeline)
			}
		})
	}
}

func TestBenchServeText(t *testing.T) {
	t.Parallel()
	s := benchServe(t, []string{"OPENAI_API_KEY=sesame"}, "--require-key", "--wrong", "missing-model")
	for key, want := range map[string]int{"": http.StatusUnauthorized, "sesame": http.StatusOK} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/models", nil)
		if err != nil {
			t.Fatal(err)
		}

		request.Header.Set("Authorization", "Bearer "+key)

		reply, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}

		text, _ := io.ReadAll(reply.Body)
		reply.Body.Close()

		if reply.StatusCode != want || want == http.StatusOK && !strings.Contains(string(text), "another-model") {
			t.Errorf("with the key %q: %s, %s", key, reply.Status, text)
		}
	}

	out, said := s.interrupt()
	if out != "no requests came in\n" || strings.Contains(said, "sesame") {
		t.Errorf("%q\n%s", out, said)
	}

	says(t, "bench serve", said, "OPENAI_API_KEY")

	r := serveReport{
		Counts: simserver.Counts{
			Requests: 12, Answered: 10, Rejected: 1, Reloads: 2,
			PromptTokens: 123_456_789, PromptTokensRead: 12_345_678, CompletionTokens: 1_234_567,
		},
		Slots:        4,
		SlotsBusy:    0.987,
		Cut:          3,
		PrefixReused: 0.5,
		Faults:       map[simserver.Fault]int{simserver.Hang: 1, simserver.Garbage: 4},
	}
	says(t, "bench serve", r.text(), "busy 98.7 %", "12, 10 answered", "cached          50.0 %", "fault garbage   4",
		"fault hang      1", "1 requests turned away",
		"2, because", "3 connections", "12345678 of them read")

	for line := range strings.Lines(r.text()) {
		if len(line) > 81 {
			t.Errorf("a line of %d columns: %s", len(line)-1, line)
		}
	}
}

func TestBenchServeRefuses(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()

	fails(t, exitGaveUp, []string{"in use", "--listen"}, "bench", "serve", "--listen", taken.Addr().String())

	for _, tt := range []struct{ args, words string }{
		{"--protocol tgi", "vllm, ollama"},
		{"--policy openai:gpt", "scripted:reader"},
		{"--policy scripted:gpt", "noisy, oracle, reader, stale"},
		{"--faults hang", "want KIND=RATE,… or one rate"},
		{"--faults 1.5", "one rate from 0 to 1"},
		{"--faults hang=often", "hang=0.01"},
		{"--faults hang=0.1,hang=0.2", "hang twice"},
		{"--faults smoke=0.1", "garbage"},
		{"--faults hang=0.6,500=0.6", "at most 1"},
		{"--wrong tired", "ignore-n"},
		{"--speed 0.0000001 --slots -1", "at least 0"},
		{"--speed -1", "more than 0"},
		{"--speed 0", "more than 0"},
		{"--window 0", "--window 0"},
		{"--latency -1s", "--latency -1s: want at least 0"},
		{"--down-for -1s", "--down-for -1s: want at least 0"},
		{"--retry-after -1s", "--retry-after -1s: want at least 0"},
		{"--drip-every -1s", "--drip-every -1s: want at least 0"},
		{"--kv-tokens -1", "--kv-tokens -1: want at least 0"},
		{"--kv-tokens 9 --prompt-per-slot", "--kv-tokens 9: want 0 with --prompt-per-slot"},
		{"--require-key", "OPENAI_API_KEY is not set"},
		{"extra", "toolevo bench serve"},
	} {
		fails(t, exitUsage, []string{tt.words},
			append([]string{"bench", "serve", "--listen", "127.0.0.1:0"}, strings.Fields(tt.args)...)...)
	}
}

func TestParseRates(t *testing.T) {
	t.Parallel()
	even, err := parseRates([]string{"0.3"})
	if err != nil {
		t.Fatal(err)
	}

	total := 0.0
	for _, rate := range even {
		total += rate
	}

	if _, flaps := even[simserver.Flap]; math.Abs(total-0.3) > 1e-9 || flaps || even[simserver.Hang] == 0 {
		t.Errorf("a rate for all is %v", even)
	}

	some, err := parseRates([]string{"500=0.25", "die=0.001"})
	if diff := cmp.Diff(map[simserver.Fault]float64{simserver.InternalError: 0.25, simserver.Die: 0.001},
		some); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}

	if none, err := parseRates(nil); err != nil || len(none) != 0 {
		t.Errorf("%v, %v", none, err)
	}
}

// Busy until a moment counts what came before it and nothing after, moments between two of the
// timeline too.
func TestBusyUntil(t *testing.T) {
	t.Parallel()
	r := serveReport{Slots: 10, Timeline: []serveMoment{{1, 5, 0}, {2, 15, 0}, {3, 25, 0}, {9, 25, 0}}}
	for seconds, want := range map[float64]float64{0: 0, 1: 0.5, 2: 0.75, 2.5: 0.8, 9: 25. / 90} {
		if got := r.busyUntil(seconds); math.Abs(got-want) > 1e-9 {
			t.Errorf("until %v s: %v, want %v", seconds, got, want)
		}
	}
}

// busyUntil is the share of the slot-time in use up to a number of seconds after the first request.
func (r *serveReport) busyUntil(seconds float64) float64 {
	var before serveMoment
	for _, m := range r.Timeline {
		if m.Seconds >= seconds && m.Seconds > before.Seconds {
			share := (seconds - before.Seconds) / (m.Seconds - before.Seconds)
			before.Busy += share * (m.Busy - before.Busy)
			break
		}

		before = m
	}

	if seconds <= 0 {
		return 0
	}
	return before.Busy / seconds / float64(r.Slots)
}

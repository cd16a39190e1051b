package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"toolevo/mcts/policy/simserver"
)

// hangs waits until nothing moves: the server holds back every request, and the run waits for them.
func hangs(t *testing.T, p *process, s *simserver.Server) {
	t.Helper()

	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()

	for {
		select {
		case <-p.ended:
			t.Fatalf("it ended too soon: exit %d\n%s", p.wait(), p.err)
		case <-poll.C:
			if st := s.Stats(); st.Waiting > 0 && st.Running == 0 {
				return
			}
		}
	}
}

// pausing starts a server in front of another one, which it has hold back the nth request for a
// completion and all after it.
func pausing(t *testing.T, s *simserver.Server, n int) (url string) {
	t.Helper()

	var asked atomic.Int64
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isCompletion(r.URL.Path) && asked.Add(1) == int64(n) {
			s.Pause()
		}

		s.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL
}

// untilAnswered returns true once the server has answered n requests, and false when the process
// ended before. It costs less than process.until, which opens the run each time.
func (p *process) untilAnswered(s *simserver.Server, n int) bool {
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()

	for {
		select {
		case <-p.ended:
			return false
		case <-poll.C:
			if s.Stats().Answered >= n {
				return true
			}
		}
	}
}

// TestInterruptedWhileServersHang sends SIGINT twice while the server answers nothing: the program
// waits for the answers after the first and ends within three seconds of the second, the server
// sees its clients go, and the command printed goes on without asking again what was answered.
func TestInterruptedWhileServersHang(t *testing.T) {
	t.Parallel()
	data, calms := smallData(t), t.TempDir()
	type wholeRun struct {
		dir      string
		requests int
	}
	known := map[string]wholeRun{} // by command and kind of server

	for _, test := range []struct {
		name, command, kind string
	}{
		{"vLLM", "collect", kindOpenAI}, {"Ollama", "collect", kindOllama}, {"evaluation", "eval", kindOpenAI},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := simserver.Options{
				Kind:  map[string]simserver.Kind{kindOpenAI: simserver.VLLM, kindOllama: simserver.Ollama}[test.kind],
				Slots: 16,
			}
			args := []string{test.command, "--data", data, "--policy", test.kind + ":sim", "--limit", "2", "--set",
				"server.window=32768", "--run-id", "interrupted", "--progress", "none", "--engine", "unsafe"}

			result := reportJSON
			if test.command == "collect" {
				args, result = append(args, "--preset", "paper", "--trees", "1", "--set", "search.simulations=3"),
					rowsFile
			}

			whole, ok := known[test.command+test.kind]
			if !ok {
				whole.dir = filepath.Join(calms, test.name)
				s := serve(t, o)
				undisturbed(t, append(args, "--server", s.URL(), "--out", whole.dir)...)
				whole.requests = s.Stats().Requests
				known[test.command+test.kind] = whole
			}

			calm, dir := whole.dir, filepath.Join(t.TempDir(), "run")

			s := serve(t, o)

			url := pausing(t, s, whole.requests/4)
			p := start(t, append(args, "--server", url, "--out", dir)...)
			hangs(t, p, s)
			waiting := s.Stats().Waiting

			p.interrupt(t)

			if s.Stats().Waiting < waiting {
				t.Errorf("after the first, %d of %d calls are waited for", s.Stats().Waiting, waiting)
			}

			took := inTime(t, "the end after a second Ctrl-C", 3*time.Second, func() {
				_ = p.Process.Signal(os.Interrupt)
				p.wait()
			})

			if code := p.wait(); code != exitInterrupted {
				t.Fatalf("exit %d\n%s", code, p.err)
			}

			says(t, test.command, p.err.String(), "everything so far is kept", "--resume --out "+dir,
				"--server "+url)

			if took < overdue { // one that takes longer is cut off, and counts no more
				says(t, test.command, p.err.String(), "given up by us")
			}

			answered := logged(t, dir)
			if answered == 0 || answered >= logged(t, calm) {
				t.Errorf("%d calls were answered, of %d: the test shows nothing", answered, logged(t, calm))
			}

			gone(t, s, waiting)
			asked := s.Stats().Requests
			s.Resume()

			if next := printed(t, p.err.String()); next.wait() != exitDone {
				t.Fatalf("the command printed fails: %s", next.err)
			}

			if string(read(t, filepath.Join(calm, result))) != string(read(t, filepath.Join(dir, result))) {
				t.Error("the result differs from that of an uninterrupted run")
			}

			if got, want := sampled(t, dir), sampled(t, calm); got != want {
				t.Errorf("%d samples in the log, %d in that of an uninterrupted run", got, want)
			}
			// Of Ollama's five requests for a call the first may have been answered.
			if got, want := logged(t, dir), logged(t, calm); test.kind == kindOpenAI &&
				got != want {
				t.Errorf("%d calls in the log, %d in that of an uninterrupted run", got, want)
			}
			// What was in flight is asked again, and nothing else is: for Ollama all five samples
			// of a call, of which each of the four trees has one. The second start greets the
			// server, too.
			again, most := s.Stats().Requests-whole.requests-1, asked-answered-1
			if test.kind == kindOllama {
				most = 5 * 4
			}

			if again > most || test.kind == kindOpenAI && again < most {
				t.Errorf("%d requests were made again, of %d; %d calls had been answered", again, asked, answered)
			}
		})
	}
}

// TestInterruptedWhileServersAnswer sends SIGINT once while calls are being answered: no call is
// made any more, those finish and are logged, and nothing is asked twice when the run goes on.
func TestInterruptedWhileServersAnswer(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()
	calm, run := filepath.Join(dir, "calm"), filepath.Join(dir, "run")
	args := []string{"collect", "--data", data, "--policy", "openai:sim", "--limit", "2", "--set",
		"server.window=32768", "--progress", "none", "--engine", "unsafe",
		// one call at a time
		"--preset", "paper", "--trees", "1", "--set", "search.simulations=3", "--run-id", "answered", "--parallel", "5"}
	s := serve(t, simserver.Options{Slots: 4})
	undisturbed(t, append(args, "--server", s.URL(), "--out", calm)...)

	whole := s.Stats().Requests
	s = serve(t, simserver.Options{Slots: 4})

	p := start(t, append(args, "--server", pausing(t, s, whole/4), "--out", run)...)
	hangs(t, p, s)
	p.interrupt(t)

	asked := s.Stats().Requests
	s.Resume()

	if code := p.wait(); code != exitInterrupted {
		t.Fatalf("exit %d\n%s", code, p.err)
	}

	says(t, "collect", p.err.String(), "everything so far is kept", "--resume --out "+run)

	if st := s.Stats(); st.Requests != asked || st.Aborted > 0 {
		t.Errorf("%d requests after the interruption, %d sequences given up, want none", st.Requests-asked, st.Aborted)
	}

	before := logged(t, run)
	if next := printed(t, p.err.String()); next.wait() != exitDone {
		t.Fatalf("the command printed fails: %s", next.err)
	}

	if string(read(t, filepath.Join(calm, rowsFile))) != string(read(t, filepath.Join(run, rowsFile))) {
		t.Error("the trajectories differ from those of an uninterrupted run")
	}

	if total := logged(t, run); total != logged(t, calm) || before >= total {
		t.Errorf("%d calls in the log, %d of them before the interruption; uninterrupted %d", total, before,
			logged(t, calm))
	}
}

// gone waits until the server has seen that nobody listens to so many sequences any more.
func gone(t *testing.T, s *simserver.Server, sequences int) {
	t.Helper()

	deadline := time.NewTimer(10 * time.Minute)
	defer deadline.Stop()

	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()

	for s.Stats().Aborted < sequences || s.Stats().Waiting > 0 {
		select {
		case <-deadline.C:
			t.Fatalf("%d sequences were given up and %d wait, want %d and none", s.Stats().Aborted, s.Stats().Waiting,
				sequences)
		case <-poll.C:
		}
	}
}

// A tree that is cancelled takes its requests with it, while the process lives on.
func TestCancelledTreesCloseTheirRequests(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{kindOpenAI, kindOllama} {
		s := serve(t, simserver.Options{Kind: map[string]simserver.Kind{kindOpenAI: simserver.VLLM,
			kindOllama: simserver.Ollama}[kind]})
		s.Pause()

		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		ended := make(chan int)

		go func() {
			a := on(io.Discard)
			a.Environ, a.open, a.attack = modulesHere(), openShared, attackedOnce
			ended <- a.run(ctx, []string{"collect", "--data", smallData(t), "--policy", kind + ":sim", "--server",
				s.URL(), "--limit", "2", "--trees", "1",
				"--set", "server.window=32768", "--progress", "none", "--out", filepath.Join(t.TempDir(), "run")})
		}()

		poll := time.NewTicker(5 * time.Millisecond)
		defer poll.Stop()

		for s.Stats().Waiting == 0 {
			select {
			case code := <-ended:
				t.Fatalf("it ended too soon: exit %d", code)
			case <-poll.C:
			}
		}

		waiting := s.Stats().Waiting

		cancel()

		if code := <-ended; code != exitInterrupted {
			t.Errorf("exit %d", code)
		}

		gone(t, s, waiting)
	}
}

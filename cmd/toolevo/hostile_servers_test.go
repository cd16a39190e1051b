package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"toolevo/mcts/policy/simserver"
)

// spoiledShare is the share of answers that a campaign spoils.
const spoiledShare = 0.3

// spoiler is a server in front of a simulated one, and spoils answers to requests for completions.
type spoiler struct {
	next http.Handler
	kind string

	mu     sync.Mutex
	choose func(asked int, body []byte) *mode // the mode of a request; nil leaves the answer as it is
	asked  int
	met    map[string]int // spoiled answers, by mode
}

func (s *spoiler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !isCompletion(r.URL.Path) {
		s.next.ServeHTTP(w, r)
		return
	}

	// Read to its end, so that a client that goes away is noticed.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}

	r.Body = io.NopCloser(bytes.NewReader(body))

	s.mu.Lock()
	s.asked++

	m := s.choose(s.asked, body)
	if m != nil {
		s.met[m.name]++
	}
	s.mu.Unlock()

	if m == nil {
		s.next.ServeHTTP(w, r)
		return
	}

	good := httptest.NewRecorder()
	s.next.ServeHTTP(good, r)

	if good.Code != http.StatusOK {
		w.WriteHeader(good.Code)
		_, _ = w.Write(good.Body.Bytes())
		return
	}

	m.spoil(&spoiledAnswer{w: w, r: r, kind: s.kind, body: good.Body.Bytes()})
}

// spoilServer starts a spoiler in front of a server.
func spoilServer(t *testing.T, next http.Handler, kind string,
	choose func(asked int, body []byte) *mode) (*spoiler, string) {
	t.Helper()

	s := &spoiler{next: next, kind: kind, choose: choose, met: map[string]int{}}
	front := httptest.NewServer(s)
	t.Cleanup(front.Close)
	return s, front.URL
}

// some spoils a share of the answers, each in one of the modes.
func some(random *rand.Rand, modes ...mode) func(int, []byte) *mode {
	return func(int, []byte) *mode {
		if random.Float64() >= spoiledShare {
			return nil
		}
		return &modes[random.IntN(len(modes))]
	}
}

// modesOf are the modes of a kind of server: those that a client can tell and a run survives, or
// the others.
func modesOf(kind string, detected bool) (all []mode) {
	for _, m := range spoilingModes() {
		if detected != (m.ends || m.lies) && (m.kinds == nil || slices.Contains(m.kinds, kind)) {
			all = append(all, m)
		}
	}

	return all
}

// quick are the modes that take no time of their own.
func quick(modes []mode) []mode {
	return slices.DeleteFunc(slices.Clone(modes), func(m mode) bool { return m.slow })
}

// campaignServer starts the simulated server of a kind, and returns it with the arguments of a
// small run on it, but for the server and the folder.
func campaignServer(t *testing.T, kind string) (s *simserver.Server, args []string) {
	t.Helper()

	speaks := map[string]simserver.Kind{kindOpenAI: simserver.VLLM, kindOllama: simserver.Ollama}
	s = serve(t, simserver.Options{Kind: speaks[kind], Slots: 64})
	return s, []string{
		"collect", "--data", smallData(t), "--policy", kind + ":sim", "--limit", "2", "--trees", "1", "--preset",
		"paper",
		"--set", "search.simulations=2", "--set", "server.window=32768", "--set", "attempts=1", "--parallel", "64",
		"--run-id", "spoiled", "--progress", "none", "--engine", "unsafe",
	}
}

// TestHostileServers spoils 30 % of the answers of a server. In modes that a client can tell, the
// run ends with the bytes of one that nothing disturbed. Where it may end early, it ends with those
// bytes on a good server. In no mode does a text of the mode's stand in an export.
func TestHostileServers(t *testing.T) {
	t.Parallel()

	for _, kind := range []string{kindOpenAI, kindOllama} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			random := campaignRandom(t)

			detected, others := modesOf(kind, true), modesOf(kind, false)
			if n := len(detected) + len(others); n < 110 {
				t.Errorf("%d modes, want at least 110", n)
			} else {
				t.Logf("%d modes", n)
			}

			s, args := campaignServer(t, kind)
			clean := filepath.Join(t.TempDir(), "clean")
			undisturbed(t, append(slices.Clip(args), "--server", calmServer(t, kind), "--out", clean)...)
			c := campaign{kind: kind, server: s, args: args, clean: read(t, filepath.Join(clean, rowsFile))}

			t.Run("all together", func(t *testing.T) { c.run(t, random, quick(detected)...) })

			alone := slices.Concat(detected, others)
			if os.Getenv("TOOLEVO_HOSTILE") == "" {
				alone = []mode{others[random.IntN(len(others))]}
			}

			for _, m := range alone {
				t.Run(m.name, func(t *testing.T) { c.run(t, random, m) })
			}
		})
	}
}

// campaign is what the runs on spoiled servers of a kind have in common.
type campaign struct {
	kind   string
	server *simserver.Server
	args   []string
	clean  []byte // the rows of an undisturbed run
}

// run makes one run on a server that spoils answers in some modes.
func (c campaign) run(t *testing.T, random *rand.Rand, modes ...mode) {
	dir := t.TempDir()
	run, exported := filepath.Join(dir, "run"), filepath.Join(dir, "export")
	front, url := spoilServer(t, c.server, c.kind, some(random, modes...))
	began := time.Now()

	timeout, patience := "10s", "1m"
	if len(quick(modes)) == 0 {
		timeout, patience = "1s", "5s" // which bounds what a server may ask us to wait, too
	}

	r := cli(t, append(slices.Clip(c.args), "--server", url, "--timeout", timeout, "--patience", patience, "--out",
		run)...)

	mayEnd := slices.ContainsFunc(modes, func(m mode) bool { return m.ends })
	if r.code != exitDone && !(mayEnd && r.code == exitGaveUp) {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}

	control := func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }
	if strings.ContainsFunc(r.err, control) || len(r.err) > 50_000 {
		t.Errorf("%d bytes were said, or control characters: %.2000q", len(r.err), r.err)
	}

	if r.code != exitDone || mayEnd { // a tree that was given up is asked for again
		args := append(slices.Clip(c.args), "--server", c.server.URL(), "--out", run)
		if exists(filepath.Join(run, "run.json")) {
			args = append(args, "--resume")
		}

		if r := cli(t, args...); r.code != exitDone {
			t.Fatalf("going on with a good server: exit %d\n%s", r.code, r.err)
		}
	}

	lies := slices.ContainsFunc(modes, func(m mode) bool { return m.lies })
	if !lies && !bytes.Equal(c.clean, read(t, filepath.Join(run, rowsFile))) {
		t.Error("the trajectories differ from those of an undisturbed run")
	}
	// Where a mode lies, there may be nothing left to export.
	if r := cli(t, "export", run, "--out", exported); r.code != exitDone && !(lies && r.code == exitBad) {
		t.Errorf("export: exit %d\n%s", r.code, r.err)
	}

	for _, path := range files(t, exported) {
		if bytes.Contains(read(t, path), []byte(marker)) {
			t.Errorf("%s holds a text of the mode's", filepath.Base(path))
		}
	}

	met := 0
	for _, n := range front.met {
		met += n
	}

	t.Logf("%d of %d answers spoiled, exit %d, %v", met, front.asked, r.code, time.Since(began).Round(time.Millisecond))
}

// TestHostileRepliesAndCtrlC interrupts a run while a server's replies are read that take long: the
// second Ctrl-C ends it within three seconds.
func TestHostileRepliesAndCtrlC(t *testing.T) {
	t.Parallel()

	names := []string{
		"body: very many choices", "a gzip bomb", "body: an object of brackets", "body: a long field",
		"spaces without an end", "hanging in the middle",
	}

	modes := modesOf(kindOpenAI, true)
	for _, name := range names[:rounds(2, len(names))] {
		m := modes[slices.IndexFunc(modes, func(m mode) bool { return m.name == name })]
		t.Run(m.name, func(t *testing.T) {
			s, args := campaignServer(t, kindOpenAI)
			reading := make(chan struct{})
			var once sync.Once
			_, url := spoilServer(t, s, kindOpenAI, func(asked int, _ []byte) *mode {
				if asked < 10 {
					return nil
				}

				once.Do(func() { close(reading) })
				return &m
			})

			p := start(t, append(args, "--server", url, "--out",
				filepath.Join(t.TempDir(), "run"))...)
			select {
			case <-reading:
			case <-p.ended:
				t.Fatalf("it ended too soon: exit %d\n%s", p.wait(), p.err)
			}

			_ = p.Process.Signal(os.Interrupt)

			for text := ""; text != "ended" && !strings.Contains(text, "Press Ctrl-C again"); {
				select {
				case text = <-p.err.saw:
				case <-p.ended:
					text = "ended"
				}
			}

			inTime(t, "the end after a second Ctrl-C", 3*time.Second, func() {
				_ = p.Process.Signal(os.Interrupt)
				p.wait()
			})

			if code := p.wait(); code != exitInterrupted {
				t.Errorf("exit %d\n%s", code, p.err)
			}
		})
	}
}

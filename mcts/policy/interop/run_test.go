package interop

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// program is toolevo, and what it needs to reach a server.
type program struct {
	path, policy, data string
	settings           []string
	environment        []string
	proxy              *proxy
	enough             int // requests after which some calls are answered and some are not
	diagnosis          diagnosis
	prefixes           func() (hit, queried float64) // tokens, since the server started; nil if it does not say
	patience           time.Duration                 // for one command, in place of patience
}

// proxy stands between toolevo and a server: it counts the completions answered, and can keep back
// further ones.
type proxy struct {
	forward *httputil.ReverseProxy

	mu       sync.Mutex
	answered int             // completions since reset
	allowed  int             // completions answered before the others are kept back; below 0 is all
	kept     chan struct{}   // closed when the first is kept back
	asked    map[string]bool // the requests since reset
	before   map[string]bool // those before it
	again    int             // requests since reset that were made before it, too
}

func newProxy(t *testing.T, server string) (*proxy, string) {
	t.Helper()

	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}

	p := &proxy{forward: httputil.NewSingleHostReverseProxy(target)}
	p.forward.ErrorLog = log.New(io.Discard, "", 0) // clients that give up
	p.reset(-1)
	front := httptest.NewServer(p)

	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
	})
	return p, front.URL
}

// reset restarts the counting. From now on so many completions are answered.
func (p *proxy) reset(allowed int) {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.answered, p.allowed, p.kept = 0, allowed, make(chan struct{})
	p.before, p.asked, p.again = p.asked, map[string]bool{}, 0
}

func (p *proxy) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.answered
}

// repeated is how many requests since reset were made before it, too.
func (p *proxy) repeated() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.again
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body) // whole: only then is it seen that the client gives up
	if err != nil {
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))

	if req.Method == http.MethodPost && !p.admit(string(body)) {
		<-req.Context().Done()
		return
	}

	p.forward.ServeHTTP(w, req)
}

func (p *proxy) admit(body string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.allowed >= 0 && p.answered >= p.allowed {
		select {
		case <-p.kept:
		default:
			close(p.kept)
		}

		return false
	}
	p.answered++
	p.asked[body] = true
	if p.before[body] {
		p.again++
	}

	return true
}

func (p *program) command(ctx context.Context, arguments ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, p.path, arguments...)
	c.Env = append(os.Environ(), p.environment...)
	return c
}

// ends runs toolevo to its end, wants the exit code, and returns what it prints, and what it says
// beside that.
func (p *program) ends(t *testing.T, code int, arguments ...string) (out, said string) {
	t.Helper()
	var printed, complaints bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), cmp.Or(p.patience, patience))
	defer cancel()
	c := p.command(ctx, arguments...)
	c.Stdout, c.Stderr = &printed, &complaints
	err := c.Run()

	t.Logf("toolevo %s\n%s", strings.Join(arguments, " "), tail(complaints.String()))

	if c.ProcessState == nil || c.ProcessState.ExitCode() != code {
		t.Fatalf("%v, want exit status %d: %s", err, code, tail(printed.String()))
	}
	return printed.String(), complaints.String()
}

// run runs toolevo to its end, wants it to succeed, and decodes what it prints. It returns what it
// says beside that.
func (p *program) run(t *testing.T, into any, arguments ...string) string {
	t.Helper()

	out, said := p.ends(t, 0, arguments...)
	if into != nil {
		if err := json.Unmarshal([]byte(out), into); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}

	return said
}

// tail is the end of a long text, without what a terminal would not show any more.
func tail(text string) string {
	const length = 3000

	const erase = "\x1b[J" // from here to the end of the screen, as the progress bar does before it is drawn anew
	if at := strings.LastIndex(text, erase); at >= 0 {
		text = text[at+len(erase):]
	}

	if len(text) > length {
		text = "…" + text[len(text)-length:]
	}
	return text
}

// with are the arguments of a command that asks the model.
func (p *program) with(arguments ...string) []string {
	arguments = append(arguments, "--data", p.data, "--dataset", "coffee", "--policy", p.policy, "--json")
	return append(arguments, p.settings...)
}

// collected is what collect prints.
type collected struct {
	Questions     int `json:"questions"`
	QuestionsDone int `json:"questions_done"`
	TreesPlanned  int `json:"trees_planned"`
	TreesDone     int `json:"trees_done"`
	Unresolved    int `json:"unresolved"`
	Calls         int `json:"calls"`
	Replayed      int `json:"calls_replayed"`
	Samples       int `json:"samples"`
	Accepted      int `json:"distinct_accepted"`
}

const questions = 10 // five easy ones, five hard ones

func (c collected) verify(t *testing.T) {
	t.Helper()

	if c.Questions != questions || c.QuestionsDone != questions || c.TreesDone != c.TreesPlanned || c.Unresolved != 0 {
		t.Errorf("the run did not end: %+v", c)
	}
}

// verify wants the run to be what its log says, and to have a log.
func (p *program) verify(t *testing.T, dir string) {
	t.Helper()
	var checked struct {
		Trees    int   `json:"trees"`
		Calls    int   `json:"calls"`
		Missing  int   `json:"missing"`
		Problems []any `json:"problems"`
		Complete bool  `json:"complete"`
	}
	p.run(t, &checked, "check", dir, "--data", p.data, "--json")
	t.Logf("check: %+v", checked)

	if checked.Trees != questions || checked.Calls < questions || checked.Missing != 0 || len(checked.Problems) != 0 ||
		!checked.Complete {
		t.Errorf("check: %+v", checked)
	}
}

// openProgram builds the data, unless it is there, and returns the program, or skips the test when
// no program is named.
func openProgram(t *testing.T, p program) *program {
	t.Helper()
	p.path = setting(t, "TOOLEVO_BIN", "the Makefile")

	if p.data != "" {
		return &p
	}

	p.data = filepath.Join(t.TempDir(), "data")
	p.run(t, nil, "data", "build", "--data", p.data, "--dataset", "coffee", "--rows", "300")
	p.run(t, nil, "data", "questions", "--data", p.data, "--dataset", "coffee", "--scale", "0.1")
	return &p
}

// The searches are small: a model with random weights writes no action that a tool understands. The
// larger one takes some seconds.
var (
	small  = search(2, 2)
	larger = search(3, 8)
)

func search(depth, simulations int) []string {
	return []string{
		"--set", fmt.Sprint("search.max_depth=", depth), "--set", fmt.Sprint("search.simulations=", simulations),
		"--set", "search.samples=3", "--trees", "1", "--limit", fmt.Sprint(questions / 2),
		"--ignore-unreadable", // of a model of random weights
	}
}

// testProgram lets the program work with a server through the proxy.
func testProgram(t *testing.T, p *program) {
	// To a tiny model's tokenizer a prompt is long: with the tools of all datasets it fills the
	// window.
	p.settings = append(p.settings, "--set", "server.shots=1", "--set", "server.sampling.max_tokens=24",
		"--set", "server.prompt.tools=dataset")
	t.Run("doctor", p.testDoctor)
	t.Run("doctor unknown model", p.testDoctorUnknownModel)
	t.Run("collect", p.testCollect)
	t.Run("interrupted", p.testInterrupted)

	if p.prefixes != nil {
		t.Run("progress", p.testProgress)
	}

	t.Run("eval", p.testEval)
}

func (p *program) testCollect(t *testing.T) {
	p.proxy.reset(-1)

	dir := filepath.Join(t.TempDir(), "run")
	var c collected
	p.run(t, &c, p.with(append([]string{"collect", "--out", dir}, small...)...)...)
	t.Logf("collect: %+v, %d requests", c, p.proxy.count())
	c.verify(t)

	if c.Calls < questions || c.Samples < c.Calls || c.Replayed != 0 || p.proxy.count() < c.Calls {
		t.Errorf("%d requests for %+v", p.proxy.count(), c)
	}

	p.verify(t, dir)
}

// A run that Ctrl-C stops, while the server keeps it waiting, is resumed and ends like any other.
func (p *program) testInterrupted(t *testing.T) {
	p.proxy.reset(p.enough)

	dir := filepath.Join(t.TempDir(), "run")

	said := p.interrupt(t, p.with(append([]string{"collect", "--out", dir, "--progress", "plain"}, small...)...))
	if !strings.Contains(said, "--resume") {
		t.Errorf("it does not say how to resume: %s", tail(said))
	}

	p.proxy.reset(-1)
	var c collected
	p.run(t, &c, "collect", "--resume", "--ignore-unreadable", "--out", dir, "--data", p.data, "--json")
	t.Logf("resumed: %+v, %d requests", c, p.proxy.count())
	c.verify(t)

	if c.Replayed < 1 {
		t.Errorf("no call of the interrupted run was used: %+v", c)
	}

	p.verify(t, dir)
}

// interrupt starts toolevo, presses Ctrl-C twice when the server has fallen silent, and returns
// what it said.
func (p *program) interrupt(t *testing.T, arguments []string) string {
	t.Helper()
	c := p.command(testContext(t), arguments...)

	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}

	if err := c.Start(); err != nil {
		t.Fatal(err)
	}

	ended := make(chan struct{})
	defer close(ended)

	silent := p.proxy.kept

	go func() {
		select {
		case <-silent:
			c.Process.Signal(os.Interrupt) // it has ended already if this fails: Wait tells
		case <-ended:
		}
	}()

	var said strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")

		if strings.HasPrefix(lines.Text(), "Interrupted") {
			c.Process.Signal(os.Interrupt)
		}
	}

	err = c.Wait()

	t.Logf("toolevo %s\n%s", strings.Join(arguments, " "), tail(said.String()))

	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Fatalf("interrupted: %v, want exit status 130", err)
	}
	return said.String()
}

var cachedShare = regexp.MustCompile(`(\d+)% cached`)

// The progress line tells what share of the prompts the server found in its prefix cache: about the
// share by the server's own counters. It looks at them once a second, and begins with the first
// look.
func (p *program) testProgress(t *testing.T) {
	p.proxy.reset(-1)
	hitBefore, queriedBefore := p.prefixes()
	said := p.run(t, nil, p.with(append([]string{"collect", "--out", filepath.Join(t.TempDir(), "run"), "--progress",
		"bar"}, larger...)...)...)
	hit, queried := p.prefixes()
	want := 100 * (hit - hitBefore) / (queried - queriedBefore)

	lines := cachedShare.FindAllStringSubmatch(said, -1)
	if len(lines) == 0 {
		t.Fatalf("no line tells the share; by the server's counters it is %.0f%% of %.0f tokens", want,
			queried-queriedBefore)
	}

	got, err := strconv.ParseFloat(lines[len(lines)-1][1], 64)
	if err != nil {
		t.Fatal(err)
	}

	t.Logf("prefix cache: %.0f%% by the progress line, %.0f%% of %.0f tokens by the server's counters", got, want,
		queried-queriedBefore)

	if want < 50 || math.Abs(got-want) > 10 {
		t.Errorf("%.0f%% of the prompts were cached by the progress line, %.0f%% by the server's counters", got, want)
	}
}

func (p *program) testEval(t *testing.T) {
	p.proxy.reset(-1)
	var report struct {
		Rows []struct {
			Policy, API string
			N, Lost     int
			Official    float64
		} `json:"rows"`
	}
	p.run(t, &report, p.with("eval", "--out", filepath.Join(t.TempDir(), "run"), "--split", "test", "--api",
		"p_c,p_s_in",
		"--limit", "1", "--set", "eval.max_turns=2")...)
	t.Logf("eval: %+v, %d requests", report.Rows, p.proxy.count())

	if len(report.Rows) != 4 { // two API versions, two difficulties
		t.Errorf("%d rows", len(report.Rows))
	}

	for _, r := range report.Rows {
		if r.N != 1 || r.Lost != 0 || r.Policy != p.policy {
			t.Errorf("row %+v", r)
		}
	}

	if p.proxy.count() < len(report.Rows) {
		t.Errorf("%d requests for %d episodes", p.proxy.count(), len(report.Rows))
	}
}

func TestVLLMProgram(t *testing.T) {
	v := openVLLM(t)

	version, err := v.backend.Version(testContext(t))
	if err != nil {
		t.Fatal(err)
	}

	server, path, _ := strings.Cut(strings.TrimPrefix(v.url, "http://"), "/")
	proxy, address := newProxy(t, "http://"+server)
	testProgram(t, openProgram(t, program{
		policy: "openai:" + v.model, proxy: proxy, enough: 12,
		settings:    []string{"--set", fmt.Sprint("server.window=", v.window(t))},
		environment: []string{"OPENAI_BASE_URL=" + address + "/" + path, "OPENAI_API_KEY="},
		diagnosis:   diagnosis{version, vllmVerdicts},
		prefixes: func() (hit, queried float64) {
			m := v.metrics(t)
			return float64(m.PrefixHit), float64(m.PrefixQueried)
		},
	}))
}

func TestOllamaProgram(t *testing.T) {
	o := openOllama(t)

	version, err := o.backend.Version(testContext(t))
	if err != nil {
		t.Fatal(err)
	}

	proxy, address := newProxy(t, o.backend.Address())
	testProgram(t, openProgram(t, program{
		policy: "ollama:" + o.model, proxy: proxy, enough: 40, // a request for each sample
		// Half the window, since the doctor fills it, and this server reads slowly.
		settings:    []string{"--set", fmt.Sprint("server.window=", o.window/2), "--set", "server.logprobs=false"},
		environment: []string{"OLLAMA_HOST=" + address},
		diagnosis:   diagnosis{version, ollamaVerdicts},
	}))
}

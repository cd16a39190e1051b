package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"toolevo/envs/suite"
	"toolevo/finetune"
	"toolevo/mcts/policy/scripted"
	"toolevo/mcts/policy/simserver"
)

// serve starts a simulated server of scripted:noisy, which writes in the server's codec.
func serve(t *testing.T, o simserver.Options) *simserver.Server {
	t.Helper()

	b, err := suite.Lookup("toolqa")
	if err != nil {
		t.Fatal(err)
	}
	return serveSuite(t, b, o)
}

// deadServer returns a server that refuses every connection. Its port is bound, so that no other
// test is given it.
func deadServer(t *testing.T) *simserver.Server {
	t.Helper()

	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })

	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}

	at, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}

	s, err := simserver.New(simserver.Options{
		Address: fmt.Sprintf("127.0.0.1:%d", at.(*unix.SockaddrInet4).Port),
		Policy:  scripted.New(scripted.Profiles()[0], nil), Model: "sim",
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serveSuite is serve for the questions of a benchmark that knows them by their words.
func serveSuite(t *testing.T, b suite.Benchmark, o simserver.Options) *simserver.Server {
	t.Helper()
	return servePlans(t, b.(suite.WordPlanner).Plans(), o)
}

// servePlans is serve for questions that have these solutions.
func servePlans(t *testing.T, plans solutions, o simserver.Options) *simserver.Server {
	t.Helper()

	profile, err := scripted.ParseProfile("noisy")
	if err != nil {
		t.Fatal(err)
	}

	profile.Codec = o.Codec
	o.Policy, o.Model, o.MaxModelLen = scripted.New(profile, plans), "sim", 32768

	s, err := simserver.Start(o)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(s.Close)
	return s
}

// undisturbed makes the run that others are compared with, and returns what it wrote to stdout. The
// program makes it, as this process takes several times as long under the race detector, and grows
// the others. Both name the engine: the rows do, too.
func undisturbed(t *testing.T, args ...string) string {
	t.Helper()
	return made(t, args...)
}

// calmServer returns the URL of a simulated server of a kind that makes no faults, for undisturbed
// runs of all tests. The program itself is the server, as it is the client.
func calmServer(t *testing.T, kind string) string {
	t.Helper()

	calmServers.Lock()
	defer calmServers.Unlock()

	if url := calmServers.urls[kind]; url != "" {
		return url
	}

	speaks := map[string]simserver.Kind{kindOpenAI: simserver.VLLM, kindOllama: simserver.Ollama}[kind]
	cmd := program(t, "bench", "serve", "--listen", "127.0.0.1:0", "--slots", "16", "--protocol", string(speaks))

	words, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}

	if err != nil {
		t.Fatal(err)
	}

	calmServers.running = append(calmServers.running, cmd)

	said, err := bufio.NewReader(words).ReadString('\n')

	url := listening.FindString(said)
	if url == "" {
		t.Fatalf("bench serve says %q, %v", said, err)
	}

	calmServers.urls[kind] = url
	return url
}

var calmServers = struct {
	sync.Mutex
	urls    map[string]string // by kind
	running []*exec.Cmd
}{urls: map[string]string{}}

// closeCalmServers ends them, after all tests.
func closeCalmServers() {
	for _, cmd := range calmServers.running {
		if err := cmd.Process.Kill(); err != nil {
			fmt.Fprintln(os.Stderr, "end a server of the tests:", err)
		}

		_ = cmd.Wait() // it was killed
	}
}

func onServer(s *simserver.Server, args ...string) []string { return onURL(s.URL(), args...) }

func onURL(url string, args ...string) []string {
	return append(args, "--policy", "openai:sim", "--server", url+"/v1", "--limit", "3", "--set",
		"server.window=32768")
}

// Whatever goes wrong on the way, the trajectories are those of a run in which nothing did.
func TestFaultsLeaveNoTrace(t *testing.T) {
	t.Parallel()

	data, dir := smallData(t), t.TempDir()
	for _, form := range []string{"few-shot", "llama3", "qwen", "chat"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()

			calm, stormy := filepath.Join(dir, form+"-calm"), filepath.Join(dir, form+"-stormy")
			args := []string{"collect", "--data", data, "--trees", "2", "--preset", "efficient", "--set",
				"search.simulations=4", "--set", "server.form=" + form, "--run-id", form,
				"--engine", "unsafe"}
			if form == "chat" {
				args = append(args, "--set", "environment.codec=tools")
			}

			undisturbed(t, onURL(calmServer(t, kindOpenAI), append(args, "--out", calm)...)...)
			// A request that fails twelve times in a row is given up, with cause. With this seed
			// none does.
			s := serve(t, simserver.Options{Faults: simserver.Faults{
				Seed: 2,
				Rates: map[simserver.Fault]float64{
					simserver.InternalError: 0.1, simserver.Garbage: 0.1, simserver.Reset: 0.05,
					simserver.LostLogProbs: 0.05,
				},
			}})
			must(t, onServer(s, append(args, "--out", stormy)...)...)

			if string(read(t, filepath.Join(calm, rowsFile))) != string(read(t, filepath.Join(stormy, rowsFile))) {
				t.Error("the trajectories differ")
			}

			says(t, "check", made(t, "check", stormy, "--data", data), "0 problems")
		})
	}
}

// A server changes no figure: the scripted policy behind one scores as it does without.
func TestEvalOnAServer(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()
	args := []string{"eval", "--data", data, "--split", "train", "--json"}
	served := document[finetune.Report](t,
		must(t, onServer(serve(t, simserver.Options{}), append(args, "--out", filepath.Join(dir, "a"))...)...))

	direct := document[finetune.Report](t,
		must(t, append(args, "--policy", "scripted:noisy", "--limit", "3", "--out", filepath.Join(dir, "b"))...))
	for i, row := range served.Rows {
		if want := direct.Rows[i]; row.N != 3 || row.Official != want.Official || row.Turns != want.Turns {
			t.Errorf("%s: %v of %d in %v turns, without a server %v in %v", row.Cell, row.Official, row.N, row.Turns,
				want.Official, want.Turns)
		}
	}
}

func TestServersThatCannotServe(t *testing.T) {
	t.Parallel()
	data := smallData(t)
	dead := deadServer(t)

	locked := serve(t, simserver.Options{APIKey: "right"})
	for name, test := range map[string]struct {
		args  []string
		words []string
	}{
		"dead":      {onServer(dead), []string{"start the server", "--server"}},
		"wrong key": {onServer(locked), []string{"401", "OPENAI_API_KEY"}},
		"unknown model": {append(onServer(serve(t, simserver.Options{})), "--policy", "openai:other"),
			[]string{`"other"`, "it serves sim"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "run")
			fails(t, exitGaveUp, test.words, append([]string{"collect", "--data", data, "--out", out}, test.args...)...)

			if left := files(t, out); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
		})
	}

	s := serve(t, simserver.Options{})
	out := filepath.Join(t.TempDir(), "run")
	fails(t, exitUsage, []string{"named twice"},
		append(onServer(s, "collect", "--data", data, "--out", out), "--server", s.URL()+","+s.URL()+"/v1")...)

	if left := files(t, out); len(left) > 0 {
		t.Errorf("it left %v", left)
	}

	for _, args := range []string{"--policy openai:", "--policy gpt:4", "--policy ollama:m --set server.form=chat",
		"--policy openai:m --set server.form=mistral", "--policy openai:m --parallel none"} {
		if r := cli(t, append([]string{"collect", "--data", data, "--out", filepath.Join(t.TempDir(), "run")},
			strings.Fields(args)...)...); r.code != exitUsage {
			t.Errorf("%s: exit %d\n%s", args, r.code, r.err)
		}
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"toolevo/envs/console"
	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/simserver"
	"toolevo/mcts/store"
)

// atWork is how long a simulated server takes where time is looked at.
var atWork = simserver.Latency{PrefillPerSecond: 400_000, DecodePerSecond: 2400}

// diagnosis is what doctor --json prints.
type diagnosis struct {
	Verdict doctor.Verdict
	Machine []doctor.Check
	Servers []struct {
		Policy string
		doctor.Report
	}
}

// Quick mode says what it left out, and that is no reason to fail.
func TestQuickDoctor(t *testing.T) {
	t.Parallel()

	s := serve(t, simserver.Options{Kind: simserver.Ollama})
	args := []string{"doctor", "--data", smallData(t), "--quick", "--policy", "ollama:sim", "--server", s.URL()}

	says(t, "doctor --quick", must(t, args...), "-- not probed", "--  greedy        not probed in quick mode",
		"--  window        a prompt of", "at 1 in flight", "Nothing wrong was found by quick mode")

	if d := document[diagnosis](t, must(t, append(args, "--json")...)); d.Verdict != doctor.Skipped {
		t.Errorf("the verdict is %s", d.Verdict)
	}

	fails(t, exitUsage, []string{"of no use with --quick"}, append(args, "--side-by-side", "4")...)
}

func TestDoctorOfHealthyServers(t *testing.T) {
	t.Parallel()
	vllm := serve(t, simserver.Options{Latency: atWork})

	ollama := serve(t, simserver.Options{Latency: atWork, Kind: simserver.Ollama, Slots: 8})
	for _, args := range []string{
		"--policy openai:sim --server " + vllm.URL(),
		"--policy openai:sim --set server.form=chat --server " + vllm.URL(),
		"--policy openai:sim --config policies/llama3-8b-sft --server " + vllm.URL() + "/v1",
		"--policy ollama:sim --config policies/qwen2-7b-instruct --server " +
			strings.TrimPrefix(ollama.URL(), "http://"),
	} {
		r := cli(t, append([]string{"doctor", "--data", smallData(t)}, strings.Fields(args)...)...)

		// On a machine that is too busy to tell how fast a server is, that is what has to be said.
		want := []string{"ok  slots", "All is well."}
		code := exitDone

		if strings.Contains(r.out, "??  slots         this machine or the server is too busy") {
			want, code = []string{"Nothing wrong was found, but not everything could be looked at."}, exitBad
		}

		if r.code != code || code == exitDone && strings.Contains(r.err, "toolevo:") {
			t.Errorf("doctor %s: exit %d\n%s%s", args, r.code, r.out, r.err)
		}

		says(t, args, r.out, append(want, "ok  window", "completions an hour")...)

		for line := range strings.Lines(r.out) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > console.HelpWidth {
				t.Errorf("doctor %s: a long line: %s", args, line)
			}
		}
	}

	if st := ollama.Stats(); st.Reloads != 0 {
		t.Errorf("%d reloads", st.Reloads)
	}
}

func TestDoctorOfSickServers(t *testing.T) {
	t.Parallel()
	short := serve(t, simserver.Options{Latency: atWork, Wrong: []simserver.Misconfiguration{simserver.IgnoreN}})
	deaf := serve(t, simserver.Options{Latency: atWork, Wrong: []simserver.Misconfiguration{simserver.IgnoreStop}})
	args := []string{"doctor", "--data", smallData(t), "--policy", "openai:sim", "--json", "--server"}
	r := cli(t, append(args, short.URL())...)

	d := document[diagnosis](t, r.out)
	if r.code != exitBad || d.Verdict != doctor.Warning || len(d.Servers) != 1 || d.Servers[0].Policy != "openai:sim" ||
		d.Servers[0].Server != short.URL()+"/v1" {
		t.Errorf("exit %d, %+v", r.code, d)
	}

	r = cli(t, append(args, short.URL()+","+deaf.URL())...)

	d = document[diagnosis](t, r.out)
	if r.code != exitGaveUp || d.Verdict != doctor.Problem || len(d.Servers) != 2 {
		t.Errorf("exit %d, %+v", r.code, d)
	}

	for i, name := range []doctor.Name{doctor.Samples, doctor.Stop} {
		if c, ok := d.Servers[i].Check(name); !ok || c.Verdict == doctor.OK {
			t.Errorf("server %d: %+v", i, d.Servers[i].Checks)
		}
	}
}

func TestDoctorOfNoServer(t *testing.T) {
	t.Parallel()
	args := []string{"doctor", "--data", smallData(t)}
	r := cli(t, args...)
	if r.code != exitDone {
		t.Errorf("exit %d, %s", r.code, r.out)
	}

	says(t, "doctor", r.err, "scripted:noisy needs no server", "openai:MODEL")

	d := document[diagnosis](t, must(t, append(args, "--json")...))
	if d.Verdict != doctor.OK || len(d.Servers) != 0 || len(d.Machine) == 0 {
		t.Errorf("%+v", d)
	}

	dead := deadServer(t)
	environ := []string{"OPENAI_BASE_URL=" + dead.URL() + "/v1", "OPENAI_API_KEY=sk-very-secret",
		"TOOLEVO_POLICY=openai:sim"}

	r = cliWith(t, "", environ, args...)
	if r.code != exitGaveUp || strings.Contains(r.out+r.err, "very-secret") {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}

	says(t, "doctor", r.out, "refused", "start the server", "--server")

	for _, args := range []string{"--policy openai:", "--out /dev/null/run",
		"--policy gpt:4", "--policy ollama:m --set server.form=chat",
		"--timeout 0s", "--side-by-side 1", "engine"} {
		if r := cli(t, append([]string{"doctor"}, strings.Fields(args)...)...); r.code != exitUsage || r.out != "" {
			t.Errorf("doctor %s: exit %d\n%s%s", args, r.code, r.out, r.err)
		}
	}
}

// Ctrl-C ends an examination at once, however long a probe may take.
func TestDoctorInterrupted(t *testing.T) {
	t.Parallel()
	s := serve(t, simserver.Options{})
	s.Pause()
	p := start(t, "doctor", "--data", smallData(t), "--policy", "openai:sim", "--timeout", "10m", "--server", s.URL())

	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()

	for s.Stats().Waiting == 0 { // until the probe waits in the server
		select {
		case <-poll.C:
		case <-p.ended:
			t.Fatalf("it ended\n%s%s", p.out, p.err)
		}
	}

	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}

	if code := p.wait(); code != exitInterrupted {
		t.Errorf("exit %d\n%s%s", code, p.out, p.err)
	}

	says(t, "doctor", p.err.String(), "interrupted")
	says(t, "doctor", p.out.String(), "ok  servers")
}

// What collect refuses to begin with, doctor finds under the same arguments.
func TestDoctorFindsWhatCollectRefuses(t *testing.T) {
	t.Parallel()

	s := serve(t, simserver.Options{})
	taken := strings.TrimPrefix(s.URL(), "http://")
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")

	for _, test := range []struct {
		args  []string
		check doctor.Name // that finds it; "" where nothing is wrong
	}{
		{[]string{"--limit", "1", "--trees", "1", "--workers", "2", "--progress", "none"}, ""},
		{[]string{"--data", t.TempDir()}, doctor.Data},
		{[]string{"--policy", "scripted:oracle"}, doctor.Settings},
		{[]string{"--set", "training.tokenizer=" + file}, doctor.Data},
		{[]string{"--metrics", taken}, doctor.Logs},
		{[]string{"--log-file", filepath.Join(file, "log")}, doctor.Logs},
		{[]string{"--policy", "openai:another"}, doctor.Servers},
		{[]string{"--policy", "openai:sim", "--set", "python.modules=numpy,nosuchmodule"}, doctor.Python},
	} {
		args := append([]string{"--data", smallData(t), "--server", s.URL(), "--policy", "scripted:noisy", "--out",
			filepath.Join(t.TempDir(), "run"), "--set", "attempts=1"}, test.args...)

		r := cli(t, append([]string{"doctor", "--json"}, args...)...)
		d := document[diagnosis](t, r.out)
		i := slices.IndexFunc(d.Machine, func(c doctor.Check) bool { return c.Verdict != doctor.OK })

		if (i >= 0) != (test.check != "") || i >= 0 && d.Machine[i].Name != test.check {
			t.Errorf("doctor %v: %+v\n%s", test.args, d.Machine, r.err)
		}

		if r = cli(t, append([]string{"collect"}, args...)...); (r.code == exitDone) != (test.check == "") {
			t.Errorf("collect %v: exit %d\n%s", test.args, r.code, r.err)
		}
	}
}

// chatOnly is a server of the model sim, which writes actions in a chat alone, and knows one
// answer.
func chatOnly(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			N    int
			Stop []string
		}

		if r.Method != http.MethodPost {
			io.WriteString(w, `{"object":"list","data":[{"id":"sim"}]}`)
			return
		}

		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}

		chat := strings.HasSuffix(r.URL.Path, "/chat/completions")
		said := "I would look at the rows of the table that you mean."

		if chat {
			said = "Thought: I know it.\nAction: Finish\nAction Input: {\"answer\": \"1\"}"
		}

		for _, stop := range q.Stop {
			said, _, _ = strings.Cut(said, stop)
		}

		text, _ := json.Marshal(said)
		choices := make([]string, max(q.N, 1))

		for i := range choices {
			choices[i] = fmt.Sprintf(`{"index":%d,"text":%s,"finish_reason":"stop"}`, i, text)
			if chat {
				choices[i] = fmt.Sprintf(`{"index":%d,"message":{"content":%s},"finish_reason":"stop"}`, i, text)
			}
		}

		fmt.Fprintf(w, `{"model":"sim","choices":[%s],"usage":{"prompt_tokens":300,"completion_tokens":9}}`,
			strings.Join(choices, ","))
	}))
	t.Cleanup(s.Close)
	return s
}

// doctor --write finds the settings that a server needs, and a run needs nothing else.
func TestDoctorWritesSettings(t *testing.T) {
	t.Parallel()

	bare := serve(t, simserver.Options{Wrong: []simserver.Misconfiguration{simserver.NoLogProbs}})
	slots := serve(t, simserver.Options{Slots: 3, PromptPerSlot: true})

	listing := filepath.Join(t.TempDir(), "servers")
	if err := os.WriteFile(listing, []byte("#!/bin/sh\necho "+bare.URL()+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}

	config := filepath.Join(t.TempDir(), "config.yaml")
	write(t, config, "search:\n  cpuct: 1.75\nserver:\n  shots: 2\n")

	for name, test := range map[string]struct {
		url   string
		args  []string
		lines []string
	}{
		"no log-probabilities": {bare.URL(), nil, []string{"  logprobs: false\n"}},
		"servers of a command": {"command:" + listing, nil, []string{"  logprobs: false\n"}},
		"slots": {slots.URL(), []string{"--config", config, "--set", "search.simulations=2"},
			[]string{"  slots: 3\n", "  shots: 2\n"}},
		"only a chat": {chatOnly(t).URL, []string{"--set", "server.logprobs=false"},
			[]string{"  form: chat\n", "  logprobs: false\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			file := filepath.Join(t.TempDir(), "policy.yaml")
			data := smallData(t)
			r := cli(t, append([]string{"doctor", "--data", data, "--policy", "openai:sim", "--server", test.url,
				"--write", file, "--limit", "1", "--difficulty", "easy"}, test.args...)...)

			if _, err := os.Stat(file); err != nil {
				t.Fatalf("exit %d: %v\n%s%s", r.code, err, r.out, r.err)
			}

			text := string(read(t, file))
			says(t, file, text, append(test.lines, `policy: ["openai:sim"]`)...)

			_, next, _ := strings.Cut(r.err, "Next:\n  toolevo ")
			said, _, _ := strings.Cut(next, "\n")
			run := filepath.Join(t.TempDir(), "run")
			must(t, append(strings.Fields(said), "--set", "search.trees=1", "--out", run)...)
			says(t, "doctor", said, "--config "+file, "--data="+data, "--limit=1", "--difficulty=easy")
			says(t, "doctor", said+text, test.url)

			if test.args != nil && test.args[0] == "--config" {
				says(t, run, string(read(t, filepath.Join(run, store.ConfigFile))), "cpuct: 1.75",
					"simulations: 2")
			}
		})
	}

	before := string(read(t, config))
	fails(t, exitUsage, []string{"--write", config, "another file"}, "doctor", "--data",
		smallData(t), "--policy", "openai:sim", "--server", slots.URL(), "--config", config,
		"--write", config)

	if string(read(t, config)) != before {
		t.Error("the user's file is overwritten")
	}
}

// Nothing is written while a run would be wrong.
func TestDoctorWritesNothingWrong(t *testing.T) {
	t.Parallel()

	s := serve(t, simserver.Options{Wrong: []simserver.Misconfiguration{simserver.IgnoreStop}})
	file := filepath.Join(t.TempDir(), "policy.yaml")

	r := cli(t, "doctor", "--data", smallData(t), "--policy", "openai:sim", "--server", s.URL(), "--write", file)
	if r.code != exitGaveUp {
		t.Errorf("exit %d", r.code)
	}

	says(t, "doctor", r.err, "is not written")

	if _, err := os.Stat(file); err == nil {
		t.Error("it is there")
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"

	"toolevo/mcts"
	"toolevo/mcts/policy/scripted"
	"toolevo/mcts/policy/simserver"
	"toolevo/mcts/store"
	"toolevo/toolqa"
	"toolevo/toolqa/questions"
	"toolevo/trajectories/export"
)

// spell is what a terminal obeys: OSC 52 (the clipboard), CSI as one character, backspaces, a
// direction, DEL.
const spell = "\x1b]52;c;ZWNobw==\a\u009b2J\b\b\u202e\x7f\nforged\t0"

// seenAs is how the beginning of spell looks in words, and in JSON.
var seenAs = []string{`\x1b]52`, `\u001b]52`}

// TestNoCommandObeysForeignText goes through every command with hostile text from wherever text can
// come: files, models, servers, run directories, exports, arguments. All that is written is
// visible, and the text is there.
func TestNoCommandObeysForeignText(t *testing.T) {
	t.Parallel()
	d := hostile(t)
	in := func(name string) string { return filepath.Join(d.dir, name) }
	onServer := func(args ...string) []string {
		return append(args, "--data", in("data"), "--policy", "openai:sim", "--server", d.server.URL+"/v1",
			"--set", "server.window=32768", "--limit", "1")
	}
	loud := func(args ...string) []string { return append(onServer(args...), "--policy", "openai:loud") }
	id := "easy-coffee-train-0000" + spell

	post := func(operation map[string]any) any { return map[string]any{"post": operation} }

	api, err := json.Marshal(map[string]any{
		"openapi": "3.1.0", "info": map[string]string{"title": spell},
		"paths": map[string]any{
			"/things": post(map[string]any{"operationId": "add", "summary": "Adds " + spell}),
			"/images" + spell: post(map[string]any{
				"requestBody": map[string]any{"content": map[string]any{"image/png": map[string]any{}}},
			}),
		},
	})
	if err == nil {
		err = os.WriteFile(in("api.json"), api, 0o600)
	}

	if err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		args  []string
		lines bool // text of several lines, or the user's own words
		quiet bool // it has no reason to say anything of the text
	}{
		{args: []string{"inspect", in("run")}},
		{args: []string{"runs", in("runs")}},
		{args: []string{"runs", in("runs"), "--json"}},
		{args: []string{"inspect", in("run"), "--json"}},
		{args: []string{"inspect", in("run"), id}},
		{args: []string{"inspect", in("run"), id, "0"}},
		{args: []string{"inspect", in("run"), id, "0", "--json"}},
		{args: []string{"inspect", in("run"), id, "0", d.leaf}, lines: true},
		{args: []string{"inspect", in("run"), spell}},
		{args: []string{"view", in("run"), "--out", in("pages" + spell)}, lines: true},
		{args: []string{"view", in("none" + spell)}, lines: true},
		{args: []string{"report", in("run"), "--out", in("report" + spell)}, lines: true},
		{args: []string{"report", in("none" + spell)}, lines: true},
		{args: []string{"check", in("run"), "--data", in("data")}},
		{args: []string{"work", "--join", "nats://token@127.0.0.1:1/0123456789abcdef" + spell}, quiet: true},
		{args: []string{"work", "--join", spell}, quiet: true},
		{args: []string{"replay", in("run"), "--set", "search.trees=9 search.enough=9"}},
		{args: []string{"replay", in("run"), "--set", spell}},
		{
			args: []string{"branch", in("run"), id, "0", "1", "--out", in("branch" + spell), "--trees", "1", "--server",
				d.server.URL + "/v1"},
			lines: true,
		},
		{args: []string{"branch", in("run"), spell, "0", "0"}},
		{args: []string{"inspect", in("branch" + spell), id}},
		{args: []string{"check", in("export")}},
		{args: []string{"check", in("export"), "--json"}},
		{args: []string{"check", in("broken export")}},
		{args: []string{"export", in("export"), "--lint"}, quiet: true}, // its text is in the manifest alone
		{args: []string{"export", in("run"), "--partial", "--lint", "--cutoff", "10", "--show", "1",
			"--tokenizer",
			filepath.FromSlash("../../trajectories/internal/bpe/testdata/llama3.json")}},
		{
			args: []string{"finetune", in("export"), "--allow-scripted", "--recipe", "tiny",
				"--model", in("data"), "--llamafactory", in("trainer"), "--out", in("trained")},
			lines: true,
		},
		{args: []string{"finetune", in("export"), "--allow-scripted", "--recipe", spell,
			"--out", in("trained")}},
		{args: []string{"improve", in("rounds.yaml"), "--out", in("rounds"), "--skip", spell}},
		{args: []string{"improve", in("rounds.yaml"), "--out", in("rounds")}, lines: true},
		{args: []string{"data", "template", "check", in("templates.yaml"), "--data", in("data")}, lines: true},
		{args: []string{"toolbench", "import", in("queries"), "--data", in("toolbench")}},
		{args: []string{"toolbench", "import", in("none" + spell)}, lines: true},
		{args: []string{"toolbench", "convert", in("none" + spell), "--out", in("converted")}, lines: true},
		{args: []string{"toolbench", "cache", in("none" + spell), "--cache", in("answers.db")}, lines: true},
		{args: []string{"serve", "tools", "--data", in("none" + spell)}, lines: true},
		{args: []string{"tasks", "generate", "--domain", spell}},
		{args: []string{"tasks", "show", spell, "--data", in("none")}},
		{args: []string{"tasks", "verify", "--data", in("none" + spell)}, lines: true},
		{args: []string{"tasks", "instruct", "--data", in("none" + spell), "--out", in("instructed"), "--policy",
			"openai:" + spell}, lines: true},
		{args: []string{"tasks", "measure", "--domain", spell}},
		{args: []string{"tools", "import", "--data", in("own"), "--openapi", in("api.json"), "--service",
			"http://127.0.0.1:1", "--allow", "add"}},
		{args: []string{"tools", "import", "--data", in("none"), "--", "no server" + spell}, lines: true},
		{args: []string{"tools", "next", "--data", in("own"), "--openapi", in("api.json")}, quiet: true},
		{args: []string{"tools", "next", "--data", in("none" + spell), "--", "server"}, lines: true},
		{args: []string{"tools", "check", "--data", in("own"), "--dry-run"}, quiet: true},
		{args: []string{"tools", "check", "--data", in("none" + spell)}, lines: true},
		{args: []string{"tasks", "add", in("none" + spell), "--data", in("own")}, lines: true},
		{args: []string{"tasks", "make", "--data", in("none" + spell)}, lines: true},
		{args: []string{"tasks", "check", "--data", in("none" + spell)}, lines: true},
		{args: []string{"gate", spell, "p_c", "--policy", "scripted:stale", "--out", in("gate")}},
		{
			args: []string{"gate", "p_c", "p_c", "--policy", "scripted:stale", "--data", in("data"), "--limit", "1",
				"--out", in("gate" + spell)},
			lines: true,
		},
		{args: []string{"tasks", "sample", "--data", in("none" + spell), "--out", in("sample")}, lines: true},
		{args: []string{"tasks", "export", "--data", in("none" + spell), "--out", in("rows")}, lines: true},
		{args: []string{"tasks", "import", in("none" + spell), "--data", in("copied")}, lines: true},
		{args: []string{"serve", "env", "--api", "file:" + in("none"+spell)}, lines: true},
		{args: []string{"serve", "sessions", "--api", "file:" + in("none"+spell)}, lines: true},
		{args: []string{"serve", "voice", "--listen", spell}, lines: true},
		{args: []string{"mirror", "requests", "--out", in("mirror"), "--model", spell}, quiet: true},
		{args: []string{"mirror", "queries", "--out", in("mirror"), "--model", spell, "--group", "/" + spell}},
		{args: []string{"mirror", "working", "--out", in("mirror"), "--model", spell, "--real", spell}},
		{args: []string{"mirror", "judge", in("none" + spell), "--out", in("fac"), "--expert", spell}, lines: true},
		{args: []string{"mirror", "data", in("calls.jsonl"), "--out", in("mirror")}, quiet: true},
		{args: []string{"mirror", "data", in("none" + spell), "--out", in("mirror")}, lines: true},
		{args: []string{"eval", "simulator", in("cases.jsonl")}},
		{args: []string{"eval", "simulator", in("cases.jsonl"), "--format", spell}},
		{args: []string{"versions", "list", in("version.yaml")}},
		{args: []string{"versions", "show", in("version.yaml")}},
		{args: []string{"versions", "diff", "p_c", in("version.yaml")}},
		{args: []string{"versions", "diff", spell, "p_c"}},
		{args: []string{"versions", "mutate", "--policy", "openai:sim" + spell, "--server", d.server.URL + "/v1",
			"--set", "server.form=" + spell, "--out", in("mutated")}},
		{args: []string{"versions", "make", "--ops", spell, "--out", in("made")}},
		{args: []string{"versions", "validate", in("version.yaml"), in("none" + spell)}, lines: true},
		{args: []string{"versions", "make", "--from", spell, "--out", in("made")}},
		{args: []string{"export", "--allow-scripted", "--partial", in("run"),
			"--out", in("again")}, quiet: true},
		{args: []string{"export", "--allow-scripted", in("run"), "--out", in("no") + spell,
			"--split", spell}},
		{args: []string{"collect", "--data", in("data"), "--limit", "1", "--trees", "1", "--dry-run", "--dataset",
			"coffee" + spell}},
		{
			args:  loud("collect", "--trees", "1", "--out", in("collected"+spell), "--set", "search.simulations=1"),
			lines: true,
		},
		{args: append(onServer("collect", "--trees", "1", "--out", in("other")), "--policy", "openai:another")},
		{args: onServer("eval", "--api", "p_c", "--out", in("evaluated"+spell)), lines: true},
		{args: loud("eval", "--api", "p_c", "--out", in("failed"+spell), "--set", "eval.max_turns=1"), lines: true},
		{
			args: loud("analyze", "--api", "p_c,factor:response", "--out", in("analyzed"+spell), "--set",
				"eval.max_turns=1"),
			lines: true,
		},
		{args: []string{"eval", "errors", in("failed" + spell), "--sample", "3"}, lines: true},
		{args: []string{"eval", "errors", in("failed" + spell), "--sample", "3", "--json"}},
		{args: []string{"eval", "errors", in("none" + spell)}, lines: true},
		{
			args: []string{"ablate", "--data", in("data"), "--policy", "openai:loud", "--server", d.server.URL + "/v1",
				"--limit", "1", "--out", in("ablated" + spell), "--set", "eval.max_turns=1"},
			lines: true,
		},
		{
			args: []string{"eval", "drift", "--data", in("data"), "--set", "suite=toolqa", "--split", "train",
				"--policy", "openai:loud", "--server", d.server.URL + "/v1", "--set", "server.window=32768",
				"--limit", "1", "--feedbacks", "deprecation", "--perturbations", "none",
				"--out", in("drifted" + spell), "--set", "eval.max_turns=1"},
			lines: true,
		},
		{args: []string{"eval", "drift", "--perturbations", spell, "--out", in("drifted")}},
		{args: []string{"eval", "adaptation", in("failed" + spell)}, quiet: true},
		{args: []string{"eval", "adaptation", in("none" + spell)}, lines: true},
		{args: []string{"eval", "tasks", in("failed" + spell), "--out", in("figures" + spell)}, lines: true},
		{args: []string{"eval", "tasks", in("none" + spell)}, lines: true},
		{args: []string{"eval", "compare", in("failed" + spell), in("evaluated" + spell)}, lines: true},
		{args: []string{"eval", "compare", in("failed" + spell), "--json"}},
		{args: []string{"eval", "rescore", in("evaluated" + spell), "--matcher", "exact"}, quiet: true},
		{args: []string{"eval", "rescore", in("failed" + spell), "--matcher", spell}},
		{args: []string{"eval", "judge", in("evaluated" + spell), "--progress", "none"}, lines: true},
		{args: []string{"eval", "judge", in("none" + spell), "--progress", "none"}, lines: true},
		{args: []string{"eval", "compare", in("failed" + spell), "--format", "latex", "--block", spell + "=" + spell}},
		{
			args: []string{"play", "--data", in("data"), "--policy", "openai:loud", "--split", "train", "--set",
				"server.window=32768", "--transcript"},
			lines: true,
		},
		{args: []string{"play", "--data", in("data"), "--question", spell}},
		{args: []string{"doctor", "--data", in("data"), "--policy", "openai:another", "--server",
			d.server.URL + "/v1"}},
		{args: []string{"doctor", "--data", in("data"), "--policy", "openai:another", "--server",
			d.server.URL + "/v1", "--json"}},
		{args: []string{"doctor", "sandbox", "--engine", "forkserver" + spell, "--short"}},
		{args: []string{"data", "verify", "--data", in("data")}},
		{args: []string{"data", "verify", "--data", in("data"), "--json"}},
		{args: []string{"data", "gold", "--data", in("data"), "--dataset", spell}},
		{
			args: []string{"data", "import", "--data", in("new"), "--corpus", in("no corpus" + spell), "--questions",
				in("none")},
			lines: true,
		},
		{args: []string{"data", "build", "--data", in("new"), "--dataset", spell}},
		{args: []string{"data", "questions", "--data", in("nothing" + spell)}, lines: true},
		{args: []string{"bench", "serve", "--policy", spell}, lines: true},
		{args: []string{"demo", "--out", in("data"), spell}},
		{args: []string{"version", spell}},
		{args: []string{spell}},
		{args: []string{"completion", "bash"}, quiet: true},
		{args: []string{"help", spell}, quiet: true},
	} {
		t.Run(strings.ReplaceAll(strings.Join(test.args, " "), spell, "SPELL"), func(t *testing.T) {
			r := cliWith(t, "", []string{"OPENAI_BASE_URL=" + d.server.URL + "/v1"}, test.args...)

			text := r.out + r.err
			for _, c := range text {
				if c != '\n' && c != '\t' && !unicode.IsGraphic(c) {
					t.Fatalf("exit %d, it wrote %U:\n%q", r.code, c, text)
				}
			}

			seen := func(s string) bool { return strings.Contains(text, s) }

			if !test.lines && strings.Contains(text, "\nforged") {
				t.Errorf("text of others begins a line:\n%s", text)
			}

			if !test.quiet && !slices.ContainsFunc(seenAs, seen) {
				t.Errorf("exit %d, the text is not there:\n%s", r.code, text)
			}
		})
	}
}

// hostileFiles are a data folder, a run and exports full of hostile text, and a server that speaks
// it.
type hostileFiles struct {
	dir    string
	server *httptest.Server
	leaf   string // a node of the first question's first tree
}

func hostile(t *testing.T) hostileFiles {
	t.Helper()
	d := hostileFiles{dir: t.TempDir(), server: hostileServer(t)}
	in := func(name string) string { return filepath.Join(d.dir, name) }
	made(t, "data", "build", "--data", in("data"), "--dataset", "coffee", "--seed", "5", "--rows", "900")
	made(t, "data", "questions", "--data", in("data"), "--seed", "5", "--scale", "0.01")

	version := string(read(t, filepath.FromSlash("../../envs/drift/testdata/made_1_000.yaml")))
	version = strings.Replace(version, "about: 'made from p_c'", `about: "`+inJSON(spell)+`"`, 1)
	write(t, in("queries/G1_x.json"), `[{"query_id": 1, "query": "q", "api_list": [], "relevant APIs": [["`+
		inJSON(spell)+`", ""]]}]`)
	write(t, in("cases.jsonl"), `{"instruction": "i", "output": "o", "predict": "p", "model": "`+inJSON(spell)+`"}`)
	write(t, in("calls.jsonl"), `{"category": "c", "tool_name": "t", "api_name": "a", "tool_input": "`+inJSON(spell)+
		`", "response": ""}`)
	write(t, in("templates.yaml"), `dataset: "tea`+inJSON(spell)+"\"\n")
	write(t, in("version.yaml"), strings.Replace(version, "version: made_1_000", `version: "made`+inJSON(spell)+`"`, 1))

	// Questions under hostile names, some with wrong answers.
	for _, split := range toolqa.Splits() {
		var all []toolqa.Question

		for _, d := range toolqa.Difficulties() {
			qs, err := questions.Read(in("data"), toolqa.Coffee, d, split)
			if err != nil {
				t.Fatal(err)
			}

			qs[0].ID += spell
			if split == toolqa.Dev {
				qs[0].Answer = "0" + qs[0].Answer
			}

			all = append(all, qs...)
		}

		if err := questions.Write(in("data"), all); err != nil {
			t.Fatal(err)
		}
	}

	// A run on them by a model that writes hostile text.
	must(t, "collect", "--data", in("data"), "--policy", "openai:sim", "--server", d.server.URL+"/v1", "--set",
		"server.window=32768",
		"--limit", "1", "--trees", "1", "--difficulty", "easy", "--out", in("run"))
	d.leaf = hostileNode(t, in("run"))
	must(t, "export", "--allow-scripted", in("run"), "--out", in("export"))

	// Files that somebody else may have written.
	run, err := store.ResumeRun(t.Context(), in("run"),
		func(_ context.Context, run *store.Run) (store.Manifest, string, error) {
			m := run.Manifest
			m.Data, m.Finished, m.Software = m.DataFolder(in("run")), nil, spell
			return m, run.Config, nil
		})
	if err := errors.Join(err, run.Close()); err != nil {
		t.Fatal(err)
	}

	edit(t, filepath.Join(in("export"), export.ManifestFile), `"version": "`, `"version": "`+inJSON(spell))

	for _, path := range files(t, in("export")) {
		write(t, filepath.Join(in("broken export"), filepath.Base(path)), string(read(t, path)))
	}

	write(t, filepath.Join(in("broken export"), "also"+spell), "")

	write(t, filepath.Join(in("runs"), "run"+spell, store.ManifestFile), "{"+spell)

	// A trainer with a loud mouth, and rounds with it.
	write(t, in("said"), spell)
	write(t, in("trainer"), "#!/bin/sh\ncat "+in("said")+"; exit 1\n")

	if err := os.Chmod(in("trainer"), 0o755); err != nil {
		t.Fatal(err)
	}

	write(t, in("rounds.yaml"), `rounds: 1
name: mine
model: `+in("data")+`
collect: {data: `+in("data")+`, limit: 1, trees: 1, difficulty: easy, policy: "scripted:noisy", set: [search.simulations=1]}
export: {split: train, allow-scripted: true}
train: {command: [`+in("trainer")+`], result: nowhere}
servers: {ollama: {kind: ollama, wait: 1}}
evaluate: {servers: [ollama]}
`)

	return d
}

// hostileNode returns a node of the run whose text is hostile.
func hostileNode(t *testing.T, dir string) string {
	t.Helper()

	run, err := store.OpenRun(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()

	tree, ok, err := run.LoadTree(t.Context(), "easy-coffee-train-0000"+spell, 0)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}

	for id, n := range tree.Nodes {
		if strings.Contains(n.Action, spell) {
			return string(inNumber(id))
		}
	}

	t.Fatal("the model wrote no hostile text")
	return ""
}

func inNumber(n int) []byte { text, _ := json.Marshal(n); return text }

func inJSON(s string) string {
	text, _ := json.Marshal(s)
	return string(text[1 : len(text)-1])
}

func write(t *testing.T, path, text string) {
	t.Helper()

	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func edit(t *testing.T, path, old, text string) {
	t.Helper()

	before := string(read(t, path))
	if !strings.Contains(before, old) {
		t.Fatalf("%s has no %s:\n%s", path, old, before)
	}

	write(t, path, strings.ReplaceAll(before, old, text))
}

// hostileServer serves a model that writes hostile text; of others it says in a hostile way that it
// does not have them.
func hostileServer(t *testing.T) *httptest.Server {
	t.Helper()

	profile, err := scripted.ParseProfile("reader")
	if err != nil {
		t.Fatal(err)
	}

	scripted := scripted.New(profile, questions.Plan)

	sims := map[string]*simserver.Server{}
	for name, model := range map[string]mcts.Policy{"sim": spellbound{scripted, false},
		"loud": spellbound{scripted, true}} {
		sims[name], err = simserver.Start(simserver.Options{Policy: model, Model: name, MaxModelLen: 32768})
		if err != nil {
			t.Fatal(err)
		}

		t.Cleanup(sims[name].Close)
	}

	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models") {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"object":"list","data":[{"id":"sim"},{"id":"loud"},{"id":"`+inJSON(spell)+`"}]}`)
			return
		}

		sim := sims["sim"]

		switch {
		case strings.Contains(string(body), `"loud"`):
			sim = sims["loud"]
		case r.Method == http.MethodPost && !strings.Contains(string(body), `"sim"`):
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"error":{"message":"no such model `+inJSON(spell)+`"}}`)
			return
		}

		req, _ := http.NewRequestWithContext(r.Context(), r.Method, sim.URL()+r.URL.Path,
			strings.NewReader(string(body)))
		req.Header = r.Header

		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()

		w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
		w.WriteHeader(resp.StatusCode)
		io.Copy(w, resp.Body)
	}))
	t.Cleanup(s.Close)

	return s
}

// spellbound is a policy whose second sample of a question is hostile and names no tool; a loud one
// is hostile in all its thoughts.
type spellbound struct {
	mcts.Policy
	loud bool
}

func (p spellbound) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	proposals, err := p.Policy.Propose(ctx, r)
	for i := range proposals {
		if p.loud {
			proposals[i].Text = strings.Replace(proposals[i].Text, "Thought: ", "Thought: "+spell+" ", 1)
		}

		if i == 1 && r.History.Len() == 0 {
			proposals[i].Text = "Thought: " + spell + "\nAction: Load" + spell + "\nAction Input: {}"
		}
	}
	return proposals, err
}

// Every command is in the test above.
func TestEveryCommandMeetsHostileText(t *testing.T) {
	t.Parallel()
	source := string(read(t, "hostile_text_test.go"))
	var walk func(c *cobra.Command, path []string)
	walk = func(c *cobra.Command, path []string) {
		if c.Name() == "completion" || c.Name() == "help" {
			return // they show text of ours alone
		}

		if !c.HasSubCommands() {
			quoted := `"` + strings.Join(path, `", "`) + `"`
			if !strings.Contains(source, "{"+quoted) && !strings.Contains(source, "("+quoted) {
				t.Errorf("TestNoCommandObeysForeignText does not run toolevo %s", strings.Join(path, " "))
			}
		}

		for _, sub := range c.Commands() {
			walk(sub, append(slices.Clone(path), sub.Name()))
		}
	}
	walk((&app{}).root(), nil)
}

package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"toolevo/finetune"
	"toolevo/finetune/stored"
	"toolevo/mcts"
	"toolevo/mcts/policy/scripted"
	"toolevo/mcts/policy/simserver"
	"toolevo/mcts/store"
	"toolevo/toolqa/questions"
)

// narrow starts a server with a context window of its own.
func narrow(t *testing.T, kind simserver.Kind, window int) *simserver.Server {
	t.Helper()

	profile, err := scripted.ParseProfile("noisy")
	if err != nil {
		t.Fatal(err)
	}

	s, err := simserver.Start(simserver.Options{
		Policy:      scripted.New(profile, questions.Plan),
		Model:       "sim",
		Kind:        kind,
		Slots:       16,
		MaxModelLen: window,
	})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(s.Close)

	return s
}

// storedNodes are the nodes of all trees of a run.
func storedNodes(t *testing.T, dir string) (nodes []mcts.Record) {
	t.Helper()

	run, err := store.OpenRun(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()

	infos, err := stored.Questions(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}

	for _, q := range infos {
		indices, err := run.TreeIndices(t.Context(), q.ID)
		if err != nil {
			t.Fatal(err)
		}

		for _, i := range indices {
			tree, _, err := run.LoadTree(t.Context(), q.ID, i)
			if err != nil {
				t.Fatal(err)
			}

			nodes = append(nodes, tree.Nodes...)
		}
	}

	return nodes
}

// A prompt that does not fit the server's window ends its node with an outcome of its own and without a reward, and is
// counted; so are completions that max_tokens cut.
func TestContextOverflow(t *testing.T) {
	t.Parallel()

	for _, kind := range []string{kindOpenAI, kindOllama} {
		t.Run(kind, func(t *testing.T) {
			speaks := map[string]simserver.Kind{kindOpenAI: simserver.VLLM, kindOllama: simserver.Ollama}[kind]
			args := []string{"--data", smallData(t), "--policy", kind + ":sim", "--limit", "2", "--progress", "none",
				"--set", "server.form=llama3"}
			grow := append([]string{"collect", "--trees", "1", "--preset", "paper", "--set", "search.simulations=3"},
				args...)
			wide := narrow(t, speaks, 32768)
			undisturbed(t, append(grow, "--server", wide.URL(), "--set", "server.window=32768", "--engine", "unsafe",
				"--out", filepath.Join(t.TempDir(), "run"))...)
			mean := wide.Stats().PromptTokens / wide.Stats().Sequences

			// Half of the prompts fit; Ollama is asked for the window, vLLM has it.
			room, dir := mean, filepath.Join(t.TempDir(), "run")

			window := "32768"
			if kind == kindOllama {
				window = strconv.Itoa(room)
			} else {
				room += 60
			}

			s := narrow(t, speaks, room)

			r := cli(t, append(grow, "--server", s.URL(), "--set", "server.window="+window, "--set",
				"server.sampling.max_tokens=60", "--out", dir)...)
			if r.code != exitDone {
				t.Fatalf("exit %d\n%s", r.code, r.err)
			}

			ended := 0

			for _, n := range storedNodes(t, dir) {
				if n.Limit == mcts.LimitContext {
					if ended++; n.Reward != 0 || n.Visits != 0 || n.TotalValue != 0 {
						t.Errorf("a dead end has reward %v, N %d, W %v", n.Reward, n.Visits, n.TotalValue)
					}
				}
			}

			client := counted(t, dir, kind+":sim")
			if ended == 0 || client.TooLong < int64(ended) || client.Answered == 0 || client.Truncated == 0 {
				t.Errorf("%d dead ends; %d too long, %d answered, %d truncated", ended, client.TooLong, client.Answered,
					client.Truncated)
			}

			if client.Faults["too long"] != client.TooLong || client.Transient+client.Refused != 0 {
				t.Errorf("%+v %v", client.Counts, client.Faults)
			}

			says(t, "collect", r.err, "prompts beyond the context window", "cut by max_tokens")
			says(t, "check", made(t, "check", dir, "--data", smallData(t)), "0 problems")

			out := filepath.Join(t.TempDir(), "eval")
			r = cli(t, append([]string{"eval", "--json", "--split", "train", "--server", s.URL(), "--set",
				"server.window=" + window,
				"--set", "server.sampling.max_tokens=60", "--out", out}, args...)...)

			over := 0
			for _, row := range document[finetune.Report](t, r.out).Rows {
				if over += row.TooLong; row.Lost > 0 || row.TooLong+row.Silent > row.Unanswered {
					t.Errorf("%+v", row)
				}
			}

			if client := counted(t, out, kind+":sim"); over == 0 || client.TooLong != int64(over) {
				t.Errorf("%d episodes ended at the window, %d prompts were too long", over, client.TooLong)
			}

			says(t, "eval", r.err, "no longer fit the model's context window")
		})
	}
}

// A server that never answers with a text is failing: nothing of it is taken for the model's silence.
func TestOnlyEmptyCompletions(t *testing.T) {
	t.Parallel()

	for _, kind := range []simserver.Kind{simserver.VLLM, simserver.Ollama} {
		s := serve(t, simserver.Options{
			Kind:   kind,
			Slots:  16,
			Faults: simserver.Faults{Rates: map[simserver.Fault]float64{simserver.Empty: 1}},
		})
		dir, name := filepath.Join(t.TempDir(), "run"), strings.Replace(string(kind), "vllm", "openai", 1)+":sim"

		r := cli(t, "collect", "--data", smallData(t), "--trees", "2", "--preset", "paper", "--policy", name,
			"--server", s.URL(), "--limit", "2",
			"--set", "server.window=32768", "--patience", "1s", "--out", dir)
		if r.code != exitGaveUp {
			t.Fatalf("exit %d\n%s", r.code, r.err)
		}

		says(t, "collect", r.err, "has not given a reply of use since", "--resume")

		if nodes := storedNodes(t, dir); len(nodes) > 0 || logged(t, dir) > 0 {
			t.Errorf("%d calls and %d nodes were made of nothing", logged(t, dir), len(nodes))
		}

		if c := counted(t, dir, name); c.Empty != c.Completions || c.Silent != 0 {
			t.Errorf("%+v", c.Counts)
		}
	}
}

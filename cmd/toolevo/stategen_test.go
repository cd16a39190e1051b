package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/envs/stategen/taskfile"
	"toolevo/finetune"
	"toolevo/trajectories/export"

	stategensuite "toolevo/envs/stategen/bench"
)

// ofStateGen are the arguments of a command about the generated tasks.
func ofStateGen(t *testing.T, args ...string) []string {
	return append(args, "--data", smallData(t), "--set", "suite=stategen", "--progress", "none", "--split", "train")
}

// Generated tasks are collected from and exported like questions of any suite, in text, in function
// calls and in native ones, the same bytes each time.
func TestStateGen(t *testing.T) {
	t.Parallel()

	for codec, role := range map[string]string{
		"react": export.GPT, "function-call": export.FunctionCall, "tools": export.FunctionCall,
	} {
		t.Run(codec, func(t *testing.T) {
			t.Parallel()

			dir := t.TempDir()
			run, again, exported := filepath.Join(dir, "run"), filepath.Join(dir, "again"), filepath.Join(dir, "export")

			for _, out := range []string{run, again} {
				must(t, ofStateGen(t, "collect", "--api", "p_s_in", "--policy", "scripted:noisy", "--limit", "2",
					"--set", "environment.codec="+codec, "--set", "server.prompt.tools=dataset", "--run-id", "x",
					"--out", out)...)
			}

			if !bytes.Equal(read(t, filepath.Join(run, rowsFile)), read(t, filepath.Join(again, rowsFile))) {
				t.Error("the same command gives other rows")
			}

			says(t, "check", must(t, "check", run), "0 problems")
			must(t, "export", "--allow-scripted", run, "--out", exported)
			says(t, "check", must(t, "check", exported), "0 faulty, 0 problems")

			for sample, err := range export.Read(exported, false) {
				// A first reply may be one that cannot be read, which is a text; the last one is
				// the answer.
				turns := sample.Conversations
				first, last := turns[1].From, turns[len(turns)-1].From

				if err != nil || last != role || first != role && first != export.GPT {
					t.Fatalf("%v: a sample with the turns %v", err, sample.Conversations)
				}

				if strings.Contains(sample.Conversations[0].Value, "transpose") &&
					strings.Contains(sample.Conversations[0].Value, "add_session") {
					t.Error("a prompt lists the tools of two services")
				}
			}
		})
	}
}

// Who is told of the version solves every task, who calls what the prompt lists none but where
// nothing has changed, and who follows notices nearly all of those: what a version asks for can be
// learnt from them.
func TestStateGenUnderDrift(t *testing.T) {
	t.Parallel()

	made, eval := filepath.Join(t.TempDir(), "made"), filepath.Join(t.TempDir(), "eval")
	must(t, "versions", "make", "--suite", "stategen", "--data", smallData(t), "--count", "20", "--out", made)
	text := must(t, ofStateGen(t, "eval", "--policy", "scripted:oracle,scripted:reader,scripted:stale", "--api",
		"p_c,p_s_in,p_s_ood,file:"+filepath.Join(made, "*.yaml"), "--out", eval, "--json")...)

	total := 0.0
	solved := map[string]float64{}

	for _, row := range document[finetune.Report](t, text).Rows {
		solved[row.Policy+" "+row.API] += row.Official * float64(row.N)

		if row.Policy == "scripted:stale" && row.API == "p_c" {
			total += float64(row.N)
		}
	}

	for _, api := range []string{"p_c", "p_s_in", "p_s_ood", "made"} {
		stale := 0.0
		if api == "p_c" {
			stale = total
		}

		if solved["scripted:oracle "+api] != total || solved["scripted:stale "+api] != stale {
			t.Errorf("%s: of %v tasks are solved: %v", api, total, solved)
		}
	}

	drifted := min(solved["scripted:reader p_s_in"], solved["scripted:reader p_s_ood"], solved["scripted:reader made"])
	if solved["scripted:reader p_c"] != total || drifted < 0.97*total {
		t.Errorf("who reads notices: of %v tasks are solved: %v", total, solved)
	}

	says(t, "check", must(t, "check", eval), "0 problems")
}

// Who writes programs gets no notice: who would read one does as one who does not. A program is one
// turn of a task with all its cases, and no tree grows from it.
func TestStateGenInCode(t *testing.T) {
	t.Parallel()

	eval := filepath.Join(t.TempDir(), "eval")
	inCode := []string{"--set", "environment.codec=python", "--limit", "1"}
	text := must(t, append(ofStateGen(t, "eval", "--policy", "scripted:oracle,scripted:reader,scripted:stale",
		"--api", "p_c,p_s_in", "--out", eval, "--json"), inCode...)...)

	for _, row := range document[finetune.Report](t, text).Rows {
		want := 1.0
		if row.API != "p_c" && row.Policy != "scripted:oracle" {
			want = 0
		}

		if row.N == 0 || row.Official != want {
			t.Errorf("%s under %s: %v of %d tasks, want %v", row.Policy, row.API, row.Official, row.N, want)
		}
	}

	says(t, "check", must(t, "check", eval), "0 problems")
	says(t, "eval tasks", must(t, "eval", "tasks", eval), "execution")
	fails(t, exitUsage, []string{"by itself"}, "eval", "tasks", eval, eval)

	fails(t, exitUsage, []string{"environment.codec: python", "evaluate with python"},
		append(ofStateGen(t, "collect", "--policy", "scripted:reader"), inCode...)...)
}

// A run over generated tasks that is killed goes on to the same files, be it a collection or an
// evaluation.
func TestStateGenIsKilled(t *testing.T) {
	t.Parallel()

	for command, of := range map[string]struct{ args, files []string }{
		"collect": {
			[]string{"--api", "p_s_in", "--preset", "paper", "--trees", "4", "--limit", "2"}, []string{rowsFile},
		},
		"eval": {[]string{"--policy", "scripted:reader,scripted:stale,scripted:oracle"}, []string{
			"report.json", "report.md", "episodes.jsonl", "episodes.parquet",
		}},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()

			dir := t.TempDir()
			whole, killed := filepath.Join(dir, "whole"), filepath.Join(dir, "killed")
			into := func(out string) []string {
				return ofStateGen(t, append([]string{command, "--run-id", "x", "--out", out}, of.args...)...)
			}
			made(t, into(whole)...)

			// It is over in less than a second, so that one may end before it is killed.
			all := logged(t, whole)
			for tries, n := 1, all; n == all; tries, n = tries+1, logged(t, killed) {
				if err := os.RemoveAll(killed); err != nil || tries > 20 {
					t.Fatal("it ended 20 times before it was killed, or its folder stays: ", err)
				}

				p := start(t, into(killed)...)
				p.until(t, killed, all/5)
				_ = p.Process.Kill() // it may have ended
				p.wait()
			}

			made(t, command, "--resume", "--out", killed, "--progress", "none")
			says(t, "check", must(t, "check", killed), "0 problems")

			for _, name := range of.files {
				if !bytes.Equal(read(t, filepath.Join(whole, name)), read(t, filepath.Join(killed, name))) {
					t.Errorf("what was killed has another %s", name)
				}
			}
		})
	}
}

// Tasks are generated once, shown, and verified; what is wrong is told.
func TestTasks(t *testing.T) {
	t.Parallel()

	data := t.TempDir()
	text := must(t, "tasks", "generate", "--data", data, "--domain", "session", "--n", "12", "--split", "dev", "--json")
	made := document[stategensuite.Generated](t, text)

	if len(made.Domains) != 1 || made.Domains[0].Tasks != 12 || made.Path != taskfile.Path(data, "dev") {
		t.Errorf("generated %+v", made)
	}

	says(t, "tasks generate", must(t, "tasks", "generate", "--data", data, "--domain", "session", "--n", "12",
		"--split", "dev"), "12 tasks, 0 of them new")
	says(t, "tasks verify", must(t, "tasks", "verify", "--data", data), "dev: 12 tasks of session", "0 problems")

	shown := must(t, "tasks", "show", "session-1-00002/if", "--data", data)
	says(t, "tasks show", shown, "session-1-00002  session, dev", "RESULT", "requests.")

	document := document[stategensuite.Shown](t, must(t, "tasks", "show", "session-1-00002", "--data", data, "--json"))
	if document.Split != "dev" ||
		!bytes.Contains(document.Task, []byte(`"session-1-00002"`)) || !strings.Contains(shown, document.Source) {
		t.Errorf("shown as JSON: %+v", document)
	}

	fails(t, exitUsage, []string{"session-2-00000"}, "tasks", "show", "session-2-00000", "--data", data)
	fails(t, exitUsage, []string{`no case "or"`}, "tasks", "show", "session-1-00002/or", "--data", data)
	fails(t, exitUsage, []string{"toolevo tasks generate"}, "tasks", "verify", "--data", t.TempDir())
	fails(t, exitUsage, []string{"argmax, k2, uniform"}, "tasks", "generate", "--selector", "best", "--data", data)
	fails(t, exitUsage, []string{"session"}, "tasks", "generate", "--domain", "sessions", "--data", data)
	fails(t, exitUsage, []string{"twice"}, "tasks", "generate", "--domain", "voice,voice", "--data", data)
	fails(t, exitUsage, []string{"toolevo tasks generate"}, "eval", "--data", data, "--set",
		"suite=stategen", "--out", filepath.Join(data, "eval"))

	path := taskfile.Path(data, "dev")
	write(t, path, strings.Replace(string(read(t, path)), `"result":`, `"results":`, 1))

	fails(t, exitBad, []string{"is damaged"}, "tasks", "verify", "--data", data)
}

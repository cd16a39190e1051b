package bench

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/dynamic"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/sandboxtest"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/stateeval"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
)

func TestMain(m *testing.M) {
	confine.Main()
	os.Exit(m.Run())
}

// graders run programs of others on an engine.
func graders(t testing.TB, e sandbox.Engine) func(string) (*code.Grader, error) {
	t.Helper()

	all, err := Catalog(stategen.Paper)
	if err != nil {
		t.Fatal(err)
	}

	v, err := all.Version(base)
	if err != nil {
		t.Fatal(err)
	}
	return func(domain string) (*code.Grader, error) {
		d, err := domains.Of(&stategen.Program{Domain: domain, APIs: stategen.Paper})
		return &code.Grader{Surface: code.Surface{Domain: d, Base: v, Deployed: v}, Engine: e}, err
	}
}

// rows returns the rows of a file of testdata.
func rows(t testing.TB, path string) (all []stateeval.Row) {
	t.Helper()

	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	err = stateeval.Read(file, func(r stateeval.Row) error {
		if n, ok := stateeval.Number(path); ok {
			r.ExampleID = n
		}

		all = append(all, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	return all
}

// choiceOf is that of a data folder with these tasks.
func choiceOf(t testing.TB, codec string, tasks ...*stategen.Task) suite.Choice {
	t.Helper()

	data := t.TempDir()

	folder, err := taskfile.Edit(data, suite.Splits())
	if err != nil {
		t.Fatal(err)
	}

	for _, task := range tasks {
		if _, err := folder.Add("test", task); err != nil {
			t.Fatal(err)
		}
	}

	if err := errors.Join(folder.Commit(), folder.Close()); err != nil {
		t.Fatal(err)
	}
	return suite.Choice{
		Data: data, Split: "test", Prompt: base, Environment: dynamic.Settings{UpdateTool: true, Codec: codec},
	}
}

// The rows of testdata are written by hand from the format's facts; they are not published.
const published = "../stateeval/testdata/"

// Rows of every scenario become tasks, in both published forms: what they ask for can be played
// turn by turn and as a program, under any version, and is right only where it comes to what the
// row says.
func TestPublishedRows(t *testing.T) {
	t.Parallel()

	e := sandboxtest.Engine(t)
	of := graders(t, e)

	for file, cases := range map[string]int{
		"session-april.json": 2, "session-december.json": 2, "voice.json": 1, "tensor-april.json": 2,
		"tensor-december.json": 2,
	} {
		t.Run(file, func(t *testing.T) {
			row := rows(t, published+file)[0]
			row.Prompt = "Do " + file

			task, err := stateeval.Play(t.Context(), of, row)
			if err != nil {
				t.Fatal(err)
			}

			if len(task.Cases) != cases || task.Instruction.Text != row.Prompt {
				t.Errorf("%d cases, the instruction %q", len(task.Cases), task.Instruction.Text)
			}

			turnByTurn(t, task)
			asProgram(t, e, task)
		})
	}
}

// turnByTurn plays a task by who knows the version, by who knows the first one alone, and by who
// guesses.
func turnByTurn(t *testing.T, task *stategen.Task) {
	t.Helper()

	s := open(t, choiceOf(t, "", task))
	rng := rand.New(rand.NewPCG(1, 2))

	for _, version := range []string{base, "p_s_in", "p_s_ood"} {
		env := environmentOf(t, s, version)

		knows := func(so envs.History, call envs.Call) envs.Call {
			lifted, err := envs.Lift(env, so, call)
			if err != nil {
				t.Error(err)
			}
			return lifted
		}
		guesses := func(envs.History, envs.Call) envs.Call {
			return finish([]any{nil, true, stategen.Number(rng.Float64()), "user_variable_0"}[rng.IntN(4)])
		}

		for _, one := range s.Tasks() {
			if last, _ := play(t, s, env, one, knows); last.Reward != 1 {
				t.Errorf("%s: %s: %s", version, one.ID, last.Turn.Observation)
			}

			if last, _ := play(t, s, env, one, as); (last.Reward == 1) != (version == base) {
				t.Errorf("%s, by the calls of %s: %s: %s", version, base, one.ID, last.Turn.Observation)
			}

			if last, _ := play(t, s, env, one, guesses); last.Reward == 1 {
				t.Errorf("%s: %s: a guess is right", version, one.ID)
			}
		}
	}
}

// asProgram answers a task with the row's program, lifted, and with one that does nothing.
func asProgram(t *testing.T, e sandbox.Engine, task *stategen.Task) {
	t.Helper()

	s, err := StateGen{}.Open(t.Context(), choiceOf(t, "python", task))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	s.(suite.Sandboxed).UseEngine(e)

	one := s.Tasks()[0]

	plan, ok := s.(suite.Planner).Plan(one.Question)
	if !ok {
		t.Fatal("no plan")
	}

	_, call, err := plan(nil)
	if err != nil {
		t.Fatal(err)
	}

	if program, _ := call.Args.Text("answer"); program != task.Program.Python {
		t.Errorf("the reference is not the row's program:\n%s", program)
	}

	for _, version := range []string{base, "p_s_in", "p_s_ood"} {
		env := environmentOf(t, s, version)

		state, err := env.Reset(t.Context(), one)
		if err != nil {
			t.Fatal(err)
		}

		lifted, err := envs.Lift(env, state.History(), call)
		if err != nil {
			t.Fatal(err)
		}

		nothing := envs.Finish("RESULT = 1")
		for said, want := range map[*envs.Call]float64{&lifted: 1, &nothing: -1} {
			last, err := env.Step(t.Context(), state, envs.Action(action.Python{}.Format("", *said)))
			if err != nil || last.Reward != want {
				t.Errorf("%s: the reward is %v, want %v: %s, error %v", version, last.Reward, want,
					last.Turn.Observation, err)
			}
		}
	}
}

// A row of which no task comes says why.
func TestUnplayableRows(t *testing.T) {
	t.Parallel()

	of := graders(t, sandboxtest.Engine(t))

	for name, tt := range map[string]struct{ file, old, by, reason string }{
		"another RESULT": {"voice.json", `"duration": 8.0`, `"duration": 9.0`, "RESULT is"},
		"another call":   {"voice.json", `"Emma"`, `"Sofia"`, "the calls leave"},
		"another state":  {"session-april.json", `"lab||group": [`, `"lab||settings": [`, "the calls leave"},
		"a failure":      {"tensor-april.json", "torch.cat(", "torch.stack(", "there is no API 'stack'"},
		"no literal":     {"tensor-april.json", `user_constant_0 = `, `user_constant_0 = torch`, "declares no variable"},
		"no tensor":      {"tensor-april.json", `"<f4"`, `"<c8"`, `the dtype "<c8" is not known`},
	} {
		text, err := os.ReadFile(published + tt.file)
		if err != nil {
			t.Fatal(err)
		}

		changed := strings.ReplaceAll(string(text), tt.old, tt.by)
		if changed == string(text) {
			t.Errorf("%s: %q is not in %s", name, tt.old, tt.file)
		}

		path := filepath.Join(t.TempDir(), tt.file)
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}

		_, err = stateeval.Play(t.Context(), of, rows(t, path)[0])

		var none *stateeval.Unplayable
		if !errors.As(err, &none) || !strings.Contains(none.Reason, tt.reason) {
			t.Errorf("%s: error %v, want one with %q", name, err, tt.reason)
		}
	}
}

// Of the files that the published generator wrote at least 92 % come to what they say; see
// envs/stategen/interop.
func TestRowsOfTheGenerator(t *testing.T) {
	folder := os.Getenv("TOOLEVO_STATEEVAL")
	if folder == "" {
		t.Skip("TOOLEVO_STATEEVAL names no folder with evaluator_N.json of the published generator")
	}

	of := graders(t, sandboxtest.Engine(t))
	all, passed := map[string]int{}, map[string]int{}

	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if _, ok := stateeval.Number(path); err != nil || !ok {
			return err
		}

		all[filepath.Dir(path)]++

		_, err = stateeval.Play(t.Context(), of, rows(t, path)[0])

		var none *stateeval.Unplayable
		if errors.As(err, &none) {
			t.Logf("%s: %v", path, none)
			return nil
		}

		passed[filepath.Dir(path)]++
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	for dir, n := range all {
		t.Logf("%s: %d of %d", dir, passed[dir], n)

		if 100*passed[dir] < 92*n {
			t.Errorf("%s: %d of %d rows pass their own cases, want 92 %%", dir, passed[dir], n)
		}
	}
}

// The instruction of a row is what its agents agreed on, in either form, or its prompt; without
// either it is its program.
func TestInstructionOfRows(t *testing.T) {
	t.Parallel()

	of := graders(t, sandboxtest.Engine(t))

	for name, tt := range map[string]struct {
		prompt, agents  string
		variables, text string
	}{
		"agents": {"a prompt", `{"generator_messages": [{"content": "a draft"}, {"content":
			"{\"user_variable_definitions\": \"It is a text.\", \"task_instructions\": \"Say it.\"}"}]}`,
			"It is a text.", "Say it."},
		"older agents": {"a prompt", `{"generator_messages": [{"content": "Say it."}]}`, "", "Say it."},
		"a prompt":     {"a prompt", "", "", "a prompt"},
		"none":         {"", "", "", "Do what this Python program does"},
	} {
		row := rows(t, published+"voice.json")[0]
		row.Prompt, row.AgentData = tt.prompt, tt.agents

		task, err := stateeval.Play(t.Context(), of, row)
		if err != nil {
			t.Fatal(err)
		}

		got := task.Instruction
		if got.Variables != tt.variables || !strings.HasPrefix(got.Text, tt.text) {
			t.Errorf("%s: variables %q, text %q", name, got.Variables, got.Text)
		}
	}
}

package bench

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/pytext"
	"toolevo/envs/remote"
	"toolevo/envs/remote/remotetest"
	"toolevo/envs/suite"
)

func quiet(int, int) {}

// What is made is right, cannot be told from the question, and no split has what another one has.
func TestMadeTasksAreTasks(t *testing.T) {
	t.Parallel()

	data := orders(t)

	made := MadeTasks{}
	for split, seed := range map[string]uint64{"train": 1, "test": 2} {
		m := making{count: 10, calls: 3}

		var err error
		if made, err = m.run(t.Context(), data, split, seed, quiet); err != nil || made.Added != 10 {
			t.Fatalf("%s: %+v, %v", split, made, err)
		}
	}

	checked, err := checkTasks(t.Context(), data, false, steps())
	if err != nil || checked.Played != 44 || len(checked.Problems) > 0 {
		t.Fatalf("%+v, %v", checked, err)
	}

	asked, left := map[string]string{}, 0

	for _, split := range []string{"train", "test"} {
		tasks, err := readSplit(data, split)
		if err != nil {
			t.Fatal(err)
		}

		for _, task := range tasks {
			if other := asked[task.Question]; other != "" {
				t.Errorf("%s and %s ask %q", other, task.ID, task.Question)
			}

			asked[task.Question] = task.ID

			if task.Dataset == "made" && task.Difficulty == "writes" {
				left += len(task.After)
			}
		}
	}

	if left < 2 {
		t.Errorf("what %d tasks have left is asked of the tools, want at least 2", left)
	}

	needed := slices.DeleteFunc(made.Tools, func(u UsedTool) bool { return u.Tasks == 0 })
	if len(needed) < 6 {
		t.Errorf("the tasks need %+v, want most of the ten tools", needed)
	}
}

// Of a server that nothing brings back, what changes it is not called.
func TestMadeTasksOfServersThatRunOnlyRead(t *testing.T) {
	t.Parallel()

	data, server := t.TempDir(), remotetest.Server()

	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(web.Close)

	i := importing{data: data, describe: 256, url: web.URL, allow: []string{"lend_book", "return_book"}}
	if _, err := i.run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}

	m := making{count: 4, calls: 3}

	made, err := m.run(t.Context(), data, "train", 1, quiet)
	if err != nil || made.Added != 4 {
		t.Fatalf("%+v, %v", made, err)
	}

	for _, task := range m.made {
		for _, s := range task.Solution {
			if s.Tool == "lend_book" || s.Tool == "return_book" {
				t.Errorf("%s calls %s", task.Question, s.Tool)
			}
		}
	}
}

// What a fresh instance answers otherwise is no task.
func TestMadeTasksAreRepeatable(t *testing.T) {
	t.Parallel()

	data := library(t, func(i *importing) { i.environment = suite.Repeated{remotetest.Clock + "=1"} })
	m := making{count: 6, calls: 2}

	made, err := m.run(t.Context(), data, "train", 1, quiet)
	if err != nil || made.Differing == 0 {
		t.Fatalf("%+v, %v; want programs left out", made, err)
	}

	for _, task := range m.made {
		if strings.Contains(task.Final, "asked") {
			t.Errorf("%s asks for the time", task.Question)
		}
	}
}

// What others do to the splits meanwhile is kept, and no split gets what another one has by then.
func TestTasksThatAreAddedMeanwhile(t *testing.T) {
	t.Parallel()

	data := library(t, nil)
	m, added := making{count: 4, calls: 2}, false

	made, err := m.run(t.Context(), data, "train", 1, func(done, _ int) {
		if done != 3 || added {
			return
		}

		added = true

		addLines(t, data, "train", `{"id": "mine", "question": "Who?", "answer": "me"}`+"\n")

		// The same seed asks the same questions.
		other := making{count: 2, calls: 2}
		if _, err := other.run(t.Context(), data, "test", 1, quiet); err != nil {
			t.Error(err)
		}
	})
	if err != nil || made.Added != 2 || made.Added != len(m.made) {
		t.Fatalf("%+v, %v; want the two questions that the other split does not have", made, err)
	}

	all, err := allTasks(data)
	if err != nil {
		t.Fatal(err)
	}

	asked := map[string]string{}

	for split, tasks := range all {
		for _, task := range tasks {
			if other := asked[task.Question]; other != "" && task.Dataset == "made" {
				t.Errorf("%s and %s ask %q", other, split, task.Question)
			}

			asked[task.Question] = split
		}
	}

	if asked["Who?"] != "train" || made.Total != len(all["train"]) {
		t.Errorf("%+v, and %d tasks; want the one that was added, too", made, len(all["train"]))
	}
}

// A question that somebody has rephrased is not asked again in its first words.
func TestMadeTasksThatAreRephrased(t *testing.T) {
	t.Parallel()

	data := library(t, nil)

	first := making{count: 6, calls: 2}
	if _, err := first.run(t.Context(), data, "train", 1, quiet); err != nil {
		t.Fatal(err)
	}

	for _, task := range first.made {
		change(t, tasksPath(data, "train"), strings.Trim(pytext.JSON(task.Question), `"`),
			"In other words, "+task.ID+"?")
	}

	again := making{count: 10, calls: 2}

	made, err := again.run(t.Context(), data, "train", 1, quiet)
	if err != nil || made.Added != 10 {
		t.Fatalf("%+v, %v", made, err)
	}

	for _, task := range again.made {
		isSame := func(old *Task) bool { return old.ID == task.ID || old.Question == task.Question }
		if slices.ContainsFunc(first.made, isSame) {
			t.Errorf("%s asks %q again", task.ID, task.Question)
		}
	}
}

// failing are tools that fail at every call.
type failing struct{ err error }

func (f failing) Start(context.Context) (remote.Instance, error) { return f, nil }

func (failing) Most() int { return 1 }

func (failing) Close() error { return nil }

func (f failing) Call(context.Context, string, envs.Args) (envs.Result, error) {
	return envs.Result{}, f.err
}

// A call at which the tools fail alone costs the programs that have it, and not those made before.
func TestMakingTasksWithToolsThatFail(t *testing.T) {
	t.Parallel()

	data := library(t, nil)
	m := making{count: 4, calls: 2}

	serve := func(err error) {
		if err := m.service.Close(); err != nil {
			t.Error(err)
		}

		m.service = remote.New(failing{err},
			remote.Options{Most: 1, Timeout: time.Minute, Patience: time.Minute})
	}

	made, err := m.run(t.Context(), data, "train", 1, func(done, _ int) {
		if done == 2 {
			serve(errors.New("gone"))
		}
	})
	if made.Added != 2 || !strings.Contains(said(err), "‹count› 2 makes the rest: ") {
		t.Errorf("%+v, %v; want an error, and 2 tasks kept", made, err)
	}

	tools, err := m.open(data)
	if err != nil {
		t.Fatal(err)
	}

	serve(&remote.Diverged{})

	_, answer, err := tools.Call(t.Context(), remote.Log{}, "get_book", nil)
	if err != nil || !answer.Refused || answer.Said == "" {
		t.Errorf("a call that the tools fail at is answered %+v, %v; want a refusal", answer, err)
	}
}

// What was made before an interruption is kept, and the same command continues from it.
func TestMakingTasksIsInterrupted(t *testing.T) {
	t.Parallel()

	data := library(t, nil)
	ctx, stop := context.WithCancel(t.Context())

	m := making{count: 4, calls: 2}

	made, err := m.run(ctx, data, "train", 1, func(done, _ int) {
		if done == 2 {
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) || made.Added != 2 {
		t.Fatalf("%+v, %v; want 2 tasks kept", made, err)
	}

	says := "2 tasks were added to " + made.Path + "; ‹count› 2 makes the rest: "
	if !strings.HasPrefix(err.Error(), says) || console.KindOf(err) != console.Interruption {
		t.Errorf("%v, want %s", err, says)
	}

	before, err := os.ReadFile(tasksPath(data, "train"))
	if err != nil {
		t.Fatal(err)
	}

	again := making{count: 2, calls: 2}
	if made, err = again.run(t.Context(), data, "train", 1, quiet); err != nil || made.Added != 2 {
		t.Fatalf("%+v, %v", made, err)
	}

	after, err := os.ReadFile(tasksPath(data, "train"))
	if err != nil || !strings.HasPrefix(string(after), string(before)) {
		t.Errorf("the tasks of before are not there any more: %v", err)
	}
}

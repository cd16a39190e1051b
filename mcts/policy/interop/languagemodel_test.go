package interop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestLanguageModel has a real language model answer questions through the whole program, and holds
// what is true of any server and any model. What the model says is printed, for people.
func TestLanguageModel(t *testing.T) {
	const script = "test-model.sh"
	policy := setting(t, "TOOLEVO_MODEL_POLICY", script)
	proxy, address := newProxy(t, setting(t, "TOOLEVO_MODEL_SERVER", script))

	var m languageModel
	environment := "OPENAI_BASE_URL=" + address + "/v1"
	if strings.HasPrefix(policy, "ollama:") {
		environment = "OLLAMA_HOST=" + address
		m.slots = []string{"--set", "server.slots=1"} // which it cannot tell
	}

	m.program = openProgram(t, program{
		policy:      policy,
		proxy:       proxy,
		patience:    time.Hour,
		environment: []string{environment, "OPENAI_API_KEY="},
		settings: []string{
			"--config", "policies/qwen2.5-coder-gguf",
			"--set", "server.sampling.max_tokens=128",
		},
	})
	t.Run("doctor", m.testDoctor)
	t.Run("eval", m.testEval)
	t.Run("native", m.testNative)
	t.Run("collect", m.testCollect)
	t.Run("defaults", m.testDefaults)
}

// languageModel is the program with a language model.
type languageModel struct {
	*program
	slots []string // arguments about the slots of the server
}

// samplesOfANode is how many samples a node draws, each with a request of its own, since the
// servers keep a prompt in each slot.
const samplesOfANode = 2

// asks are the arguments of a command that asks the model questions of the two templates that it
// finds easiest.
func (m *languageModel) asks(arguments ...string) []string {
	arguments = append(arguments, "--difficulty", "easy",
		"--template", "coffee-easy/open,coffee-easy/close")
	return append(m.with(arguments...), append(m.slots, "--progress", "none")...)
}

// shows prints what a command says of a run, for people.
func (m *languageModel) shows(t *testing.T, arguments ...string) {
	t.Helper()
	out, _ := m.ends(t, 0, arguments...)
	fmt.Printf("\n$ toolevo %s\n%s", strings.Join(arguments, " "), out)
}

// Nothing of the server makes a run wrong. That it gives no log-probabilities, doctor tells as a
// warning.
func (m *languageModel) testDoctor(t *testing.T) {
	m.proxy.reset(-1)
	arguments := []string{"doctor", "--quick", "--policy", m.policy, "--data", m.data, "--dataset", "coffee"}
	out, _ := m.ends(t, exitWarnings, append(arguments, m.settings...)...)
	fmt.Printf("\n$ toolevo %s\n%s", strings.Join(arguments, " "), out)
}

// played is an episode of an evaluation.
type played struct {
	ID       string `json:"question_id"`
	API      string `json:"deployed_api"`
	Gold     string
	Answer   string
	Official bool
	Turns    []struct{ Action, Outcome string }
}

func (m *languageModel) testEval(t *testing.T) {
	m.proxy.reset(-1)
	dir := filepath.Join(t.TempDir(), "run")
	var report struct {
		Rows []struct {
			API     string
			N, Lost int
		} `json:"rows"`
	}
	m.run(t, &report, m.asks("eval", "--out", dir, "--split", "test", "--limit", "2",
		"--api", "p_c,p_s_in", "--set", "eval.max_turns=6")...)

	if len(report.Rows) != 2 || report.Rows[0].API != "p_c" || report.Rows[1].API != "p_s_in" {
		t.Errorf("rows %+v", report.Rows)
	}

	for _, r := range report.Rows {
		if r.N != 2 || r.Lost != 0 {
			t.Errorf("row %+v", r)
		}
	}

	var episodes []played
	readLines(t, filepath.Join(dir, "episodes.jsonl"), &episodes)
	m.shows(t, "inspect", dir)

	turns := 0
	for i, e := range episodes {
		turns += len(e.Turns)

		if e.Official && !sameNumber(e.Answer, e.Gold) {
			t.Errorf("%s under %s: %q is right, want %q", e.ID, e.API, e.Answer, e.Gold)
		}
		m.shows(t, "inspect", dir, e.ID, strconv.Itoa(i/2))
	}

	if m.proxy.count() < turns {
		t.Errorf("%d requests for %d turns", m.proxy.count(), turns)
	}

	m.ends(t, 0, "check", dir, "--data", m.data)
}

// The model calls tools natively: its server shows them, or we do in its template, and calls are
// read in what it writes. How many of its turns are calls is printed, for people: a model this
// small answers with several at once.
func (m *languageModel) testNative(t *testing.T) {
	m.proxy.reset(-1)
	dir := filepath.Join(t.TempDir(), "run")
	arguments := append(m.asks("eval", "--out", dir, "--split", "test", "--limit", "1", "--api", "p_s_in",
		"--set", "eval.max_turns=3"), "--config", "policies/qwen2.5-coder-tools")

	if strings.HasPrefix(m.policy, "ollama:") {
		arguments = append(arguments, "--set", "server.form=qwen")
	}

	var report struct {
		Rows []struct{ N, Lost int } `json:"rows"`
	}
	m.run(t, &report, arguments...)

	var episodes []played
	readLines(t, filepath.Join(dir, "episodes.jsonl"), &episodes)

	turns, calls := 0, 0
	for _, e := range episodes {
		for _, turn := range e.Turns {
			turns++

			if turn.Outcome != "malformed" {
				calls++
			}
		}
		m.shows(t, "inspect", dir, e.ID, "0")
	}

	fmt.Printf("%d of %d turns are calls\n", calls, turns)

	if len(report.Rows) != 1 || report.Rows[0].N != 1 || report.Rows[0].Lost != 0 || calls == 0 {
		t.Errorf("%d of %d turns are calls: %+v", calls, turns, report.Rows)
	}

	m.ends(t, 0, "check", dir, "--data", m.data)
}

// A collection that is killed in the middle goes on where it was, asks for nothing that was logged,
// and its export holds right answers only.
func (m *languageModel) testCollect(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	m.proxy.reset(1 + samplesOfANode) // a greeting, and one node: no tree is smaller
	m.kill(t, m.asks("collect", "--out", dir, "--limit", "1", "--api", "p_c", "--trees", "2",
		"--set", "search.simulations=4", "--set", "search.max_depth=6")...)
	answered := m.proxy.count()

	logged := m.check(t, dir).Calls
	m.proxy.reset(-1)
	var c collected
	m.run(t, &c, append([]string{"collect", "--resume", "--out", dir, "--data", m.data, "--json",
		"--progress", "none"}, m.slots...)...)
	t.Logf("resumed: %+v", c)

	if c.Questions != 1 || c.QuestionsDone != 1 || c.TreesDone != c.TreesPlanned ||
		c.Unresolved != 0 {
		t.Errorf("the run did not end: %+v", c)
	}

	repeated := m.proxy.repeated()
	t.Logf("%d requests until it was killed, %d calls in the log; %d requests more, %d as before",
		answered, logged, m.proxy.count(), repeated)

	if logged < 1 || c.Calls < 1 || c.Replayed != logged || repeated > answered-logged*samplesOfANode {
		t.Errorf("some of the %d calls in the log were asked again, or not used: %+v", logged, c)
	}

	whole := m.check(t, dir)
	if !whole.Complete || whole.Trees < 1 || whole.Missing != 0 || whole.Calls != logged+c.Calls {
		t.Errorf("check: %+v", whole)
	}

	m.shows(t, "inspect", dir)
	m.shows(t, "inspect", dir, m.first(t, dir), "0")
	m.testExport(t, dir, c.Accepted)
}

// kill starts toolevo, and kills it when the server has fallen silent.
func (m *languageModel) kill(t *testing.T, arguments ...string) {
	t.Helper()
	var said bytes.Buffer
	c := m.command(t.Context(), arguments...)
	c.Stderr = &said

	if err := c.Start(); err != nil {
		t.Fatal(err)
	}

	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()

	select {
	case <-m.proxy.kept:
	case err := <-ended:
		t.Fatalf("it ended before it was killed: %v: %s", err, tail(said.String()))
	}

	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
}

// checked is what check says of a run.
type checked struct {
	Trees    int   `json:"trees"`
	Calls    int   `json:"calls"`
	Missing  int   `json:"missing"`
	Problems []any `json:"problems"`
	Complete bool  `json:"complete"`
}

// check has a run checked, in which nothing may be wrong.
func (m *languageModel) check(t *testing.T, dir string) checked {
	t.Helper()
	var c checked
	m.run(t, &c, "check", dir, "--data", m.data, "--json")

	if len(c.Problems) != 0 {
		t.Errorf("check: %+v", c)
	}
	return c
}

// first is the first question of a run.
func (m *languageModel) first(t *testing.T, dir string) string {
	t.Helper()
	var run struct {
		Questions []struct {
			ID string `json:"question_id"`
		} `json:"questions"`
	}
	m.run(t, &run, "inspect", dir, "--json")

	return run.Questions[0].ID
}

// sample is a trajectory as it is trained on.
type sample struct {
	Conversations []struct{ From, Value string }
}

// testDefaults begins with no settings but the defaults, as a newcomer does: what doctor writes is
// all that an evaluation and a collection need. A collection of one question takes a model this
// small many minutes without a GPU, so that it is killed after some nodes.
func (m *languageModel) testDefaults(t *testing.T) {
	settings := filepath.Join(t.TempDir(), "policy.yaml")
	m.proxy.reset(-1)
	doctor := m.command(t.Context(), "doctor", "--quick", "--policy", m.policy, "--data", m.data,
		"--dataset", "coffee", "--write", settings)
	said, err := doctor.CombinedOutput()
	if code := doctor.ProcessState.ExitCode(); code != 0 && code != exitWarnings {
		t.Fatalf("%v: %s", err, said)
	}

	one := []string{"--config", settings, "--data", m.data, "--dataset", "coffee",
		"--template", "coffee-easy/open", "--limit", "1", "--progress", "none"}
	dir := filepath.Join(t.TempDir(), "evaluation")
	m.ends(t, 0, append([]string{"eval", "--api", "p_s_in", "--out", dir}, one...)...)
	m.ends(t, 0, "check", dir, "--data", m.data)
	m.shows(t, "inspect", dir)

	dir = filepath.Join(t.TempDir(), "collection")
	m.proxy.reset(10 * samplesOfANode)
	m.kill(t, append([]string{"collect", "--out", dir}, one...)...)
	m.proxy.reset(-1)

	if calls := m.check(t, dir).Calls; calls < 1 {
		t.Errorf("%d calls are logged", calls)
	}
}

// testExport exports a run twice.
func (m *languageModel) testExport(t *testing.T, dir string, accepted int) {
	if accepted == 0 {
		fmt.Println("The model found no trajectory: there is nothing to export.")
		return
	}

	out := filepath.Join(t.TempDir(), "export")
	again := filepath.Join(t.TempDir(), "export")
	for _, to := range []string{out, again} {
		m.ends(t, 0, "export", dir, "--data", m.data, "--out", to)
	}

	sameFiles(t, out, again)
	m.ends(t, 0, "check", out)

	var samples []sample
	var lineage []struct {
		ID string `json:"question_id"`
	}
	readLines(t, filepath.Join(out, "toolevo_sft.jsonl"), &samples)
	readLines(t, filepath.Join(out, "lineage.jsonl"), &lineage)

	if len(samples) != accepted || len(lineage) != accepted {
		t.Fatalf("%d samples, %d origins, %d trajectories", len(samples), len(lineage), accepted)
	}

	gold := m.answers(t)
	for i, s := range samples {
		want := gold[lineage[i].ID]
		last := s.Conversations[len(s.Conversations)-1].Value
		_, answer, found := strings.Cut(last, "Action: Finish\n")

		if !found || !sameNumber(answer, want) {
			t.Errorf("%s: a sample ends with %q, want %q", lineage[i].ID, last, want)
		}
	}
}

// answers are the right answers of the train split, by the question.
func (m *languageModel) answers(t *testing.T) map[string]string {
	t.Helper()
	var questions []struct{ QID, Answer string }
	readLines(t, filepath.Join(m.data, "questions", "train", "coffee-easy.jsonl"), &questions)

	answers := map[string]string{}
	for _, q := range questions {
		answers[q.QID] = q.Answer
	}
	return answers
}

// readLines decodes a file with an object a line.
func readLines[T any](t *testing.T, file string, into *[]T) {
	t.Helper()

	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	for line := range bytes.Lines(text) {
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%s: %v: %s", file, err, line)
		}
		*into = append(*into, v)
	}
}

// sameFiles wants two folders to hold the same files.
func sameFiles(t *testing.T, one, other string) {
	t.Helper()
	files, err := os.ReadDir(one)
	others, othersErr := os.ReadDir(other)
	if err != nil || othersErr != nil || len(files) == 0 || len(files) != len(others) {
		t.Fatalf("%d and %d files: %v, %v", len(files), len(others), err, othersErr)
	}

	for _, f := range files {
		a, err := os.ReadFile(filepath.Join(one, f.Name()))
		b, otherErr := os.ReadFile(filepath.Join(other, f.Name()))
		if err != nil || otherErr != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v, %v", f.Name(), err, otherErr)
		}
	}
}

var number = regexp.MustCompile(`-?\d+(\.\d+)?`)

// sameNumber reports whether the only number in an answer, which may have a unit, is the right one.
func sameNumber(answer, gold string) bool {
	found := number.FindAllString(answer, -1)
	if len(found) != 1 {
		return false
	}

	a, err := strconv.ParseFloat(found[0], 64)
	b, goldErr := strconv.ParseFloat(gold, 64)
	return err == nil && goldErr == nil && a == b
}

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/finetune"
	"toolevo/mcts/policy/simserver"
	"toolevo/toolqa/questions"
)

// inFront starts a server in front of another one: what answer does not answer, reporting false,
// the other one does.
func inFront(t *testing.T, s http.Handler, answer func(w http.ResponseWriter, path string, body []byte) bool) string {
	t.Helper()

	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}

		if !answer(w, r.URL.Path, body) {
			r.Body = io.NopCloser(bytes.NewReader(body))
			s.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(front.Close)

	return front.URL
}

// TestBadRequest serves a model that cannot read the prompts of one question. Its trees are given
// up and named, the others are grown, and a resumed run goes on just so.
func TestBadRequest(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()
	calm, run := filepath.Join(dir, "calm"), filepath.Join(dir, "run")
	s := serve(t, simserver.Options{})

	unreadable, err := questions.Read(data, "coffee", "easy", "train")
	if err != nil {
		t.Fatal(err)
	}

	url := inFront(t, s, func(w http.ResponseWriter, _ string, body []byte) bool {
		refused := bytes.Contains(body, []byte("Question: "+unreadable[0].Text))
		if refused {
			w.WriteHeader(http.StatusUnprocessableEntity)
			io.WriteString(w, `{"error":{"message":"token id 7 is out of vocabulary"}}`)
		}

		return refused
	})

	args := []string{
		"collect", "--data", data, "--policy", "openai:sim", "--limit", "3", "--trees", "2", "--preset", "paper",
		"--set", "search.simulations=2", "--set", "server.window=32768", "--set", "attempts=1",
		"--run-id", "bad", "--engine", "unsafe",
	}
	undisturbed(t, append(slices.Clip(args), "--server", calmServer(t, kindOpenAI), "--out", calm)...)

	r := cli(t, append(slices.Clip(args), "--server", url, "--out", run)...)
	if r.code != exitDone {
		t.Errorf("exit %d", r.code)
	}

	says(t, "collect", r.err, "2 trees given up", "out of vocabulary", "collect --resume --out "+run)

	if got, want := logged(t, run), logged(t, calm)/2; got < want {
		t.Errorf("%d calls were answered, of more than %d\n%s", got, want, r.err)
	}

	c := document[toolevo.CheckedTrees](t, must(t, "check", run, "--json"))
	if c.Missing != 0 || len(c.GivenUp) != 2 || !c.Complete {
		t.Errorf("check: %+v", c)
	}

	lost := unreadable[0].ID
	for _, args := range [][]string{{"check", run}, {"inspect", run}, {"inspect", run, lost}} {
		says(t, args[0], cli(t, args...).err, "2 trees given up", "out of vocabulary", "collect --resume")
	}

	fails(t, exitUsage, []string{"was given up"}, "inspect", run, lost, "1")

	again := cli(t, append(slices.Clip(args), "--server", url, "--out", run, "--resume")...)
	if again.code != exitDone {
		t.Errorf("exit %d", again.code)
	}

	says(t, "collect", again.err, "2 trees given up")

	if left := counted(t, run, "openai:sim"); left.BadRequests < 2 || left.Refused != 0 {
		t.Errorf("the resumed run counts %+v\n%s", left.Counts, again.err)
	}

	// That is the end of the run for its workers, too, which go home.
	f := newFleet(t, dir+"/workers", 1)
	f.args = append(slices.Clip(args), "--out", f.run, "--progress", "none")
	f.work = []string{"--data", data, "--server", url, "--progress", "none"}
	f.coordinate()
	f.join(0)
	f.disband()

	says(t, "the coordinator", f.coordinator.err.String(), "2 trees given up")

	must(t, append(slices.Clip(args), "--server", s.URL(), "--out", run, "--resume")...)

	if !bytes.Equal(read(t, filepath.Join(calm, rowsFile)), read(t, filepath.Join(run, rowsFile))) {
		t.Error("the trajectories differ")
	}

	evaluated := filepath.Join(dir, "eval")
	r = cli(t, "eval", "--data", data, "--policy", "openai:sim", "--limit", "3", "--split", "train", "--api", "p_c",
		"--set", "server.window=32768", "--set", "attempts=1", "--server", url, "--out", evaluated,
		"--json")

	rows := document[finetune.Report](t, r.out).Rows
	if says(t, "eval", r.err, "1 episodes given up"); r.code != exitDone || rows[0].Lost != 1 ||
		rows[0].N != 2 {
		t.Errorf("eval: exit %d, %+v\n%s", r.code, rows, r.err)
	}

	mixed := cli(t, "eval", "--resume", "--data", data, "--server", url, "--out", evaluated,
		"--mix-engines", "--engine", "unsafe")
	says(t, "eval", mixed.err, "1 episodes given up", "--mix-engines --set python.engine=unsafe")

	for _, command := range []string{"check", "inspect"} {
		says(t, command, cli(t, command, evaluated).err, "1 episodes given up", "eval --resume")
	}

	says(t, "runs", must(t, "runs", evaluated), "finished")
}

// A server that takes less than others is sent less, and gives the trees of one that takes
// everything. What it is sent is in the summary.
func TestServerTakesLess(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()
	calm, run := filepath.Join(dir, "calm"), filepath.Join(dir, "run")
	s := serve(t, simserver.Options{})

	url := inFront(t, s, func(w http.ResponseWriter, path string, body []byte) bool {
		var asked struct {
			N        int      `json:"n"`
			Seed     int64    `json:"seed"`
			LogProbs *int     `json:"logprobs"`
			TopK     *int     `json:"top_k"`
			MinP     *float64 `json:"min_p"`
		}
		if json.Unmarshal(body, &asked) != nil { // it asks for a document
			return false
		}

		word := ""
		switch {
		case asked.TopK != nil:
			word = "unknown field top_k"
		case asked.MinP != nil:
			word = "unknown field min_p"
		case asked.LogProbs != nil && *asked.LogProbs == 0:
			word = "logprobs: at least 1"
		case asked.Seed > math.MaxInt32:
			word = "seed out of range"
		case asked.N > 1:
			word = "only one completion is drawn"
		}

		if word != "" {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"error":{"message":"`+word+`"}}`)
		}
		return word != ""
	})

	args := []string{
		"collect", "--data", data, "--policy", "openai:sim", "--limit", "3", "--trees", "2", "--preset", "paper",
		"--set", "search.simulations=2", "--set", "server.window=32768", "--set", "attempts=1",
		"--run-id", "less", "--engine", "unsafe",
	}
	undisturbed(t, append(slices.Clip(args), "--server", calmServer(t, kindOpenAI), "--out", calm)...)

	r := cli(t, append(slices.Clip(args), "--server", url, "--out", run)...)
	if r.code != exitDone {
		t.Errorf("exit %d", r.code)
	}

	says(t, "collect", r.err, "n at most 4", "logprobs 1 for 0", "no top_k")

	if !bytes.Equal(read(t, filepath.Join(calm, rowsFile)), read(t, filepath.Join(run, rowsFile))) {
		t.Error("the trajectories differ")
	}

	if counts := counted(t, run, "openai:sim"); counts.BadRequests > 12 {
		t.Errorf("%d requests were refused", counts.BadRequests)
	}
}

// TestGivenUpTreeThatOthersKnow gives up the first of two trees, of which the second knows what the
// first found. When it is there, the second is grown anew, and the run is as if nothing had failed.
func TestGivenUpTreeThatOthersKnow(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()
	calm, run := filepath.Join(dir, "calm"), filepath.Join(dir, "run")

	var first uint64 // seed of the question's first tree, whose requests fail

	all, err := questions.Read(data, "coffee", "easy", "train")
	if err != nil {
		t.Fatal(err)
	}

	s := serve(t, simserver.Options{})
	url := inFront(t, s, func(w http.ResponseWriter, _ string, body []byte) bool {
		var asked struct{ Seed uint64 }
		if !bytes.Contains(body, []byte("Question: "+all[1].Text)) || json.Unmarshal(body, &asked) != nil {
			return false
		}

		if first == 0 {
			first = asked.Seed
		}

		failing := asked.Seed-first < 10 // it is that of the first of its samples
		if failing {
			w.WriteHeader(http.StatusUnprocessableEntity)
		}
		return failing
	})

	args := []string{
		"collect", "--data", data, "--policy", "openai:sim", "--limit", "2", "--trees", "2",
		"--difficulty", "easy", "--set", "server.window=32768", "--workers", "1", "--run-id", "known",
		"--engine", "unsafe",
	}
	undisturbed(t, append(slices.Clip(args), "--server", calmServer(t, kindOpenAI), "--out", calm)...)

	args = append(args, "--out", run, "--json", "--server")
	found := document[toolevo.Collected](t, must(t, append(slices.Clip(args), url)...))

	if len(found.GivenUp) != 1 || found.GivenUp[0].Tree != 0 {
		t.Fatalf("given up is %v", found.GivenUp)
	}

	must(t, append(args, s.URL(), "--resume")...)

	if !bytes.Equal(read(t, filepath.Join(calm, rowsFile)), read(t, filepath.Join(run, rowsFile))) {
		t.Error("the trajectories differ")
	}
}

// A server that takes no request at all ends the run at the first one.
func TestNothingButBadRequests(t *testing.T) {
	t.Parallel()
	s := serve(t, simserver.Options{})
	asked := 0
	url := inFront(t, s, func(w http.ResponseWriter, path string, _ []byte) bool {
		if path != "/v1/completions" {
			return false
		}
		asked++

		w.WriteHeader(http.StatusBadRequest)
		return true
	})
	fails(t, exitGaveUp, []string{"no request was ever taken"}, "collect", "--data", smallData(t), "--policy",
		"openai:sim",
		"--limit", "3", "--workers", "1", "--set", "server.window=32768", "--server", url, "--out",
		filepath.Join(t.TempDir(), "run"))

	if asked > 3 { // as it is, with less, and for no log-probabilities
		t.Errorf("it was asked %d times", asked)
	}
}

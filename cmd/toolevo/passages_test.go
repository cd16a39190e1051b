package main

import (
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolevo/finetune"
)

// agendaData is a data folder with the agenda and some questions about it.
var agendaData = shared("agenda", func(t testing.TB, dir string) {
	made(t, "data", "build", "--data", dir, "--dataset", "agenda", "--seed", "5", "--rows", "300")
	made(t, "data", "questions", "--data", dir, "--seed", "5", "--scale", "0.1")
})

// fakeEmbedder is a server with an embedding model called fake: the vector of a text is the sum of
// a random one for each of its words.
type fakeEmbedder struct {
	*httptest.Server
	mu      sync.Mutex
	batches []int           // how many texts each request had
	keys    map[string]bool // that it was shown
}

func startEmbedder(t *testing.T) *fakeEmbedder {
	f := &fakeEmbedder{keys: map[string]bool{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fakeEmbedder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Model string
		Input []string
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.URL.Path != "/v1/embeddings" ||
		asked.Model != "fake" {
		http.Error(w, `{"error":{"message":"unknown"}}`, http.StatusNotFound)
		return
	}

	f.mu.Lock()
	f.batches = append(f.batches, len(asked.Input))
	f.keys[r.Header.Get("Authorization")] = true
	f.mu.Unlock()

	data := make([]map[string]any, len(asked.Input))
	for i, text := range asked.Input {
		v := make([]float64, 64)

		for word := range strings.FieldsSeq(strings.ToLower(text)) {
			h := fnv.New64a()
			h.Write([]byte(strings.Trim(word, ".,?'")))

			random := rand.New(rand.NewPCG(h.Sum64(), 1))
			for j := range v {
				v[j] += random.NormFloat64()
			}
		}

		data[i] = map[string]any{"index": i, "embedding": v}
	}

	json.NewEncoder(w).Encode(map[string]any{"data": data})
}

// asked returns the batches since the last call.
func (f *fakeEmbedder) asked() []int {
	f.mu.Lock()
	defer f.mu.Unlock()

	all := f.batches
	f.batches = nil
	return all
}

func (f *fakeEmbedder) settings() []string {
	return []string{"--dataset", "agenda", "--set", "retrieval.model=fake", "--set", "retrieval.server=" + f.URL +
		"/v1"}
}

// The passages are embedded once, for all runs; a query once in a run.
func TestDenseRetrieval(t *testing.T) {
	data, out, f := agendaData(t), t.TempDir(), startEmbedder(t)
	eval := func(dir string, more ...string) (finetune.Report, string) {
		t.Helper()

		args := slices.Concat([]string{"eval", "--data", data, "--json", "--policy", "scripted:reader", "--out",
			filepath.Join(out, dir)}, f.settings(), more)

		r := cliWith(t, "", []string{"OPENAI_API_KEY=sk-embedding"}, args...)
		if r.code != exitDone {
			t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
		}
		return document[finetune.Report](t, r.out), r.err
	}
	first, said := eval("a")
	says(t, "eval", said, "100%  embed 300 passages of agenda with fake (once)")

	if n := strings.Count(said, "embed"); n != 1 {
		t.Errorf("it is said %d times:\n%s", n, said)
	}

	batches, passages := f.asked(), 0
	for _, n := range batches {
		if n > 1 {
			passages += n
		}
	}

	if passages < 290 || len(batches) < 20 {
		t.Errorf("%d passages embedded, in batches of %v", passages, batches)
	}

	for _, row := range first.Rows {
		if row.N == 0 || row.Lost > 0 || row.Difficulty == "easy" && row.Official < 0.5 {
			t.Errorf("%s: %v of %d, %d lost", row.Cell, row.Official, row.N, row.Lost)
		}
	}

	second, said := eval("b")
	if again := f.asked(); slices.Max(again) > 1 || strings.Contains(said, "embed") {
		t.Errorf("the passages are embedded again, in batches of %v:\n%s", again, said)
	}

	for i, row := range second.Rows {
		if row.Official != first.Rows[i].Official {
			t.Errorf("%s: %v, and %v before", row.Cell, row.Official, first.Rows[i].Official)
		}
	}

	eval("b", "--resume")

	if again := f.asked(); len(again) != 1 {
		t.Errorf("a run that is through asks for %v texts, want one to see whether the model is there", again)
	}

	if len(f.keys) != 1 || !f.keys["Bearer sk-embedding"] {
		t.Errorf("shown were %v", f.keys)
	}
}

// What a run has found once it needs no server for.
func TestCheckNeedsNoEmbedder(t *testing.T) {
	data, run, f := agendaData(t), filepath.Join(t.TempDir(), "run"), startEmbedder(t)
	must(t, slices.Concat([]string{"collect", "--data", data, "--limit", "2", "--trees", "2", "--out", run},
		f.settings())...)

	if len(f.asked()) < 3 {
		t.Error("nothing was retrieved")
	}

	f.Close()
	says(t, "check", must(t, "check", run, "--data", data), "0 problems")
}

// The model is part of what identifies a run, and looking at that asks nobody.
func TestEmbeddingModelIdentifiesRuns(t *testing.T) {
	data, f := agendaData(t), startEmbedder(t)

	id := func(more ...string) string {
		out := must(t, append([]string{"eval", "--data", data, "--dry-run"}, more...)...)
		return regexp.MustCompile("configuration [0-9a-f]+").FindString(out)
	}
	if a, b := id("--dataset", "agenda"), id(f.settings()...); a == b || a == "" {
		t.Errorf("runs %q and %q", a, b)
	}

	if n := f.asked(); len(n) > 0 {
		t.Errorf("it asks for %v texts", n)
	}
}

func TestEmbeddersThatCannotEmbed(t *testing.T) {
	t.Parallel()
	data, f, dead := agendaData(t), startEmbedder(t), startEmbedder(t)
	dead.Close()

	for name, test := range map[string]struct {
		code  int
		words []string
		more  []string
	}{
		"dead": {exitGaveUp, []string{"retrieval.model fake", "start its server", "retrieval.server"},
			dead.settings()},
		"unknown model": {exitGaveUp, []string{`asked for the model "other"`},
			append(f.settings(), "--set", "retrieval.model=other")},
		"no address": {exitUsage, []string{"retrieval.server", "base URL"},
			append(f.settings(), "--set", "retrieval.server=localhost")},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "run")
			fails(t, test.code, test.words, append([]string{"eval", "--data", data, "--out", out}, test.more...)...)

			if left := files(t, out); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
		})
	}
}

// The index of the passages is made with the corpus.
func TestBuildIndexesPassages(t *testing.T) {
	t.Parallel()
	index := files(t, filepath.Join(agendaData(t), "corpus", "agenda.words"))
	if len(index) == 0 {
		t.Fatal("there is no index")
	}
}

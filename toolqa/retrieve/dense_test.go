package retrieve

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// fakeModel embeds a text as the sum of a random vector for each word.
type fakeModel struct {
	name  string
	size  int
	calls int
	texts int
	fail  error
	alone string // texts with it have no vector
	spoil func([][]float32) [][]float32
}

func (f *fakeModel) Model() string { return f.name }

func (f *fakeModel) Embed(_ context.Context, texts []string) ([][]float32, error) {
	f.calls++

	f.texts += len(texts)
	if f.fail != nil {
		return nil, f.fail
	}

	list := make([][]float32, len(texts))
	for i, text := range texts {
		list[i] = make([]float32, f.size)

		for _, word := range strings.Fields(text) {
			h := fnv.New64a()
			h.Write([]byte(word))

			r := rand.New(rand.NewPCG(h.Sum64(), 1))
			for j := range list[i] {
				list[i][j] += float32(r.NormFloat64())
			}
		}
	}

	if f.spoil != nil {
		list = f.spoil(list)
	}

	var err error

	for i, text := range texts {
		if f.alone != "" && strings.Contains(text, f.alone) {
			list[i], err = nil, givenUp{}
		}
	}

	return list, err
}

// givenUp is the error of texts that cannot be embedded though others can.
type givenUp struct{}

func (givenUp) Error() string   { return "HTTP 500" }
func (givenUp) GivenUp() string { return "HTTP 500" }

// A passage at which a server fails alone is never found, and named; all others are as they would
// be.
func TestPassagesThatCannotBeEmbedded(t *testing.T) {
	c := builtCorpus(t, t.TempDir(), 30)

	passage, err := c.Document(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}

	model := &fakeModel{name: "m", size: 16, alone: passage.Content}

	for range 2 { // it is made, and read
		d, err := OpenDense(t.Context(), c, model, nil)
		if err != nil {
			t.Fatal(err)
		}

		model.alone = ""

		ids, err := d.Search(t.Context(), passage.Content, c.DocumentCount())
		if want := c.DocumentCount() - len(d.Lost()); err != nil || !slices.Contains(d.Lost(), 7) ||
			len(ids) != want || slices.Contains(ids, 7) {
			t.Errorf("lost %v, found %d of %d: %v", d.Lost(), len(ids), want, err)
		}
	}

	c = builtCorpus(t, t.TempDir(), 3)
	if _, err := OpenDense(t.Context(), c, &fakeModel{name: "m", size: 4, alone: " "}, nil); err == nil {
		t.Error("no passage has a vector, and there is an index")
	}
}

func TestDenseFindsThePassageItself(t *testing.T) {
	c := builtCorpus(t, t.TempDir(), 30)
	model := &fakeModel{name: "m", size: 67}
	told := 0

	d, err := OpenDense(t.Context(), c, model, func(done, _ int) { told = done })
	if err != nil {
		t.Fatal(err)
	}

	n := c.DocumentCount()
	if told != n || model.texts != n || model.calls != (n+embedBatch-1)/embedBatch {
		t.Errorf("%d of %d passages told, %d embedded in %d calls", told, n, model.texts, model.calls)
	}

	for id := 1; id <= n; id += 41 {
		passage, err := c.Document(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}

		ids, err := d.Search(t.Context(), passage.Content, 3)
		if err != nil || len(ids) != 3 {
			t.Fatalf("passage %d: found %v, %v", id, ids, err)
		}
		// headings recur
		if found, err := c.Document(t.Context(), ids[0]); err != nil || found.Content != passage.Content ||
			ids[0] > id {
			t.Errorf("passage %d: found %v, %v", id, ids, err)
		}
	}
}

// The vectors are made once for a model and a content of the corpus.
func TestVectorsAreKept(t *testing.T) {
	dir := t.TempDir()
	c := builtCorpus(t, dir, 30)
	first := &fakeModel{name: "m", size: 16}
	open := func(c *corpus.Corpus, m *fakeModel) *Dense {
		t.Helper()

		d, err := OpenDense(t.Context(), c, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	a := open(c, first)
	again := &fakeModel{name: "m", size: 16}

	b := open(c, again)
	if again.calls != 0 {
		t.Errorf("the vectors were made again, in %d calls", again.calls)
	}

	if diff := cmp.Diff(a.vectors.data, b.vectors.data); diff != "" || !slices.Equal(a.vectors.ids, b.vectors.ids) {
		t.Errorf("read is not what was written:\n%s", diff)
	}

	other := &fakeModel{name: "other", size: 8}
	open(c, other)

	if other.calls == 0 {
		t.Error("the vectors of one model are used for another")
	}

	larger := &fakeModel{name: "m", size: 16}
	open(builtCorpus(t, dir, 31), larger)

	if larger.calls == 0 {
		t.Error("the vectors of one corpus are used for another")
	}
}

func TestDamagedVectors(t *testing.T) {
	c := builtCorpus(t, t.TempDir(), 3)

	model := &fakeModel{name: "m", size: 16}
	if _, err := OpenDense(t.Context(), c, model, nil); err != nil {
		t.Fatal(err)
	}

	path := vectorPath(c, "m")

	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	for _, at := range []int{0, len(whole) / 2, len(whole) - 1} {
		damaged := slices.Clone(whole)

		damaged[at] ^= 1
		for name, data := range map[string][]byte{"changed": damaged, "cut": whole[:at]} {
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}

			if _, err := OpenDense(t.Context(), c, model, nil); err == nil ||
				!strings.Contains(err.Error(), "damaged") {
				t.Errorf("%s at %d: error %v", name, at, err)
			}
		}
	}
}

// What a server does wrong is our failure, and leaves no file.
func TestEmbedderThatFails(t *testing.T) {
	down := errors.New("server down")
	for name, tt := range map[string]struct {
		model fakeModel
		want  string
	}{
		"error":   {fakeModel{fail: down}, "server down"},
		"too few": {fakeModel{size: 4, spoil: func(v [][]float32) [][]float32 { return v[1:] }}, "vectors for"},
		"uneven": {fakeModel{
			size:  4,
			spoil: func(v [][]float32) [][]float32 { v[1] = v[1][1:]; return v },
		}, "a vector of 3 numbers"},
		"empty": {fakeModel{size: 0}, "a vector of 0 numbers"},
		"infinite": {fakeModel{
			size:  4,
			spoil: func(v [][]float32) [][]float32 { v[1][0] = 3e38; return v },
		}, "not finite"},
	} {
		c := builtCorpus(t, t.TempDir(), 3)

		_, err := OpenDense(t.Context(), c, &tt.model, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", name, err, tt.want)
		}

		if _, err := os.Stat(vectorPath(c, "")); err == nil {
			t.Errorf("%s: there is a file", name)
		}
	}

	c := builtCorpus(t, t.TempDir(), 3)
	model := &fakeModel{size: 4}

	d, err := OpenDense(t.Context(), c, model, nil)
	if err != nil {
		t.Fatal(err)
	}

	model.fail = down

	_, _, err = NewTool("RetrieveScirex", c, d).Call(t.Context(), toolqa.Session{},
		envs.Args{{Name: "keyword", Value: "x"}})
	if stage, ok := envs.FailedStage(err); !errors.Is(err, down) || !ok || stage != envs.StageTool {
		t.Errorf("error %v", err)
	}
}

// memory remembers in a map.
type memory map[string]envs.Result

func (m memory) Recall(_ context.Context, key string) (envs.Result, bool, error) {
	r, ok := m[key]
	return r, ok, nil
}

func (m memory) Remember(_ context.Context, key string, r envs.Result) error {
	m[key] = r
	return nil
}

func TestMemoryOfWhatAModelSays(t *testing.T) {
	c := builtCorpus(t, t.TempDir(), 5)
	model := &fakeModel{name: "m", size: 32}

	d, err := OpenDense(t.Context(), c, model, nil)
	if err != nil {
		t.Fatal(err)
	}

	remembered := memory{}
	tool := NewTool("RetrieveScirex", c, d).WithMemory(remembered)
	first := call(t, tool, "attention weights")
	model.fail = errors.New("down")

	if again := call(t, tool, " attention weights "); again != first || len(remembered) != 1 {
		t.Errorf("%v, then %v; %d remembered", first, again, len(remembered))
	}

	x := openIndex(t, c)
	call(t, NewTool("RetrieveScirex", c, x).WithMemory(remembered), "attention weights")

	if len(remembered) != 1 {
		t.Error("what depends on the corpus alone is remembered")
	}
}

func TestNearest(t *testing.T) {
	v := &vectors{ids: []int{2, 3, 5, 7, 9}, size: 2, data: []float32{1, 0, 0, 1, 1, 0, -1, 0, 0.6, 0.8}}
	for k, want := range map[int][]int{1: {2}, 2: {2, 5}, 3: {2, 5, 9}, 9: {2, 5, 9, 3, 7}} {
		if got := v.nearest([]float32{1, 0}, k); !slices.Equal(got, want) {
			t.Errorf("%d nearest: %v, want %v", k, got, want)
		}
	}
}

func TestDot(t *testing.T) {
	for n := range 40 {
		a, b, want := make([]float32, n), make([]float32, n), float32(0)
		for i := range n {
			a[i], b[i] = float32(i%5), float32(i%7)
			want += a[i] * b[i]
		}

		if got := dot(a, b); got != want {
			t.Errorf("of %d numbers: %v, want %v", n, got, want)
		}
	}
}

func BenchmarkNearest(b *testing.B) {
	const n, size = 10_000, 768
	r := rand.New(rand.NewPCG(1, 1))

	v := &vectors{size: size}
	for i := range n {
		v.ids = append(v.ids, i+1)
		for range size {
			v.data = append(v.data, float32(r.NormFloat64()))
		}
	}

	for b.Loop() {
		v.nearest(v.data[:size], passages)
	}
}

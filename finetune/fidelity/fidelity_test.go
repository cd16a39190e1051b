package fidelity

import (
	"context"
	"errors"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/trajectories/mirror"
)

// hashing is an embedding model of texts as the words that they have.
type hashing struct {
	asked atomic.Int64
	down  bool
}

func (*hashing) Model() string { return "hashing" }

func (h *hashing) Embed(_ context.Context, texts []string) ([][]float32, error) {
	h.asked.Add(1)

	if h.down {
		return nil, errors.New("the server is down")
	}

	vectors := make([][]float32, len(texts))

	for i, text := range texts {
		vectors[i] = make([]float32, 64)

		for _, word := range strings.Fields(text) {
			sum := fnv.New32a()
			sum.Write([]byte(word))
			vectors[i][sum.Sum32()%64]++
		}
	}

	return vectors, nil
}

// judging is a judge that rates by a rule of the request.
type judging struct {
	rule  func(request string, seed uint64) string
	asked atomic.Int64
}

func (j *judging) Write(_ context.Context, _, request string, seed uint64) (string, error) {
	j.asked.Add(1)

	if text := j.rule(request, seed); text != "" {
		return text, nil
	}
	return "", errors.New("the server is down")
}

const (
	answered = `{"error": "", "response": "three cats"}`
	refused  = `{"error": "missing parameter n", "response": ""}`
)

// A simulator that explains itself, one that fails properly, one that does not, and one that
// answers prose.
func cases() []Case {
	return []Case{
		{Model: "m", Split: mirror.OODFail, Instruction: "a", Real: refused, Simulated: answered},
		{Model: "m", Split: mirror.OODSuccess, Instruction: "b", Real: answered, Simulated: "```json\n" +
			`{"mechanism_of_the_api": "It counts.", "error": "", "response": "three cats"}` + "\n```"},
		{Model: "m", Split: mirror.OODSuccess, Instruction: "c", Real: answered, Simulated: "Some cats."},
		{Model: "l", Split: mirror.OODFail, Instruction: "d", Real: refused, Simulated: refused},
	}
}

func TestMeasure(t *testing.T) {
	t.Parallel()

	j := &judging{rule: func(request string, seed uint64) string {
		switch request[len("[Question]\n")] {
		case 'a':
			if seed == 7 {
				return "As it looks [[9]], but it should fail. Rating: [[2]]"
			}
			return "It should fail, [[2]]. Rating: [[2.0]]"
		case 'b':
			if seed == 7 {
				return "A good answer."
			}
			return "Rating: [[9]]"
		case 'c':
			return "Rating: [[11]]"
		}
		return "[[10/10]]"
	}}
	o := Options{Judge: j, Embedder: &hashing{}, Seed: 7, Workers: 2}

	r, err := Measure(t.Context(), cases(), o)
	if err != nil {
		t.Fatal(err)
	}

	if len(r.Rows) != 3 || r.Rows[0].Split != mirror.OODSuccess || r.Rows[1].Model != "m" || r.Rows[2].Model != "l" {
		t.Fatalf("the rows are %+v", r.Rows)
	}

	success, fail, other := r.Rows[0], r.Rows[1], r.Rows[2]

	// The mechanism and the fence are not compared: the answer is the real one.
	prose := bleu(characters("Some cats."), characters(answered))
	if math.Abs(success.BLEU-(1+prose)/2) > 1e-12 || success.Unreadable != 1 || success.Keeps != 0.5 {
		t.Errorf("success is %+v", success)
	}

	want := &Judged{N: 1, Lost: 1, Rating: 9, Agreement: 1} // the judgement of prose is out of range in every try
	if diff := cmp.Diff(want, success.Judge); diff != "" {
		t.Error(diff)
	}

	if fail.Keeps != 0 || fail.Judge.Rating != 2 || fail.Judge.Agreement != 1 {
		t.Errorf("fail is %+v with %+v", fail, fail.Judge)
	}

	if other.BLEU != 1 || math.Abs(*other.Cosine-1) > 1e-9 || other.Keeps != 1 || *fail.Cosine >= 1 {
		t.Errorf("the other is %+v", other)
	}

	if n := j.asked.Load(); n != 2+2+JudgeTries+1 {
		t.Errorf("the judge was asked %d times", n)
	}

	j.rule = func(string, uint64) string { return "" }
	if _, err := Measure(t.Context(), cases(), o); err == nil {
		t.Error("a judge that is down gives a rating")
	}

	var ours *envs.StageError
	if _, err := Measure(t.Context(), cases(), Options{Embedder: &hashing{down: true}}); !errors.As(err, &ours) {
		t.Errorf("an embedding model that is down: %v, want a failure of ours", err)
	}
}

// What was measured is not measured again.
func TestMeasureResumes(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "kept.jsonl")

	measure := func() (*Report, int64) {
		texts, err := kept.Open(path)
		if err != nil {
			t.Fatal(err)
		}

		j := &judging{rule: func(string, uint64) string { return "[[5]]" }}
		e := &hashing{}

		r, err := Measure(t.Context(), cases(), Options{
			Judge: texts.Writer("judge", j), Embedder: e, Kept: texts, Workers: 3,
		})
		if err := errors.Join(err, texts.Close()); err != nil {
			t.Fatal(err)
		}

		return r, j.asked.Load() + e.asked.Load()
	}

	first, asked := measure()
	second, again := measure()

	if diff := cmp.Diff(first, second); diff != "" || asked != 8 || again != 0 {
		t.Errorf("asked %d and %d times: %s", asked, again, diff)
	}
}

func TestSimulate(t *testing.T) {
	t.Parallel()

	w := &judging{rule: func(request string, _ uint64) string { return "answer to " + request }}

	got, err := Simulate(t.Context(), cases()[:2], "mirror", w, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}

	for i, want := range []string{"answer to a", "answer to b"} {
		if got[i].Simulated != want || got[i].Model != "mirror" || got[i].Real != cases()[i].Real {
			t.Errorf("case %d is %+v", i, got[i])
		}
	}

	w.rule = func(string, uint64) string { return "" }
	if _, err := Simulate(t.Context(), cases(), "mirror", w, Options{Workers: 1}); err == nil {
		t.Error("a simulator that is down answers")
	}
}

func TestRead(t *testing.T) {
	t.Parallel()

	folder := filepath.Join(t.TempDir(), "cot")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}

	read := func(name, text string) ([]Case, error) {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return Read(path)
	}

	for name, tt := range map[string]struct {
		text string
		want []Case
	}{
		"test_id_low.jsonl": {
			`{"system": "s", "instruction": "i", "output": "o"}` + "\n" +
				`{"system": "s", "instruction": "j", "output": "o", "predict": "p", "split": "cache", "model": "m"}`,
			[]Case{
				{Split: mirror.IDLow, System: "s", Instruction: "i", Real: "o"},
				{Model: "m", Split: mirror.OfCache, System: "s", Instruction: "j", Real: "o", Simulated: "p"},
			},
		},
		"generated_predictions.json": { // as LLaMA-Factory writes them, but in a list
			`[{"prompt": "i", "predict": "", "label": "o"}]`,
			[]Case{{Model: "cot", Split: "generated_predictions", Instruction: "i", Real: "o"}},
		},
		"list.json": {"\n" + `[{"instruction": "i", "output": "o"}]`,
			[]Case{{Split: "list", Instruction: "i", Real: "o"}}},
	} {
		got, err := read(name, tt.text)
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}

	for text, want := range map[string]string{
		"":                                  "has no case",
		`{"output": "o"}`:                   "case 1: it has no instruction",
		`{"instruction": "i"}`:              "it has no output",
		`{"instruction": "i", "output": 3}`: "case 1",
		`[{"instruction": "i", "output": "o"}, x`: "case 2",
		// What cannot be read must not look like the end.
		`[{"instruction": "i", "output": "o"}`:                    "case 2: unexpected EOF",
		`{"instruction": "i", "output": "o"}` + "\n\xff":          "case 2: ",
		`{"instruction": "i", "output": "o"}` + "\n" + `"\ud83d"`: "case 2: ",
		`{"instruction": "i", "output": "o"}` + "\n} more":        "case 2: ",
	} {
		if _, err := read("test_x.json", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

func TestCosine(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		a, b []float32
		want float64
	}{
		{[]float32{1, 0}, []float32{2, 0}, 1},
		{[]float32{1, 0}, []float32{0, 3}, 0},
		{[]float32{1, 1}, []float32{1, 0}, math.Sqrt2 / 2},
		{[]float32{1, 0}, []float32{-1, 0}, -1},
	} {
		if got, err := cosineOf(tt.a, tt.b); err != nil || math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%v and %v: %v (%v), want %v", tt.a, tt.b, got, err, tt.want)
		}
	}

	for _, b := range [][]float32{{1}, {0, 0}} {
		if _, err := cosineOf([]float32{1, 0}, b); err == nil {
			t.Errorf("the cosine with %v is taken", b)
		}
	}
}

// The layout is that of the paper's Tables 2 and 3: a line for each simulator, columns for each
// split.
func TestFormats(t *testing.T) {
	t.Parallel()

	cosine := 0.941
	r := &Report{Rows: []Row{
		{Model: "MirrorAPI_SFT", Split: mirror.OODSuccess, N: 200, BLEU: 0.356, BLEUWords: 0.3, Cosine: &cosine,
			Judge: &Judged{N: 199, Lost: 1, Rating: 6.86, Agreement: 0.9}, Keeps: 0.955},
		{Model: "MirrorAPI_SFT", Split: mirror.OODFail, N: 100, BLEU: 0.899, Cosine: &cosine, Keeps: 1},
		{Model: "gpt", Split: mirror.OODFail, N: 100, BLEU: 0.107, Cosine: &cosine, Judge: &Judged{N: 1, Rating: 2.06}},
	}}

	var b strings.Builder
	for _, write := range []error{r.WriteMarkdown(&b), r.WriteLaTeX(&b), r.WriteCSV(&b), r.WriteTable(&b)} {
		if write != nil {
			t.Fatal(write)
		}
	}

	for _, want := range []string{
		"| model | OOD Succ | OOD Fail |\n|---|---:|---:|\n| MirrorAPI_SFT | 6.86 | – |\n| gpt | – | 2.06 |\n",
		"| model | OOD Succ BLEU | OOD Succ Cosine | OOD Fail BLEU | OOD Fail Cosine |\n",
		"| MirrorAPI_SFT | 35.6 | 94.1 | 89.9 | 94.1 |\n",
		"model & OOD Succ & OOD Fail \\\\\n\\midrule\nMirrorAPI\\_SFT & 6.86 & -- \\\\\n",
		"MirrorAPI_SFT,ood_success,200,0.356,0.3,0,0.941,0.955,6.86,0,199,1,0.9,0\n",
		"MirrorAPI_SFT,ood_fail,100,0.899,0,0,0.941,1,,,,,,\n",
		"MirrorAPI_SFT  ood_success  200  35.6   30.0    94.1   95.5   6.86     1   90.0\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("missing:\n%s", want)
		}
	}

	if t.Failed() {
		t.Log(b.String())
	}
}

func TestKappa(t *testing.T) {
	t.Parallel()

	for _, test := range []struct{ agreement, first, second, want float64 }{
		// Cohen's example of two readers of 50 applications: both yes 20, only the first 5, only
		// the second 10, neither 15.
		{0.7, 0.5, 0.6, 0.4},
		// Readers who say yes at different rates, neither of them half of the time.
		{0.6, 0.6, 0.7, 0.06 / 0.46},
		{1, 1, 1, 0}, {1, 0.5, 0.5, 1}, {0, 0.5, 0.5, -1},
	} {
		if got := kappa(test.agreement, test.first, test.second); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("kappa(%v, %v, %v) = %v, want %v", test.agreement, test.first, test.second, got, test.want)
		}
	}
}

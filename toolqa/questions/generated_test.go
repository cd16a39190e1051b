package questions

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/synth"
)

// generatedFrom are the synthetic corpora of the golden questions, which other tests use, too.
var generatedFrom = map[toolqa.Dataset]synth.Options{
	toolqa.Agenda:  {Seed: 3, Rows: 3_000},
	toolqa.Airbnb:  {Seed: 1, Rows: 6_000},
	toolqa.Coffee:  {Seed: 1},
	toolqa.DBLP:    dblpOptions(3_000),
	toolqa.Flights: flightsOptions,
	toolqa.SciREX:  scirexOptions(1),
	toolqa.Yelp:    yelpOptions(5_000),
}

// TestGeneratedQuestionsStayTheSame compares the generated files of all datasets and difficulties
// byte by byte with those of earlier versions: the same seed and corpus must give the same
// questions and answers.
func TestGeneratedQuestionsStayTheSame(t *testing.T) {
	var sums strings.Builder

	for _, ds := range toolqa.Datasets() {
		view := mustLoad(t, synthetic(t, ds, generatedFrom[ds]))

		for _, d := range toolqa.Difficulties() {
			options := Options{Counts: PaperCounts(ds, d).Scale(0.3), Faulty: true}

			qs, err := Generate(rand.New(rand.NewPCG(0, 0)), view, d, options)
			if err != nil {
				t.Fatal(err)
			}

			fmt.Fprintf(&sums, "%s %s %x\n", ds, d, sumOfFiles(t, qs))
		}
	}

	wantGolden(t, "generated.txt", sums.String())
}

// TestPlansStayTheSame compares what the scripted reader thinks, does and sees, for some questions
// of each template.
func TestPlansStayTheSame(t *testing.T) {
	var sums strings.Builder

	for _, ds := range toolqa.Datasets() {
		c := synthetic(t, ds, generatedFrom[ds])
		view := mustLoad(t, c)
		w := newWorld(t, c)

		for _, tmpl := range templatesOf(ds) {
			played := sha256.New()
			for _, e := range w.play("p_c", drawSome(t, tmpl, view, 6)) {
				for _, turn := range e.history.Turns() {
					fmt.Fprintf(played, "%s\n%s\n", turn.Action, turn.Observation)
				}
			}

			fmt.Fprintf(&sums, "%s %x\n", tmpl.Name, played.Sum(nil))
		}
	}

	wantGolden(t, "plans.txt", sums.String())
}

// wantGolden compares a text with that of a file in testdata, which -update writes.
func wantGolden(t *testing.T, name, got string) {
	t.Helper()

	golden := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s has changed (-want +got):\n%s", name, diff)
	}
}

// sumOfFiles writes questions and returns the checksum of all the files.
func sumOfFiles(t *testing.T, qs []toolqa.Question) []byte {
	t.Helper()
	dir := t.TempDir()

	if err := Write(dir, qs); err != nil {
		t.Fatal(err)
	}

	sums, err := os.ReadFile(sumsPath(dir))
	if err != nil {
		t.Fatal(err)
	}

	sum := sha256.Sum256(sums)
	return sum[:]
}

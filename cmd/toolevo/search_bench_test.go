package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/finetune/tabulate"
	"toolevo/trajectories"
)

// searchArms are the ways to spend the completions of a question, each a file of
// finetune/proof/search. The first is what the others are compared with.
var searchArms = []string{"samples", "ended", "efficient", "reference", "paper"}

// harvest is what an arm found, all seeds together.
type harvest struct {
	completions int
	questions   []trajectories.Question     // of one seed
	covered     map[string]tabulate.Cluster // by question: the seeds in which it has a trajectory
	// trajectories, sequences of tools, and failures recovered from, all distinct
	found [3]int
}

// BenchmarkSearchPays prints what trees and independent samples find for the same number of
// completions: hard questions of four datasets in p_s_in, three seeds of the run. coffee is the
// published table where it is at hand.
func BenchmarkSearchPays(b *testing.B) {
	data := searchData(b)
	budgets := []struct {
		policy      string
		completions int // of a question
	}{{"scripted:noisy", 20}, {"scripted:noisy", 60}, {"scripted:weak", 60}, {"scripted:weak", 240}}

	fmt.Println("\n| policy | completions | arm | covered, % | more than samples | " +
		"coffee alone, % | more than samples | trajectories | sequences | recoveries | " +
		"completions each |\n" +
		"|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|")

	for b.Loop() {
		for _, budget := range budgets {
			var samples harvest

			for i, arm := range searchArms {
				h := spend(b, data, arm, "policy="+budget.policy,
					fmt.Sprint("search.completions=", budget.completions))
				if i == 0 {
					samples = h
				}

				fmt.Printf("| %s | %d | %s | %s |\n", budget.policy, budget.completions, arm,
					h.line(samples))
			}
		}
	}

	b.ReportMetric(0, "ns/op")
}

// spend collects with three seeds.
func spend(b *testing.B, data, arm string, settings ...string) harvest {
	b.Helper()

	h := harvest{covered: map[string]tabulate.Cluster{}}
	settings = append(settings, "dataset=coffee,flights,agenda,dblp", "difficulty=hard", "limit=30")

	file, err := configs.FileLayer(filepath.Join("..", "..", "finetune", "proof", "search", arm+".yaml"))
	if err != nil {
		b.Fatal(err)
	}

	for seed := 1; seed <= 3; seed++ {
		g := gather(b, data, append(settings, fmt.Sprint("seed=", seed)), file)
		h.questions = g.questions
		h.completions += int(g.Samples)
		covered := h.count(g.rows)

		for _, q := range g.questions {
			c := h.covered[q.ID]
			c.Trials++
			if covered[q.ID] {
				c.Successes++
			}

			h.covered[q.ID] = c
		}
	}
	return h
}

// count counts what a run found, and returns the questions that have a trajectory. A failure is
// recovered from where the tool that was called is called with success later. Deprecations, which
// every trajectory meets, are not counted.
func (h *harvest) count(rows []trajectories.Row) (covered map[string]bool) {
	covered = map[string]bool{}
	distinct := [3]map[string]bool{{}, {}, {}}

	for _, row := range rows {
		covered[row.QuestionID] = true
		distinct[0][row.QuestionID+row.Key] = true
		distinct[1][sequenceOf(&row)] = true

		for i, t := range row.Turns {
			if _, ok := trajectories.Recovery(row.Turns, i, nil); ok &&
				t.Outcome.IsInvocationError() {
				distinct[2][row.QuestionID+t.Key] = true
			}
		}
	}

	for i := range distinct {
		h.found[i] += len(distinct[i])
	}
	return covered
}

// line is the figures of an arm, what it found being the mean of a question.
func (h harvest) line(samples harvest) string {
	of := func(n int) string { return fmt.Sprintf("%.2f", float64(n)/float64(3*len(h.questions))) }

	each := "–"
	if h.found[0] > 0 {
		each = fmt.Sprintf("%.1f", float64(h.completions)/float64(h.found[0]))
	}
	return strings.Join([]string{h.share(samples, ""), h.share(samples, "coffee"),
		of(h.found[0]), of(h.found[1]), of(h.found[2]), each}, " | ")
}

// share is how many of the questions of a dataset, or of all, are covered, and how many more than
// by independent samples on the same questions, in percent with 95 % intervals. What questions of a
// template have in common makes the first one wider.
func (h harvest) share(samples harvest, dataset string) string {
	templates := map[string]map[string]tabulate.Cluster{} // by dataset
	var both []tabulate.Both

	for _, q := range h.questions {
		of, template := q.Labels[envs.LabelDataset], q.Labels[envs.LabelTemplate]
		if dataset != "" && of != dataset {
			continue
		}

		if templates[of] == nil {
			templates[of] = map[string]tabulate.Cluster{}
		}

		c, covered := templates[of][template], h.covered[q.ID]
		templates[of][template] = tabulate.Cluster{Successes: c.Successes + covered.Successes,
			Trials: c.Trials + covered.Trials}
		both = append(both, tabulate.Both{First: covered, Second: samples.covered[q.ID]})
	}

	// The sum of floats depends on their order, which a map leaves to chance.
	var strata [][]tabulate.Cluster
	for _, of := range slices.Sorted(maps.Keys(templates)) {
		var clusters []tabulate.Cluster
		for _, template := range slices.Sorted(maps.Keys(templates[of])) {
			clusters = append(clusters, templates[of][template])
		}

		strata = append(strata, clusters)
	}

	r, d := tabulate.RateOf(strata...), tabulate.DifferenceOf(both)
	return fmt.Sprintf("%.0f [%.0f, %.0f] | %+.0f [%+.0f, %+.0f]",
		100*r.Share, 100*r.Low, 100*r.High, 100*d.Share, 100*d.Low, 100*d.High)
}

// searchData is a data folder with the questions that are searched.
func searchData(b *testing.B) string {
	b.Helper()

	data, a := b.TempDir(), on(io.Discard)
	coffee := []string{"data", "build", "--dataset", "coffee"}
	published := filepath.Join(os.Getenv("TOOLEVO_SHARED_DATA"), "toolqa", "corpus")

	if _, err := os.Stat(filepath.Join(published, "coffee")); err == nil {
		coffee = []string{"data", "import", "--dataset", "coffee", "--corpus", published}
	}

	others := []string{"data", "build", "--dataset", "flights,agenda,dblp"}
	for _, args := range [][]string{coffee, others, {"data", "questions"}} {
		if code := a.run(context.Background(), append(args, "--data", data)); code != exitDone {
			b.Fatalf("toolevo %v: exit code %d", args, code)
		}
	}

	return data
}

package report

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"sync"

	"toolevo/envs/display"
	"toolevo/finetune"
	"toolevo/finetune/facts"
	"toolevo/finetune/failure"
	"toolevo/finetune/improve"
	"toolevo/finetune/robustness"
	"toolevo/finetune/tabulate"
	"toolevo/finetune/viewer"
)

//go:embed page.html style.css
var files embed.FS

// Page is what is reported. What it has none of is left out.
type Page struct {
	Title string
	Runs  []Run // what it is about

	Evaluation *finetune.Report // of all evaluations together
	Prompt     string           // the API version that prompts show: under it nothing has changed
	Failures   []facts.ErrorRow
	Examples   []failure.Case
	Adaptation []facts.AdaptationRow

	Robustness *robustness.Report

	Collections []Collection
	Improvement *improve.Result
}

// Run is a run that the report is about.
type Run struct {
	Name     string // of its directory
	Kind     string // "collect" or "eval"
	ID       string
	State    string // e.g. "finished"
	Software string
	Inputs   map[string]string // hashes and makers
	Config   string            // YAML
}

// Collection is what a collection found about the questions of a dataset and difficulty.
type Collection struct {
	Run, Dataset, Difficulty string
	Questions                int // that were chosen
	Tried                    int // of which it has a tree
	Solved                   int // with a trajectory that training may take
	Trajectories             int // distinct ones
	Trees, Calls             int // of the model
}

// Collection returns what a run found about a dataset and difficulty, nothing at first.
func (p *Page) Collection(run, dataset, difficulty string) *Collection {
	for i := range p.Collections {
		if c := &p.Collections[i]; c.Run == run && c.Dataset == dataset && c.Difficulty == difficulty {
			return c
		}
	}

	p.Collections = append(p.Collections, Collection{Run: run, Dataset: dataset, Difficulty: difficulty})

	return &p.Collections[len(p.Collections)-1]
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	return pages().ExecuteTemplate(w, "page.html", p)
}

var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"clean":   display.Visible,
		"percent": percent,
		"style": func() (template.CSS, error) {
			own, err := files.ReadFile("style.css")
			return template.CSS(viewer.Style() + string(own)), err
		},
		"add":      func(a, b int) int { return a + b },
		"interval": func(at, low, high float64) interval { return interval{at, low, high} },
		"p":        tabulate.Probability,
	}).ParseFS(files, "page.html"))
})

// percent is a proportion in percent, as reports print it.
func percent(share float64) string { return fmt.Sprintf("%.1f", 100*share) }

// interval is an estimate and its interval, proportions in 0..1.
type interval struct{ At, Low, High float64 }

// drift is the accuracy of a policy where nothing has changed and where APIs have (the paper's Figure 2).
type drift struct {
	Policy string
	Lines  []finetune.Summary // the prompt version's first
}

// Drifts are the policies with their means over all datasets.
func (p *Page) Drifts() (all []drift) {
	if p.Evaluation == nil {
		return nil
	}

	for _, s := range p.Evaluation.Summaries {
		if s.Difficulty != "all" {
			continue
		}

		i := slices.IndexFunc(all, func(d drift) bool { return d.Policy == s.Policy })
		if i < 0 {
			i, all = len(all), append(all, drift{Policy: s.Policy})
		}

		all[i].Lines = append(all[i].Lines, s)
	}

	for _, d := range all {
		slices.SortStableFunc(d.Lines, func(a, b finetune.Summary) int {
			return cmp.Compare(p.changed(a.API), p.changed(b.API))
		})
	}

	return all
}

// changed is 1 of a version that is not the prompt's.
func (p *Page) changed(api string) int {
	if api == p.Prompt {
		return 0
	}

	return 1
}

// IsConsistent reports whether a version is the one that prompts show.
func (p *Page) IsConsistent(api string) bool { return p.changed(api) == 0 }

// round is what a round measured on a server under an API version, over all questions.
type round struct {
	Round  int
	Server string
	finetune.Row
}

// Rounds are the rounds of the improvement loop.
func (p *Page) Rounds() (all []round) {
	if p.Improvement == nil {
		return nil
	}

	for _, r := range p.Improvement.Rounds {
		for _, e := range r.Evaluations {
			for _, row := range e.Overall {
				all = append(all, round{r.Round, e.Server, row})
			}
		}
	}

	return all
}

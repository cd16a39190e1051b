package report

import (
	"cmp"
	"embed"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"toolevo/envs/display"
	"toolevo/finetune"
	"toolevo/finetune/facts"
	"toolevo/finetune/failure"
	"toolevo/finetune/robustness"
	"toolevo/finetune/tabulate"
	"toolevo/finetune/viewer"
)

//go:embed page.html style.css
var files embed.FS

// Page is the contents of a report. What is empty is left out.
type Page struct {
	Title string
	Runs  []Run // what it is about

	Evaluation *finetune.Report // of all evaluations together
	Prompt     string           // the API version that prompts show: under it nothing has changed
	Failures   *facts.Errors
	Examples   []failure.Case
	Adaptation *facts.Adaptation

	Robustness *robustness.Report

	Collections []Collection
	Improvement []tabulate.Grid // of rounds
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
	Took     string            // time, tokens and cost; "" if they were not noted
}

// Collection is what a collection found about the questions of a dataset and difficulty.
type Collection struct {
	Run          string `json:"run"`
	Dataset      string `json:"dataset"`
	Difficulty   string `json:"difficulty"`
	Questions    int    `json:"questions"`    // that were chosen
	Tried        int    `json:"tried"`        // of which it has a tree
	Solved       int    `json:"solved"`       // with a trajectory that training may take
	Trajectories int    `json:"trajectories"` // distinct ones
	Trees        int    `json:"trees"`
	Calls        int    `json:"calls"` // of the model
}

// Collection returns what a run found about a dataset and difficulty, empty at first.
func (p *Page) Collection(run, dataset, difficulty string) *Collection {
	for i := range p.Collections {
		if c := &p.Collections[i]; c.Run == run && c.Dataset == dataset && c.Difficulty == difficulty {
			return c
		}
	}

	fresh := Collection{Run: run, Dataset: dataset, Difficulty: difficulty}
	p.Collections = append(p.Collections, fresh)
	return &p.Collections[len(p.Collections)-1]
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	return pages().ExecuteTemplate(w, "page.html", p)
}

var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"clean": display.Visible,
		"style": func() (template.CSS, error) {
			own, err := files.ReadFile("style.css")
			return template.CSS(viewer.Style() + string(own)), err
		},
		"one": func(g tabulate.Grid) []tabulate.Grid { return []tabulate.Grid{g} },
		"add": func(a, b int) int { return a + b },
		"grids": func(grids []tabulate.Grid) (template.HTML, error) {
			var b strings.Builder
			err := tabulate.WriteHTML(&b, grids)
			return template.HTML(b.String()), err // made by a template
		},
	}).ParseFS(files, "page.html"))
})

//go:embed tables.yaml
var tablesYAML []byte

var tables = tabulate.Embedded(tablesYAML, nil, []string{"drifts", "collections"})

// Drifts returns the accuracies of policies where nothing has changed and where APIs have (the
// paper's Figure 2), means over all datasets. The version of the prompt comes first.
func (p *Page) Drifts() []tabulate.Grid {
	if p.Evaluation == nil {
		return nil
	}

	all := map[string]string{"difficulty": tabulate.All}
	rows := tabulate.Where(tabulate.RowsOf(p.Evaluation.Summaries), all)

	for _, row := range rows {
		if row["is"] = "changed"; row.Text("api") == p.Prompt {
			row["is"] = "consistent"
		}
	}

	slices.SortStableFunc(rows, func(a, b tabulate.Row) int {
		return cmp.Compare(b.Text("is"), a.Text("is"))
	})
	return tables().Grids("drifts", map[string][]tabulate.Row{"drifts": rows})
}

// Collected returns what collections found.
func (p *Page) Collected() []tabulate.Grid {
	rows := tabulate.RowsOf(p.Collections)
	return tables().Grids("collections", map[string][]tabulate.Row{"collections": rows})
}

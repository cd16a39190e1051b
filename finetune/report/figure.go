package report

import (
	"bytes"
	"encoding/base64"
	"html/template"

	"toolevo/finetune/robustness"
	"toolevo/finetune/tabulate"
)

// figure is pictures inside the page with one legend: a panel each, so that they are side by side
// where there is room.
type figure struct {
	Title  string
	Legend []tabulate.Key
	Panels []panel
}

type panel struct {
	Title  string
	Source template.URL // its SVG
}

// Figures returns the paper's figures 4 to 6: what a change of one factor costs. There are none if
// the evaluation has no version of one factor, or a policy was not measured under the original.
func (p *Page) Figures() ([]figure, error) {
	if p.Evaluation == nil {
		return nil, nil
	}

	rows, err := robustness.Factors(p.Evaluation, p.Prompt)
	if err != nil {
		return nil, nil
	}
	return embedded(robustness.FactorFigures(rows, p.Prompt))
}

// RobustnessFigures returns DynamicToolBench's figures 3 and 4.
func (p *Page) RobustnessFigures() ([]figure, error) { return embedded(p.Robustness.Figures()) }

// embedded returns figures as parts of the page.
func embedded(figures []tabulate.Figure) ([]figure, error) {
	var all []figure

	for _, f := range figures {
		shown := figure{Title: f.Title, Legend: f.Legend()}

		for _, p := range f.Panels {
			var svg bytes.Buffer
			if err := f.WritePanel(&svg, p); err != nil {
				return nil, err
			}

			// As an image a figure can neither run a script nor fetch anything, whatever a policy
			// is called.
			source := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg.Bytes())
			shown.Panels = append(shown.Panels, panel{p.Title, template.URL(source)})
		}

		all = append(all, shown)
	}
	return all, nil
}

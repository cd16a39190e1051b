package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"toolevo/envs/disk"
	"toolevo/finetune/tabulate"
)

//go:embed tables.yaml
var tablesYAML []byte

var tables = tabulate.Embedded(tablesYAML, []string{"rows"}, []string{"grid"})

// row is an episode as tables see it.
type row struct {
	Model   string `json:"model"`
	Trained string `json:"trained on"` // the set, or "nothing"
	With    string `json:"with"`       // the baseline
	Seed    string `json:"seed"`
	episode
}

// cost is what a cell took, in seconds.
type cost struct {
	Cell      string  `json:"cell"`
	Samples   int     `json:"samples"`
	Collected float64 `json:"collected"`
	Trained   float64 `json:"trained"`
	Evaluated float64 `json:"evaluated"`
	Episodes  int     `json:"episodes"`
	Load      string  `json:"load"`
	Attempts  int     `json:"attempts"`
}

// The lines of a page between which the tables are.
const (
	markBegin = "<!-- tables: written by make proof-tables -->"
	markEnd   = "<!-- end of the tables -->"
)

// writeTables puts the tables of the results between the marks of a page.
func writeTables(g *grid, results, page string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}

	before, rest, ok := strings.Cut(string(text), markBegin)
	_, after, ended := strings.Cut(rest, markEnd)

	if !ok || !ended {
		return fmt.Errorf("%s: want the lines %q and %q", page, markBegin, markEnd)
	}

	tables, err := tablesOf(g, results)
	if err != nil {
		return err
	}
	return disk.Write(page, []byte(before+markBegin+"\n\n"+tables+markEnd+after))
}

// tablesOf returns the tables of the cells that are done, and the names of those that are not.
func tablesOf(g *grid, results string) (string, error) {
	rows, costs, missing, err := readCells(g, results)
	if err != nil {
		return "", err
	}

	file := bytes.ReplaceAll(tablesYAML, []byte("AGAINST"), []byte(g.Against))
	shown := tabulate.MustRead(file, []string{"rows"}, []string{"grid"})
	made := map[string][]tabulate.Row{"costs": tabulate.RowsOf(costs)}

	// The costs come from manifests; all other tables are made of the rows.
	for name, t := range shown.Tables {
		if t.Over != "" {
			made[name] = t.Rows(tabulate.Of(rows))
		}
	}

	// A baseline has no comparison with itself, and so no row.
	for _, name := range []string{"sets", "baselines", "instead"} {
		made[name] = compared(made[name])
	}

	var b bytes.Buffer

	// Without this, tables of a part of the grid would look like those of all of it.
	for _, part := range []string{"primary", "secondary"} {
		if names := missing[part]; len(names) > 0 {
			list := strings.Join(names, ", ")
			fmt.Fprintf(&b, "Missing cells of the %s part: %s.\n\n", part, list)
		}
	}

	err = tabulate.WriteMarkdown(&b, shown.Grids("grid", made))
	return strings.TrimRight(b.String(), "\n") + "\n\n", err
}

// readCells reads the cells that are done, and names those that are not, by part.
func readCells(g *grid, results string) (
	rows []row, costs []cost, missing map[string][]string, err error,
) {
	missing = map[string][]string{}
	places := places{}
	known := map[string]string{} // hashes that cells have in common, by what they are of

	for _, c := range g.Cells {
		// The manifest is written last, so a cell without one is not done.
		text, err := os.ReadFile(filepath.Join(results, c.Name, manifestFile))
		if errors.Is(err, fs.ErrNotExist) {
			missing[c.part()] = append(missing[c.part()], c.Name)
			continue
		}

		var m manifest
		if err = errors.Join(err, json.Unmarshal(text, &m)); err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", c.Name, err)
		}

		if other := m.otherThan(g, *c, known); other != "" {
			return nil, nil, nil, fmt.Errorf("%s: its results are of %s: remove %s", c.Name, other,
				filepath.Join(results, c.Name))
		}

		all, err := readCSV(filepath.Join(results, c.Name, factsFile))
		if err != nil {
			return nil, nil, nil, err
		}

		for _, e := range all {
			r := row{c.Model, c.trainedOn(), e.Baseline, strconv.Itoa(c.Seed), e}
			rows = places.put(rows, r)
		}

		costs = append(costs, costOf(&m, len(all)))
	}
	return rows, costs, missing, nil
}

// places are where rows are, by what they have in common with those that take their place.
type places map[[6]string]int

// put adds a row. A cell that measures weights again has some of the same questions: the later one
// counts.
func (p places) put(rows []row, r row) []row {
	key := [6]string{r.Model, r.Trained, r.With, r.Seed, r.API, r.Question}

	i, ok := p[key]
	if !ok {
		p[key] = len(rows)
		return append(rows, r)
	}

	rows[i] = r
	return rows
}

// otherThan says what else results are of than of a cell, or "". known are the hashes of cells that
// were looked at before, to which it adds these.
func (m *manifest) otherThan(g *grid, c cell, known map[string]string) string {
	if m.Cell == nil {
		return "another design than the grid's"
	}

	// Which part it belongs to makes no difference to them.
	c.Secondary = m.Cell.Secondary

	settings, err := (&driver{grid: g}).settings(&c)
	if err != nil || !reflect.DeepEqual(*m.Cell, c) || cmp.Or(m.Settings, settings) != settings {
		return "another design than the grid's"
	}

	for name, sum := range m.Hashes {
		switch {
		case name == "program" || strings.HasPrefix(name, "samples"):
			continue
		case !strings.HasPrefix(name, "weights/"): // an input, which all cells have
		case c.Set == "":
			name = c.Model + "/" + name
		default:
			name = cmp.Or(c.Weights, c.Name) + "/" + name
		}

		if known[name] = cmp.Or(known[name], sum); known[name] != sum {
			return "another " + name + " than those of other cells"
		}
	}
	return ""
}

// part returns which part of the plan a cell belongs to.
func (c *cell) part() string {
	if c.Secondary {
		return "secondary"
	}
	return "primary"
}

func compared(rows []tabulate.Row) (all []tabulate.Row) {
	for _, r := range rows {
		if r.Has("paired_n") {
			all = append(all, r)
		}
	}

	return all
}

func (c *cell) trainedOn() string {
	if c.Set == "" {
		return "nothing"
	}
	return c.Set
}

func costOf(m *manifest, episodes int) cost {
	c := cost{
		Cell: m.Cell.Name, Samples: m.Samples, Episodes: episodes,
		Trained: m.Seconds["train"], Evaluated: m.Seconds["evaluate"],
		Load: m.Load, Attempts: m.Attempts,
	}

	for name, seconds := range m.Seconds {
		if strings.HasPrefix(name, "collect-") {
			c.Collected += seconds
		}
	}

	return c
}

package programs

import (
	"context"
	"errors"
	"strings"

	"toolevo/envs/kept"
	"toolevo/envs/sandbox"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
	"toolevo/envs/stategen/measure"
)

// Measuring measures programs.
type Measuring struct {
	Base  Version               // what references are written for
	Count func(text string) int // tokens; nil counts none
}

// Version returns how programs of a domain reach its tools.
type Version func(d stategen.Domain) *code.Surface

// Sample measures a task.
func (m *Measuring) Sample(d stategen.Domain, t *stategen.Task) (Sample, error) {
	s := Sample{Domain: d.Name(), Flow: measure.Of(&t.Program)}
	if m.Count == nil {
		return s, nil
	}

	program, err := m.Base(d).Render(&t.Program)
	if err != nil {
		return s, err
	}

	text := strings.TrimSpace(t.Instruction.Variables + "\n\n" + t.Instruction.Text)
	s.Sizes = &Sizes{Instruction: m.Count(text), Code: m.Count(program)}
	return s, nil
}

// Generators says which generators are compared.
type Generators struct {
	Programs int // of each run
	Runs     int // of each selector, each with a seed of its own
	Seed     uint64
	Workers  int
}

// Selectors returns the curves of a domain's generators, one for each selector. done, which may be
// nil, is called with how many runs are done.
func (g Generators) Selectors(ctx context.Context, d stategen.Domain,
	done func(done, total int)) ([]Coverage, error) {
	selectors := stategen.Selectors()
	n := len(selectors) * g.Runs

	runs, err := kept.All(ctx, n, g.Workers, done, func(ctx context.Context, i int) (measure.Growth, error) {
		return measure.Grow(ctx, d, stategen.Options{
			Calls: stategen.DefaultCalls, Selector: selectors[i/g.Runs],
			Seed: g.Seed + uint64(i%g.Runs),
		}, g.Programs)
	})
	if err != nil {
		return nil, err
	}

	curves := make([]Coverage, len(selectors))
	for i, s := range selectors {
		curves[i] = CoverageOf(d.Name(), string(s), runs[i*g.Runs:(i+1)*g.Runs])
	}
	return curves, nil
}

// Author is a model that writes programs by itself.
type Author struct {
	Name    string
	Writer  kept.Writer
	Prompts kept.Prompts
	Engine  sandbox.Engine // that reads what it wrote
}

// Author returns the curve of what a model writes for a domain. A text that is no program covers
// nothing.
func (g Generators) Author(ctx context.Context, s *code.Surface, a Author) (Coverage, error) {
	texts, err := sketches(ctx, a, s, g.Programs, g.Seed)
	if err != nil {
		return Coverage{}, err
	}

	tools := make([]string, 0, len(s.Domain.APIs()))
	for _, api := range s.Domain.APIs() {
		tools = append(tools, api.Name)
	}

	var none *measure.NoProgramError

	flows, unread := make([]measure.Flow, len(texts)), 0

	for i, text := range texts {
		if flows[i], err = measure.Read(ctx, a.Engine, tools, text); errors.As(err, &none) {
			unread++
		} else if err != nil {
			return Coverage{}, err
		}
	}

	c := CoverageOf(s.Domain.Name(), a.Name, []measure.Growth{measure.GrowthOf(s.Domain, flows)})
	c.Unread = unread
	return c, nil
}

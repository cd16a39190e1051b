package adaptation

import (
	"maps"
	"slices"

	"toolevo/envs"
	"toolevo/envs/toolapi"
	"toolevo/trajectories"
)

// Sample is an episode as it is measured.
type Sample struct {
	*trajectories.Episode
	API     string           // what reports call the version it met: its name, or that of its family
	Version *toolapi.Version // that version
}

// Measures adds up samples. The zero value has none.
type Measures struct {
	sums  []*sum
	cells map[cell]*sum
	plain map[question]spent // under the version of the prompt
}

// cell is what a row stands for.
type cell struct{ policy, api string }

// question is what a policy was asked.
type question struct{ policy, id, text string }

// spent is what episodes took.
type spent struct{ episodes, turns, tokens int }

// sum is what the samples of a cell add up to.
type sum struct {
	row      Row
	spent    spent
	byTurns  map[int]int // tools, by the turns after which they recovered
	newTools map[string]NewTool
	drifted  map[question]spent
	asked    []question // those of drifted, in the order in which they came first
}

// Add counts a sample.
func (m *Measures) Add(s Sample) {
	c := m.sum(cell{s.Policy, s.API})

	if s.Lost != "" {
		c.row.Lost++
		return
	}

	c.row.N++
	c.deprecations(s.Turns)
	c.calls(s.Turns)
	c.updates(s.Turns, s.Version)
	c.row.RepeatedTurns += trajectories.RepeatedFailures(s.Turns)

	c.spent = c.spent.and(s)

	q := question{s.Policy, s.QuestionID, s.Question}

	if s.DeployedAPI == s.PromptAPI {
		m.plain[q] = m.plain[q].and(s)
		return
	}

	if _, ok := c.drifted[q]; !ok {
		c.asked = append(c.asked, q)
	}

	c.drifted[q] = c.drifted[q].and(s)
}

func (m *Measures) sum(c cell) *sum {
	if m.cells == nil {
		m.cells, m.plain = map[cell]*sum{}, map[question]spent{}
	}

	if m.cells[c] == nil {
		m.cells[c] = &sum{
			row:      Row{Policy: c.policy, API: c.api},
			byTurns:  map[int]int{},
			newTools: map[string]NewTool{},
			drifted:  map[question]spent{},
		}
		m.sums = append(m.sums, m.cells[c])
	}

	return m.cells[c]
}

// and returns what was spent with a sample more.
func (s spent) and(sample Sample) spent {
	return spent{s.episodes + 1, s.turns + len(sample.Turns), s.tokens + sample.Tokens}
}

// deprecations counts what an episode did about notices.
func (s *sum) deprecations(turns []trajectories.Turn) {
	met := map[string]bool{}
	recovered := 0

	for i, t := range turns {
		if t.Outcome != envs.Deprecated || met[t.Tool] {
			continue
		}

		met[t.Tool] = true

		if after, ok := trajectories.Recovery(turns, i); ok {
			recovered++
			s.byTurns[after]++
		}
	}

	if len(met) == 0 {
		return
	}

	s.row.Met++
	s.row.ToolsMet += len(met)
	s.row.ToolsRecovered += recovered

	if recovered == len(met) {
		s.row.Adapted++
	}
}

// calls counts how an episode called tools that are deployed, and names that are not.
func (s *sum) calls(turns []trajectories.Turn) {
	for _, t := range turns {
		if _, unknown := t.UnknownTool(); unknown {
			s.row.Hallucinated++
		}

		deployed := t.Tool != "" && t.Outcome != envs.Deprecated
		if !deployed || t.API == t.Tool {
			continue
		}

		tool := s.newTools[t.API]
		tool.API, tool.Tool = t.API, t.Tool

		if tool.Calls++; t.Outcome == envs.InvocationError {
			tool.Errors++
		}

		s.newTools[t.API] = tool
	}
}

// updates counts what an episode told UpdateTool.
func (s *sum) updates(turns []trajectories.Turn, v *toolapi.Version) {
	for i := range turns {
		if !turns[i].IsUpdate() {
			continue
		}

		s.row.Updates.Calls++

		text, _ := turns[i].Description()

		switch Judge(text, v) {
		case True:
			s.row.Updates.True++
		case UnknownTool:
			s.row.Updates.UnknownTool++
		case UnknownParameter:
			s.row.Updates.UnknownParameter++
		}
	}
}

// Rows returns the measures of the samples so far.
func (m *Measures) Rows() []Row {
	rows := make([]Row, len(m.sums))
	for i, s := range m.sums {
		rows[i] = s.complete(m.plain)
	}

	return rows
}

// complete returns the row with what its counts come to.
func (s *sum) complete(plain map[question]spent) Row {
	row := s.row
	row.Recovery, row.NewTools = []Recovery{}, []NewTool{}
	turns := 0

	for _, after := range slices.Sorted(maps.Keys(s.byTurns)) {
		row.Recovery = append(row.Recovery, Recovery{after, s.byTurns[after]})
		turns += after * s.byTurns[after]
	}

	for _, name := range slices.Sorted(maps.Keys(s.newTools)) {
		row.NewTools = append(row.NewTools, s.newTools[name])
	}

	row.RepeatedShare = mean(row.RepeatedTurns, s.spent.turns)
	row.MetShare = mean(row.Met, row.N)
	row.RecoveryTurns = mean(turns, row.ToolsRecovered)
	row.Turns, row.Tokens = mean(s.spent.turns, row.N), mean(s.spent.tokens, row.N)
	row.Cost = s.cost(plain)

	return row
}

// cost compares the questions that both versions were asked; nil when there is none.
func (s *sum) cost(plain map[question]spent) *Cost {
	var c Cost

	counted := true // their tokens

	for _, q := range s.asked {
		drift, base := s.drifted[q], plain[q]
		if base.episodes == 0 {
			continue
		}

		c.N++
		c.Turns += mean(drift.turns, drift.episodes) - mean(base.turns, base.episodes)
		c.Tokens += mean(drift.tokens, drift.episodes) - mean(base.tokens, base.episodes)
		counted = counted && drift.tokens > 0 && base.tokens > 0
	}

	if c.N == 0 {
		return nil
	}

	c.Turns /= float64(c.N)

	if c.Tokens /= float64(c.N); !counted {
		c.Tokens = 0
	}

	return &c
}

func mean(sum, n int) float64 { return float64(sum) / float64(max(n, 1)) }

package export

import (
	"fmt"
	"iter"
	"slices"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/trajectories"
)

// Acceptance decides, while a run goes on, which of its trajectories an export will take: those
// whose sample the linter does not fault, and that are short enough. It is safe for concurrent use.
type Acceptance struct {
	linter     *Linter
	reasoning  action.Reasoning
	shown      func(envs.Task) trajectories.Shown
	characters int
}

// NewAcceptance returns the acceptance of samples that begin with what is shown of their task, and
// of whose reasoning later prompts showed what is said. The linter bounds their length in tokens;
// where it has no tokenizer characters do, 0 being no bound.
func NewAcceptance(
	linter *Linter, reasoning action.Reasoning, shown func(envs.Task) trajectories.Shown, characters int,
) *Acceptance {
	return &Acceptance{linter: linter, reasoning: reasoning, shown: shown, characters: characters}
}

// Accept reports whether an export would take the trajectory that led to a history.
func (a *Acceptance) Accept(h envs.History) bool {
	task := h.Task()
	row := trajectories.Row{
		Question: task.Question, Labels: task.Labels, Tools: task.Tools, DeployedAPI: h.Announced(),
	}

	for _, t := range h.Turns() {
		turn := trajectories.Turn{
			Action: string(t.Action), Observation: t.Observation, Outcome: t.Outcome,
			API: t.Call.Name, Tool: t.Call.Tool,
		}
		if turn.IsUpdate() { // its description may be in the list of tools from here on
			turn.Key = action.Canonical(t.Call)
		}

		row.Turns = append(row.Turns, turn)
	}
	return a.Lint(&row) == nil
}

// Lint returns what an export would hold against a trajectory; nil when nothing is.
func (a *Acceptance) Lint(row *trajectories.Row) []Finding {
	sample, _ := NewSample(a.shown(row.Task()), row, a.linter.Sanitizer())
	sample.Once = a.reasoning == action.Once

	if sample.stepsAlone() == "" {
		return a.lint(SFTTrajectory, row, &sample)
	}

	for i := range row.Turns { // none is exported as a whole
		step := sample.step(i)
		if found := a.lint(SFTStep, row, &step); found != nil {
			return found
		}
	}

	return nil
}

// LeftOut says of how many trajectories that are right by the benchmark's matcher, in canonical
// order, training takes none, and why: each is counted under the first reason.
func (a *Acceptance) LeftOut(rows iter.Seq2[trajectories.Row, error]) ([]LeftOut, error) {
	wrong, same, faults, byRules := 0, 0, 0, map[Rule]int{}

	var seen map[string]bool

	question := ""

	for row, err := range rows {
		if err != nil {
			return nil, err
		}

		if row.QuestionID != question || seen == nil {
			question, seen = row.QuestionID, map[string]bool{}
		}

		switch found := a.Lint(&row); {
		case !row.Strict:
			wrong++
		case found != nil:
			faults++
			byRules[found[0].Rule]++
		case seen[row.Key]:
			same++
		default:
			seen[row.Key] = true
		}
	}

	return slices.DeleteFunc([]LeftOut{
		{wrong, "wrong by the strict matcher"},
		{faults, "rejected by the linter" + byRule(byRules)},
		{same, "the same as another of the question"},
	}, func(l LeftOut) bool { return l.N == 0 }), nil
}

func (a *Acceptance) lint(format Format, row *trajectories.Row, s *Sample) []Finding {
	found := a.linter.LintRow(format, row, s)
	if a.characters == 0 {
		return found
	}

	if characters, _ := a.linter.Length(format, s); characters > a.characters {
		found = append(found, Finding{TooLong, -1, fmt.Sprintf("%d characters, want at most %d", characters,
			a.characters)})
	}
	return found
}

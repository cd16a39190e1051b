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
	deployed   func(question string) string
	characters int
}

// NewAcceptance returns an acceptance of samples. shown is what their models are shown before a
// task, reasoning what later prompts show of earlier reasoning, and deployed the API version that a
// question meets. The linter bounds the length in tokens; without a tokenizer, characters is the
// bound, and 0 means unlimited.
func NewAcceptance(
	linter *Linter, reasoning action.Reasoning, shown func(envs.Task) trajectories.Shown,
	deployed func(question string) string, characters int,
) *Acceptance {
	return &Acceptance{linter, reasoning, shown, deployed, characters}
}

// Accept reports whether an export would take the trajectory that led to a history.
func (a *Acceptance) Accept(h envs.History) bool {
	task := h.Task()
	row := trajectories.Row{
		Question: task.Question, Labels: task.Labels, Tools: task.Tools, DeployedAPI: a.deployed(task.ID),
	}

	codec := action.OrDefault(a.shown(task).Codec)

	for _, t := range h.Turns() {
		turn := trajectories.Turn{
			Action: string(t.Action), Observation: t.Observation, Outcome: t.Outcome,
			API: t.Call.Name, Tool: t.Call.Tool,
		}
		// The list of tools may follow the description from here on, and Key has that. Of a stored
		// turn the action alone has the arguments.
		if turn.IsUpdate() {
			turn.Key = action.Key(codec, turn.Action)
		}

		row.Turns = append(row.Turns, turn)
	}
	return a.Lint(&row) == nil
}

// Lint returns what an export would hold against a trajectory, or nil.
func (a *Acceptance) Lint(row *trajectories.Row) []Finding {
	sample, _ := NewSample(a.shown(row.Task()), row, a.linter.Sanitizer())
	sample.Once = a.reasoning == action.Once

	if sample.stepsAlone() == "" {
		return a.lint(SFTTrajectory, row, &sample)
	}

	// Such trajectories are only exported as single steps.
	for i := range row.Turns {
		step := sample.step(i)
		if found := a.lint(SFTStep, row, &step); found != nil {
			return found
		}
	}

	return nil
}

// LeftOut counts the trajectories that training does not take, though they are right by the
// benchmark's matcher, each under the first reason. The rows come in canonical order.
func (a *Acceptance) LeftOut(rows iter.Seq2[trajectories.Row, error]) ([]LeftOut, error) {
	wrong, duplicates, faults, byRules := 0, 0, 0, map[Rule]int{}

	var seen map[string]bool

	question := ""

	for row, err := range rows {
		if err != nil {
			return nil, err
		}

		// Keys are of actions: other questions may well have the same. In canonical order the rows
		// of a question come together, so one set is enough.
		if row.QuestionID != question || seen == nil {
			question, seen = row.QuestionID, map[string]bool{}
		}

		// Only rows that would be taken are seen: a copy of a faulty one is faulty, too.
		switch found := a.Lint(&row); {
		case !row.Strict:
			wrong++
		case found != nil:
			faults++
			byRules[found[0].Rule]++
		case seen[row.Key]:
			duplicates++
		default:
			seen[row.Key] = true
		}
	}

	return slices.DeleteFunc([]LeftOut{
		{wrong, "wrong by the strict matcher"},
		{faults, "rejected by the linter" + byRule(byRules)},
		{duplicates, "the same as another of the question"},
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

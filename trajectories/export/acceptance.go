package export

import (
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/trajectories"
)

// Acceptance decides, while a run goes on, which of its trajectories an export will take: those whose sample the linter
// does not fault, and that are short enough. It is safe for concurrent use.
type Acceptance struct {
	linter     *Linter
	codec      action.Codec
	system     func(dataset string) string
	characters int
}

// NewAcceptance returns the acceptance of samples with the system text of their dataset, whose actions a codec wrote.
// The linter bounds their length in tokens; where it has no tokenizer characters do, 0 being no bound.
func NewAcceptance(
	linter *Linter, codec action.Codec, system func(dataset string) string, characters int,
) *Acceptance {
	return &Acceptance{linter: linter, codec: codec, system: system, characters: characters}
}

// Accept reports whether an export would take the trajectory that led to a history.
func (a *Acceptance) Accept(h envs.History) bool {
	row := trajectories.Row{Question: h.Task().Question}
	for _, t := range h.Turns() {
		row.Turns = append(row.Turns, trajectories.Turn{Action: string(t.Action), Observation: t.Observation})
	}

	system := a.system(h.Task().Labels[envs.LabelDataset])
	sample, _ := NewSample(system, &row, a.codec, a.linter.Sanitizer())
	if a.linter.LintRow(SFTTrajectory, &row, &sample) != nil {
		return false
	}

	characters := 0
	if a.characters > 0 {
		characters, _ = a.linter.Length(SFTTrajectory, &sample)
	}

	return characters <= a.characters
}

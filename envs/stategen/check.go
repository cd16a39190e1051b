package stategen

import (
	"errors"
	"fmt"
)

// Check replays the cases of a task, and returns an error that names the first that differs from
// its record.
func (t *Task) Check(d Domain) error {
	for _, c := range t.Cases {
		if _, err := t.Replay(d, c); err != nil {
			return fmt.Errorf("stategen: %s/%s: %w", t.ID, c.Path, err)
		}
	}

	return nil
}

// Replay replays a case of a task. The error says how the outcome differs from the record.
func (t *Task) Replay(d Domain, c Case) (got Oracle, err error) {
	got, err = Replay(d, &t.Program, c, nil)

	switch {
	case err != nil:
		err = fmt.Errorf("the reference program fails: %w", err)
	case got.Path != c.Path:
		err = fmt.Errorf("the reference program takes the path %s", got.Path)
	case !Equal(d.Record(got.Result), c.Result.Any):
		err = errors.New("RESULT is not the recorded one")
	case !Equal(d.Record(got.Effects), c.Effects.Any):
		err = errors.New("the effects are not the recorded ones")
	case !Passes(d, got, got):
		err = errUnsteady
	}

	return got, err
}

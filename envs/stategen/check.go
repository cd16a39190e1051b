package stategen

import (
	"errors"
	"fmt"
)

// Check replays the cases of a task, and returns an error that names the first that does not lead where it says.
func (t *Task) Check(d Domain) error {
	for _, c := range t.Cases {
		got, err := Replay(d, &t.Program, c, nil)

		switch {
		case err != nil:
		case got.Path != c.Path:
			err = fmt.Errorf("the program takes the path %s", got.Path)
		case !Equal(d.Record(got.Result), c.Result.Any):
			err = errors.New("the result is another one than recorded")
		case !Equal(d.Record(got.Effects), c.Effects.Any):
			err = errors.New("the effects are others than recorded")
		}

		if err != nil {
			return fmt.Errorf("stategen: %s/%s: %w", t.ID, c.Path, err)
		}
	}

	return nil
}

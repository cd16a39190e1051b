package export

import (
	"fmt"

	"toolevo/envs"
	"toolevo/trajectories"
)

// shownCache looks up what models were shown, once for all rows for which that is the same.
type shownCache struct {
	find  func(*trajectories.Row) (trajectories.Shown, error)
	check func(trajectories.Shown) error
	known map[origin]trajectories.Shown
}

// origin is all that a row's system text and codec depend on.
type origin struct {
	runID, promptAPI, makers, dataset, tools string
}

func originOf(row *trajectories.Row) origin {
	return origin{row.RunID, row.PromptAPI, trajectories.InWords(row.Makers), row.Labels[envs.LabelDataset], row.Tools}
}

func newShownCache(find func(*trajectories.Row) (trajectories.Shown, error), check func(trajectories.Shown) error,
) shownCache {
	return shownCache{find, check, map[origin]trajectories.Shown{}}
}

// get returns what the model of a row was shown.
func (c *shownCache) get(row *trajectories.Row) (trajectories.Shown, error) {
	key := originOf(row)
	if known, ok := c.known[key]; ok {
		return known, nil
	}

	shown, err := c.find(row)
	if err == nil {
		err = c.check(shown)
	}

	if err != nil {
		return shown, fmt.Errorf("system text for prompt version %s: %w", row.PromptAPI, err)
	}

	c.known[key] = shown
	return shown, nil
}

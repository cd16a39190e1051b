package finetune

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"toolevo/mcts/store"
)

// metaSeconds is the name under which a run notes how long its episodes took. No row has it: rows
// of equal runs are equal.
const metaSeconds = "seconds"

// notePeriod is how often seconds are noted: who is killed lacks those of the last episodes alone.
const notePeriod = 10 * time.Second

// String names the attempt in notes.
func (a Attempt) String() string { return fmt.Sprintf("%s/%d", a.Episode, a.Repeat) }

// Seconds returns how long the episodes of a run took, by [Attempt.String]. It has none for
// episodes that were played elsewhere, or just before the process was killed.
func Seconds(ctx context.Context, s *store.Store) (map[string]float64, error) {
	seconds := map[string]float64{}

	text, err := s.Meta(ctx, metaSeconds)
	if err == nil && text != "" {
		err = json.Unmarshal([]byte(text), &seconds)
	}
	return seconds, err
}

// noteSeconds adds to the seconds that a run notes.
func noteSeconds(ctx context.Context, s *store.Store, fresh map[string]float64) error {
	if len(fresh) == 0 {
		return nil
	}

	all, err := Seconds(ctx, s)
	if err != nil {
		return err
	}

	maps.Copy(all, fresh)

	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return s.SetMeta(ctx, metaSeconds, string(text))
}

package store

import (
	"context"
	"encoding/json"
	"fmt"
)

// metaGivenUp is where a database notes what was given up.
const metaGivenUp = "given up"

// GivenUp is a tree, or an episode, that is not there because a request of it failed alone.
type GivenUp struct {
	Question string `json:"question"`
	Tree     int    `json:"tree"`
	Reason   string `json:"reason"`
}

// NoteGivenUp notes what the last pass of a run gave up, so that the next one asks for it last.
func (s *Store) NoteGivenUp(ctx context.Context, all []GivenUp) error {
	had, err := s.Meta(ctx, metaGivenUp)
	if err != nil || had == "" && len(all) == 0 {
		return err
	}

	text, err := json.Marshal(all)
	if err != nil {
		return err
	}

	return s.SetMeta(ctx, metaGivenUp, string(text))
}

// GivenUp returns what the last pass of a run gave up.
func (s *Store) GivenUp(ctx context.Context) (all []GivenUp, err error) {
	text, err := s.Meta(ctx, metaGivenUp)
	if err != nil || text == "" {
		return nil, err
	}

	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, fmt.Errorf("store: what was given up: %w", err)
	}

	return all, nil
}

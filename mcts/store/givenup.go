package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// metaGivenUp is the beginning of the keys under which a database notes what was given up; the tree
// and the question follow.
const metaGivenUp = "given up "

// GivenUp is a tree, or an episode, that is missing because one request of it failed alone.
type GivenUp struct {
	Question string `json:"question"` // its ID; of an evaluation, the name of the episode
	Tree     int    `json:"tree"`     // its index among the question's, or the repeat of the episode
	Reason   string `json:"reason"`   // how the request failed, in a few words
}

func (g GivenUp) key() string { return fmt.Sprintf("%s%d %s", metaGivenUp, g.Tree, g.Question) }

// NoteGivenUp notes something that was given up. The note goes when the tree is saved, or with
// [Store.KeepGivenUp]; it stays if the process is killed.
func (s *Store) NoteGivenUp(ctx context.Context, g GivenUp) error {
	return s.SetMeta(ctx, g.key(), g.Reason)
}

// KeepGivenUp removes all notes of what was given up except some.
func (s *Store) KeepGivenUp(ctx context.Context, some []GivenUp) error {
	all, err := s.GivenUp(ctx)
	if err != nil || len(all) == 0 {
		return err
	}

	err = s.write(ctx, func(tx *sql.Tx) error {
		for _, g := range all {
			if slices.Contains(some, g) {
				continue
			}

			if err := forgetGivenUp(tx, g); err != nil {
				return err
			}
		}
		return nil
	})
	return fail("remove notes of what was given up", err)
}

func forgetGivenUp(tx *sql.Tx, g GivenUp) error {
	_, err := tx.Exec(`DELETE FROM meta WHERE key = ?`, g.key())
	return err
}

// GivenUp returns what was given up and is still missing, by question and tree.
func (s *Store) GivenUp(ctx context.Context) (all []GivenUp, err error) {
	var key string

	err = eachRow(ctx, s.read, `SELECT key FROM meta WHERE key GLOB ?`,
		[]any{metaGivenUp + "*"}, []any{&key}, func() error {
			reason, err := s.Meta(ctx, key)
			if err != nil {
				return err
			}

			tree, question, _ := strings.Cut(strings.TrimPrefix(key, metaGivenUp), " ")
			n, err := strconv.Atoi(tree)
			all = append(all, GivenUp{question, n, reason})
			return err
		})

	slices.SortFunc(all, func(a, b GivenUp) int {
		return cmp.Or(cmp.Compare(a.Question, b.Question), cmp.Compare(a.Tree, b.Tree))
	})
	return all, fail("read what was given up", err)
}

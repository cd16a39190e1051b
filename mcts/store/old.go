package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"toolevo/envs"
	"toolevo/mcts"
)

// Format 1 had a row for each node and no hashes. Its trees are read, for inspect and export; its
// log is not.
const oldFormatVersion = "1"

var oldTables = map[string]string{
	"meta": `CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,

	"calls": `CREATE TABLE calls (
	question TEXT NOT NULL, tree INTEGER NOT NULL, path TEXT NOT NULL, first INTEGER NOT NULL,
	n INTEGER NOT NULL, seed INTEGER NOT NULL, proposals TEXT NOT NULL,
	PRIMARY KEY (question, tree, path, first)) WITHOUT ROWID`,

	"tools": `CREATE TABLE tools (
	key TEXT PRIMARY KEY, observation TEXT NOT NULL, outcome TEXT NOT NULL) WITHOUT ROWID`,

	"trees": `CREATE TABLE trees (
	question TEXT NOT NULL, tree INTEGER NOT NULL, seed INTEGER NOT NULL,
	simulations INTEGER NOT NULL, idle INTEGER NOT NULL, calls INTEGER NOT NULL, samples INTEGER NOT NULL,
	PRIMARY KEY (question, tree)) WITHOUT ROWID`,

	"nodes": `CREATE TABLE nodes (
	question TEXT NOT NULL, tree INTEGER NOT NULL, id INTEGER NOT NULL,
	parent INTEGER NOT NULL, depth INTEGER NOT NULL, ordinal INTEGER NOT NULL,
	action TEXT NOT NULL, tool TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL,
	observation TEXT NOT NULL, outcome TEXT NOT NULL, status TEXT NOT NULL, stopped_by TEXT NOT NULL,
	prior REAL NOT NULL, visits INTEGER NOT NULL, total_value REAL NOT NULL, expanded INTEGER NOT NULL,
	reward REAL NOT NULL, answer TEXT NOT NULL, official INTEGER NOT NULL, strict INTEGER NOT NULL,
	PRIMARY KEY (question, tree, id)) WITHOUT ROWID`,
}

// oldRows are told what a database of format 1 holds, row by row.
type oldRows struct {
	call func(context.Context, mcts.NodeID, int, logged, []mcts.Proposal) error
	tool func(context.Context, string, envs.Result) error
	tree func(context.Context, *mcts.TreeRecord) error
}

// eachOld goes through the calls, the tool results and the trees of a database of format 1.
func (s *Store) eachOld(ctx context.Context, tell oldRows) error {
	if err := s.eachOldCall(ctx, tell.call); err != nil {
		return err
	}

	var (
		key, outcome, question string
		tree                   int
		r                      envs.Result
	)

	err := each(ctx, s.read, `SELECT key, observation, outcome FROM tools`, nil, []any{&key, &r.Observation, &outcome},
		func() (err error) {
			if r.Outcome, err = envs.ParseOutcome(outcome); err != nil {
				return err
			}

			return tell.tool(ctx, key, r)
		})
	if err != nil {
		return err
	}

	return each(ctx, s.read, `SELECT question, tree FROM trees ORDER BY question, tree`, nil, []any{&question, &tree},
		func() error {
			t, _, err := s.LoadTree(ctx, question, tree)
			if err != nil {
				return err
			}

			return tell.tree(ctx, t)
		})
}

func (s *Store) eachOldCall(ctx context.Context,
	tell func(context.Context, mcts.NodeID, int, logged, []mcts.Proposal) error) error {
	var (
		id          mcts.NodeID
		l           logged
		first, seed int64
		text        []byte
	)

	return each(ctx, s.read, `SELECT question, tree, path, first, n, seed, proposals FROM calls
		ORDER BY question, tree, path, first`, nil,
		[]any{&id.Question, &id.Tree, &id.Path, &first, &l.n, &seed, &text}, func() error {
			var proposals []mcts.Proposal
			if err := json.Unmarshal(text, &proposals); err != nil {
				return damaged("the call at %s: %w", id, err)
			}

			l.seed = uint64(seed)

			return tell(ctx, id, int(first), l, proposals)
		})
}

// loadOldTree is LoadTree for format 1.
func (s *Store) loadOldTree(ctx context.Context, question string, tree int) (*mcts.TreeRecord, error) {
	t := &mcts.TreeRecord{Question: question, Tree: tree}
	var seed int64

	err := s.read.QueryRowContext(ctx,
		`SELECT seed, simulations, idle, calls, samples FROM trees WHERE question = ? AND tree = ?`,
		question, tree).Scan(&seed, &t.Simulations, &t.Idle, &t.Calls, &t.Samples)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}

	if err != nil {
		return nil, err
	}

	t.Seed = uint64(seed)
	if err := s.loadOldNodes(ctx, t); err != nil {
		return nil, err
	}

	if err := checkShape(t); err != nil {
		return nil, err
	}
	// Of a tree that was finished under another engine than the run began with, only that was noted.
	t.Nodes[0].Maker, err = s.Meta(ctx, fmt.Sprintf("maker %s/%d", question, tree))

	return t, err
}

func (s *Store) loadOldNodes(ctx context.Context, t *mcts.TreeRecord) error {
	var n mcts.Record
	var outcome, status string

	into := []any{
		&n.ID, &n.Parent, &n.Depth, &n.Ordinal, &n.Action, &n.Tool, &n.Name, &n.Key, &n.Observation, &outcome,
		&status, &n.Limit, &n.Prior, &n.Visits, &n.TotalValue, &n.Expanded, &n.Reward, &n.Grade.Answer,
		&n.Grade.Official, &n.Grade.Strict,
	}

	return each(ctx, s.read, `SELECT id, parent, depth, ordinal, action, tool, name, key,
		observation, outcome, status, stopped_by, prior, visits, total_value, expanded, reward,
		answer, official, strict
		FROM nodes WHERE question = ? AND tree = ? ORDER BY id`, []any{t.Question, t.Tree}, into, func() (err error) {
		if n.Outcome, err = envs.ParseOutcome(outcome); err != nil {
			return err
		}

		if n.Status, err = envs.ParseStatus(status); err != nil {
			return err
		}

		t.Nodes = append(t.Nodes, n)

		return nil
	})
}

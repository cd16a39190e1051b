package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"toolevo/envs"
	"toolevo/mcts"
)

// SetMaker says what the trees that are saved from now on were grown with, where that is not what the manifest says: a
// run that goes on with other tools than it began with. "" is what the manifest says. It is set before trees are saved.
func (s *Store) SetMaker(maker string) { s.maker = maker }

// Maker returns what a stored tree was grown with, "" where it is what the manifest says.
func (s *Store) Maker(ctx context.Context, question string, tree int) (string, error) {
	return s.Meta(ctx, makerKey(question, tree))
}

func makerKey(question string, tree int) string { return fmt.Sprintf("maker %s/%d", question, tree) }

// saveMaker notes the maker of a tree, or that it has none of its own.
func (s *Store) saveMaker(tx *sql.Tx, t *mcts.TreeRecord) error {
	if s.maker == "" {
		_, err := tx.Exec(`DELETE FROM meta WHERE key = ?`, makerKey(t.Question, t.Tree))
		return err
	}
	_, err := tx.Exec(`INSERT OR REPLACE INTO meta VALUES (?, ?)`, makerKey(t.Question, t.Tree), s.maker)
	return err
}

// SaveTree stores a finished tree as node rows, replacing an earlier one of the same question and index.
func (s *Store) SaveTree(ctx context.Context, t *mcts.TreeRecord) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		if err := deleteTrees(tx, `question = ? AND tree = ?`, t.Question, t.Tree); err != nil {
			return err
		}
		if err := s.saveMaker(tx, t); err != nil {
			return err
		}
		if _, err := tx.Exec(`INSERT INTO trees VALUES (?, ?, ?, ?, ?, ?, ?)`,
			t.Question, t.Tree, int64(t.Seed), t.Simulations, t.Idle, t.Calls, t.Samples); err != nil {
			return err
		}
		insert, err := tx.Prepare(`INSERT INTO nodes VALUES (?,?,?, ?,?,?, ?,?,?,?, ?,?,?,?, ?,?,?,?, ?,?,?,?, ?,?)`)
		if err != nil {
			return err
		}
		defer insert.Close()
		for i := range t.Nodes {
			n := &t.Nodes[i]
			if _, err := insert.Exec(t.Question, t.Tree, n.ID,
				n.Parent, n.Depth, n.Ordinal,
				n.Action, n.Tool, n.Name, n.Key,
				n.Observation, n.Outcome.String(), n.Status.String(), string(n.Limit),
				n.Prior, n.Visits, n.TotalValue, n.Expanded,
				n.Reward, n.Grade.Answer, n.Grade.Official, n.Grade.Strict, n.Draws, n.Cut); err != nil {
				return err
			}
		}
		return nil
	})
	return envs.Fail(envs.StageStore, fmt.Sprintf("save tree %s/%d", t.Question, t.Tree), err)
}

// DropTrees removes the stored trees of a question from index first on. The log keeps their calls.
func (s *Store) DropTrees(ctx context.Context, question string, first int) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		return deleteTrees(tx, `question = ? AND tree >= ?`, question, first)
	})
	return envs.Fail(envs.StageStore, fmt.Sprintf("drop trees %s/%d and later", question, first), err)
}

func deleteTrees(tx *sql.Tx, where string, args ...any) error {
	for _, table := range []string{"nodes", "trees"} {
		if _, err := tx.Exec(`DELETE FROM `+table+` WHERE `+where, args...); err != nil {
			return err
		}
	}
	return nil
}

// TreeIndices returns the indices of a question's stored trees, ascending.
func (s *Store) TreeIndices(ctx context.Context, question string) ([]int, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT tree FROM trees WHERE question = ? ORDER BY tree`, question)
	if err != nil {
		return nil, envs.Fail(envs.StageStore, "list trees of "+question, err)
	}
	defer rows.Close()
	var indices []int
	for rows.Next() {
		var i int
		if err := rows.Scan(&i); err != nil {
			return nil, envs.Fail(envs.StageStore, "list trees of "+question, err)
		}
		indices = append(indices, i)
	}
	return indices, envs.Fail(envs.StageStore, "list trees of "+question, rows.Err())
}

// LoadTree returns a stored tree, and whether there is one.
func (s *Store) LoadTree(ctx context.Context, question string, tree int) (*mcts.TreeRecord, bool, error) {
	t := &mcts.TreeRecord{Question: question, Tree: tree}
	var seed int64
	err := s.read.QueryRowContext(ctx,
		`SELECT seed, simulations, idle, calls, samples FROM trees WHERE question = ? AND tree = ?`, question, tree).
		Scan(&seed, &t.Simulations, &t.Idle, &t.Calls, &t.Samples)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	t.Seed = uint64(seed)
	if err == nil {
		err = s.loadNodes(ctx, t)
	}
	if err != nil {
		return nil, false, envs.Fail(envs.StageStore, fmt.Sprintf("load tree %s/%d", question, tree), err)
	}
	return t, true, nil
}

func (s *Store) loadNodes(ctx context.Context, t *mcts.TreeRecord) error {
	rows, err := s.read.QueryContext(ctx, `SELECT id, parent, depth, ordinal, action, tool, name, key, observation, outcome,
		status, stopped_by, prior, visits, total_value, expanded, reward, answer, official, strict, draws, cut
		FROM nodes WHERE question = ? AND tree = ? ORDER BY id`, t.Question, t.Tree)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var n mcts.Record
		var outcome, status, limit string
		if err := rows.Scan(&n.ID, &n.Parent, &n.Depth, &n.Ordinal, &n.Action, &n.Tool, &n.Name, &n.Key, &n.Observation,
			&outcome, &status, &limit, &n.Prior, &n.Visits, &n.TotalValue, &n.Expanded, &n.Reward,
			&n.Grade.Answer, &n.Grade.Official, &n.Grade.Strict, &n.Draws, &n.Cut); err != nil {
			return err
		}
		n.Limit = mcts.Limit(limit)
		if n.Outcome, err = envs.ParseOutcome(outcome); err != nil {
			return err
		}
		if n.Status, err = envs.ParseStatus(status); err != nil {
			return err
		}
		t.Nodes = append(t.Nodes, n)
	}
	return rows.Err()
}

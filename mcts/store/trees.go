package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"toolevo/mcts"
)

// head is what precedes the nodes of a stored tree.
type head struct {
	Seed                              uint64
	Simulations, Idle, Calls, Samples int
}

// SaveTree stores a finished tree, replacing an earlier one of the same question and index.
func (s *Store) SaveTree(ctx context.Context, t *mcts.TreeRecord) error {
	raw := rawTree(t)

	insert, err := s.insertTree(ctx, t.Question, t.Tree, raw)
	if err == nil {
		err = s.change(ctx, insert)
	}

	if err == nil {
		s.tell(Row{Question: t.Question, Tree: t.Tree, Path: pathOfTree, Value: string(raw)})
	}
	return fail(fmt.Sprintf("save tree %s/%d", t.Question, t.Tree), err)
}

// rawTree returns a tree as it is stored, before it is packed.
func rawTree(t *mcts.TreeRecord) []byte {
	raw := appendRows(nil, []head{{t.Seed, t.Simulations, t.Idle, t.Calls, t.Samples}})
	return appendRows(raw, t.Nodes)
}

// insertTree returns what writes a row of trees, and packs it.
func (s *Store) insertTree(ctx context.Context, question string, tree int, raw []byte) (
	insert func(*sql.Tx) error, err error) {
	packed, err := s.pack(ctx, raw)
	if err != nil {
		return nil, err
	}

	hash := treeHash(question, tree, packed)
	return func(tx *sql.Tx) error {
		if err := forgetGivenUp(tx, GivenUp{Question: question, Tree: tree}); err != nil {
			return err
		}
		return insertOf(tx, question,
			`INSERT OR REPLACE INTO trees SELECT id, ?, ?, ? FROM questions WHERE name = ?`, tree, packed, hash)
	}, nil
}

// Call is a call that was made elsewhere, and its answer.
type Call struct {
	Request   mcts.Request
	Proposals []mcts.Proposal
}

// SaveEpisode stores a finished tree together with the calls that made it, or nothing.
func (s *Store) SaveEpisode(ctx context.Context, calls []Call, t *mcts.TreeRecord) error {
	op := fmt.Sprintf("save episode %s/%d", t.Question, t.Tree)

	insert, err := s.insertTree(ctx, t.Question, t.Tree, rawTree(t))
	if err != nil {
		return fail(op, err)
	}

	// Calls are keyed by their nodes, and an episode that is stored twice fails at them as a whole.
	inserts := []func(*sql.Tx) error{insert}

	for _, c := range calls {
		r := c.Request

		insert, err := s.insertCall(ctx, r.Node, r.First, &logged{n: r.N, seed: r.Seed, history: r.History.Hash()},
			appendRows(nil, c.Proposals))
		if err != nil {
			return fail(op, err)
		}

		inserts = append(inserts, insert)
	}

	// Everything is packed by now, so the transaction holds up other writes for the inserts alone.
	err = s.change(ctx, func(tx *sql.Tx) error {
		for _, insert := range inserts {
			if err := insert(tx); err != nil {
				return err
			}
		}

		return nil
	})
	return fail(op, err)
}

// TreeCounts returns, by question, one more than the index of the last stored tree.
func (s *Store) TreeCounts(ctx context.Context) (map[string]int, error) {
	var (
		counts = map[string]int{}
		name   string
		n      int
	)

	err := eachRow(ctx, s.read,
		`SELECT name, max(tree) + 1 FROM trees JOIN questions ON question = id GROUP BY id`, nil,
		[]any{&name, &n}, func() error {
			counts[name] = n
			return nil
		})

	return counts, fail("count the trees of questions", err)
}

// Count is how many trees of a question are stored, and of how many the log has calls.
type Count struct{ Stored, Begun int }

// Counts returns the counts of all questions that have any, by name.
func (s *Store) Counts(ctx context.Context) (map[string]Count, error) {
	var (
		counts = map[string]Count{}
		name   string
		n      Count
	)

	err := eachRow(ctx, s.read, `SELECT name, (SELECT count(*) FROM trees WHERE question = id),
		(SELECT count(DISTINCT tree) FROM calls WHERE question = id) FROM questions`, nil,
		[]any{&name, &n.Stored, &n.Begun}, func() error {
			counts[name] = n
			return nil
		})

	return counts, fail("count the trees of questions", err)
}

func treeHash(question string, tree int, packed []byte) int64 {
	return hashOf("trees").text(question).number(uint64(tree)).bytes(packed).column()
}

// DropTrees removes the stored trees of a question from index first on. The log keeps their calls.
func (s *Store) DropTrees(ctx context.Context, question string, first int) error {
	indices, err := s.TreeIndices(ctx, question)
	if err != nil || len(indices) == 0 || indices[len(indices)-1] < first {
		return err // the usual case needs no commit, so it does not wait for one
	}

	err = s.change(ctx, func(tx *sql.Tx) error { return dropTrees(tx, question, first) })

	return fail(fmt.Sprintf("drop trees %s/%d and later", question, first), err)
}

func dropTrees(tx *sql.Tx, question string, first int) error {
	_, err := tx.Exec(`DELETE FROM trees
		WHERE question = (SELECT id FROM questions WHERE name = ?) AND tree >= ?`, question, first)
	return err
}

// TreeIndices returns the indices of a question's stored trees, ascending.
func (s *Store) TreeIndices(ctx context.Context, question string) ([]int, error) {
	return s.indices(ctx, "trees", question)
}

// LoggedTrees returns the indices of a question's trees of which the log holds calls, ascending.
func (s *Store) LoggedTrees(ctx context.Context, question string) ([]int, error) {
	return s.indices(ctx, "calls", question)
}

func (s *Store) indices(ctx context.Context, table, question string) ([]int, error) {
	query := `SELECT DISTINCT tree FROM ` + table +
		` WHERE question = (SELECT id FROM questions WHERE name = ?) ORDER BY tree`

	var (
		indices []int
		tree    int
	)

	err := eachRow(ctx, s.read, query, []any{question}, []any{&tree}, func() error {
		indices = append(indices, tree)
		return nil
	})
	return indices, fail("list trees of "+question, err)
}

// LoadTree returns a stored tree, and whether it exists. One that is not as it was written, or that
// no search can have grown, is refused (ErrDamaged).
func (s *Store) LoadTree(ctx context.Context, question string, tree int) (*mcts.TreeRecord, bool, error) {
	t, err := s.loadTree(ctx, question, tree)
	if err != nil {
		return nil, false, fail(fmt.Sprintf("load tree %s/%d", question, tree), err)
	}
	return t, t != nil, nil
}

// loadTree returns nil when there is no such tree.
func (s *Store) loadTree(ctx context.Context, question string, tree int) (*mcts.TreeRecord, error) {
	var packed []byte
	var hash int64

	err := s.read.QueryRowContext(ctx, `SELECT record, hash FROM trees
		WHERE question = (SELECT id FROM questions WHERE name = ?) AND tree = ?`, question, tree).
		Scan(&packed, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}

	if err != nil {
		return nil, err
	}
	return s.readTree(ctx, question, tree, packed, hash)
}

// readTree reads a row of trees and compares its hash.
func (s *Store) readTree(ctx context.Context, question string, tree int, packed []byte, hash int64) (*mcts.TreeRecord,
	error) {
	if hash != treeHash(question, tree, packed) {
		return nil, damaged("the tree is not as it was written")
	}

	raw, err := s.unpack(ctx, packed)
	if err != nil {
		return nil, err
	}

	return readRawTree(question, tree, raw)
}

// readRawTree is the inverse of rawTree.
func readRawTree(question string, tree int, raw []byte) (*mcts.TreeRecord, error) {
	// The nodes follow the head.
	heads, raw, err := readRows[head](raw)
	if err == nil && len(heads) != 1 {
		err = errCut
	}

	t := &mcts.TreeRecord{Question: question, Tree: tree}

	if err == nil {
		h := heads[0]
		t.Seed, t.Simulations, t.Idle, t.Calls, t.Samples = h.Seed, h.Simulations, h.Idle, h.Calls, h.Samples
		t.Nodes, _, err = readRows[mcts.Record](raw)
	}

	if err != nil {
		return nil, damaged("%w", err)
	}

	// The hash proves that it is what was written, not that this was a tree.
	return t, checkShape(t)
}

// checkShape makes sure that walking a tree ends and stays inside it: nodes are in order, each
// below an earlier one, one deeper, and in its place among its siblings.
func checkShape(t *mcts.TreeRecord) error {
	if len(t.Nodes) == 0 {
		return damaged("the tree has no nodes")
	}

	children := make([]int, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		root := i == 0 && n.Parent == mcts.NoParent && n.Depth == 0 && n.Ordinal == 0

		below := i > 0 && n.Parent >= 0 && n.Parent < i &&
			n.Depth == t.Nodes[n.Parent].Depth+1 && n.Ordinal == children[n.Parent]
		if n.ID != i || !root && !below {
			return damaged("node %d at place %d, below %d, at depth %d and place %d among its siblings, is impossible",
				n.ID, i, n.Parent, n.Depth, n.Ordinal)
		}

		if below {
			children[n.Parent]++
		}
	}
	return nil
}

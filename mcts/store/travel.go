package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolevo/mcts"
)

// pathOfTree stands in for the path of a call in a row that is a whole tree. Paths of nodes are
// numbers and dots.
const pathOfTree = "tree"

// Row is a call or a tree as it travels from the store of one machine to that of another: it
// belongs to no dictionary.
type Row struct {
	Question string
	Tree     int
	Path     string // of the call's node; see IsTree

	// Of a call: the number of samples drawn at the node before, and how many it asked for, from
	// which seed, and what the policy was shown (envs.History.Hash).
	First, N      int
	Seed, History uint64

	Value string // its proposals, or the record of the tree, as columns
}

// IsTree reports whether the row is a tree that has grown, and not a call.
func (r *Row) IsTree() bool { return r.Path == pathOfTree }

// Samples returns how many completions a call brought; 0 if the row is a tree.
func (r *Row) Samples() int {
	if r.IsTree() {
		return 0
	}

	// Columns begin with it.
	n, _ := binary.Uvarint([]byte(r.Value[:min(len(r.Value), binary.MaxVarintLen64)]))
	return int(n)
}

// CallsIn returns how many of some rows are calls.
func CallsIn(rows []Row) (n int) {
	for i := range rows {
		if !rows[i].IsTree() {
			n++
		}
	}
	return n
}

// PackRows returns rows as a text, and UnpackRows reads it.
func PackRows(rows []Row) []byte { return appendRows(nil, rows) }

// UnpackRows is the inverse of PackRows.
func UnpackRows(text []byte) ([]Row, error) {
	rows, rest, err := readRows[Row](text)
	if err == nil && len(rest) > 0 {
		err = errors.New("more than rows")
	}

	if err != nil {
		return nil, fmt.Errorf("store: rows of another machine cannot be read: %w", err)
	}
	return rows, nil
}

// PackProposals returns the value of a row that is a call.
func PackProposals(all []mcts.Proposal) []byte { return appendRows(nil, all) }

// Watch has told called with each call and tree that this process adds from now on, once it is
// committed; several goroutines may call it at once. What Take adds is not told.
func (s *Store) Watch(told func(Row)) { s.told.Store(&told) }

func (s *Store) tell(r Row) {
	if told := s.told.Load(); told != nil {
		(*told)(r)
	}
}

// RowsOf returns the calls and trees of some trees of a question, in the order of the trees, calls
// before the tree that is made of them.
func (s *Store) RowsOf(ctx context.Context, question string, first, count int) (rows []Row, err error) {
	for tree := first; tree < first+count; tree++ {
		calls, err := s.rowsOfTree(ctx, question, tree)
		if err != nil {
			return nil, fail(fmt.Sprintf("read the rows of %s/%d", question, tree), err)
		}

		rows = append(rows, calls...)
	}
	return rows, nil
}

func (s *Store) rowsOfTree(ctx context.Context, question string, tree int) (rows []Row, err error) {
	var c callRow

	err = eachRow(ctx, s.read, callsOfTree+" ORDER BY path, first", []any{question, tree}, c.into(), func() error {
		l, err := c.read()
		if err != nil {
			return err
		}

		raw, err := s.unpack(ctx, l.proposals)
		rows = append(rows, Row{
			Question: question, Tree: tree, Path: c.path, First: c.first, N: l.n, Seed: l.seed,
			History: l.history, Value: string(raw),
		})
		return err
	})
	if err != nil {
		return nil, err
	}

	t, err := s.loadTree(ctx, question, tree)
	if t != nil {
		rows = append(rows, Row{Question: question, Tree: tree, Path: pathOfTree, Value: string(rawTree(t))})
	}
	return rows, err
}

// Taken says what became of rows of another machine.
type Taken struct {
	Calls   int  // that the rows have
	Refused int  // of those: the log had an answer under their key already, which stays
	Torn    bool // it had another answer to one of them, with which the rows were not taken further
}

// Take adds rows of another machine: all, or those before a call to which the log has another
// answer, as what comes after it may depend on that; or none. A tree replaces another one, and with
// inTurn those after it go, which were grown without knowing it. Take wraps ErrDamaged if a row is
// not as a store writes it.
func (s *Store) Take(ctx context.Context, rows []Row, inTurn bool) (taken Taken, err error) {
	inserts := make([]insertion, len(rows))
	for i := range rows {
		if inserts[i], err = s.insertRow(ctx, &rows[i], inTurn); err != nil {
			return Taken{}, fail("take the rows of another machine", err)
		}
	}

	err = s.change(ctx, func(tx *sql.Tx) error {
		taken = Taken{Calls: CallsIn(rows)} // a transaction that failed with others is tried again

		for i, insert := range inserts {
			there, same, err := insert(tx)
			if err != nil {
				return err
			}

			if there && !same {
				taken.Refused, taken.Torn = taken.Refused+CallsIn(rows[i:]), true
				return nil
			}

			if there {
				taken.Refused++
			}
		}
		return nil
	})
	return taken, fail("take the rows of another machine", err)
}

// insertion writes a row, unless it is a call that is there; same is whether that has its answer.
type insertion func(tx *sql.Tx) (there, same bool, err error)

// insertRow checks a row, packs it, and returns what writes it.
func (s *Store) insertRow(ctx context.Context, r *Row, inTurn bool) (insertion, error) {
	if r.IsTree() {
		if _, err := readRawTree(r.Question, r.Tree, []byte(r.Value)); err != nil {
			return nil, err
		}

		insert, err := s.insertTree(ctx, r.Question, r.Tree, []byte(r.Value))
		return func(tx *sql.Tx) (bool, bool, error) {
			// Also those that are there already: what counts of them follows in the same log.
			if inTurn {
				if err := dropTrees(tx, r.Question, r.Tree+1); err != nil {
					return false, false, err
				}
			}
			return false, false, insert(tx)
		}, err
	}

	if _, rest, err := readRows[mcts.Proposal]([]byte(r.Value)); err != nil || len(rest) > 0 {
		return nil, damaged("the call at %s of another machine cannot be read", r.Path)
	}

	l := logged{n: r.N, seed: r.Seed, history: r.History}
	id := mcts.NodeID{Question: r.Question, Tree: r.Tree, Path: r.Path}

	insert, err := s.insertCall(ctx, id, r.First, &l, []byte(r.Value))
	return func(tx *sql.Tx) (there, same bool, err error) {
		var packed []byte

		err = tx.QueryRow(`SELECT proposals FROM calls JOIN questions ON id = question
			WHERE name = ? AND tree = ? AND path = ? AND first = ?`, r.Question, r.Tree, r.Path, r.First).Scan(&packed)
		if errors.Is(err, sql.ErrNoRows) {
			return false, false, insert(tx)
		}

		if err != nil {
			return false, false, err
		}

		// Packed values differ with the dictionary.
		raw, err := s.unpack(ctx, packed)
		return true, string(raw) == r.Value, err
	}, err
}

// Notes returns what the run notes about itself for its readers, by key: all but what was given up,
// and what the store itself keeps there.
func (s *Store) Notes(ctx context.Context) (map[string]string, error) {
	own := []string{"format", "run", metaDictionary, metaSeal}
	notes := map[string]string{}
	var key string

	err := eachRow(ctx, s.read, `SELECT key FROM meta`, nil, []any{&key}, func() (err error) {
		if !slices.Contains(own, key) && !strings.HasPrefix(key, metaGivenUp) {
			notes[key], err = s.Meta(ctx, key)
		}
		return err
	})
	return notes, fail("read the notes of the run", err)
}

package store

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/s2"

	"toolevo/envs"
	"toolevo/mcts"
)

// Rows whose hashes are right, and whose values no program of ours wrote, are damage for whoever
// reads them and for Check, and never an empty answer.
func TestValuesThatNobodyWrote(t *testing.T) {
	alone := func(raw []byte) []byte { return append([]byte{packedAlone}, s2.Encode(nil, raw)...) }
	one := []head{{Seed: 1}}
	node := []mcts.Record{{Parent: mcts.NoParent}}
	whole := appendRows(appendRows(nil, one), node)

	for name, value := range map[string][]byte{
		"nothing":              {},
		"only its kind":        {packedAlone},
		"what is not packed":   {packedAlone, 0xff, 0xff},
		"what is cut":          alone(whole)[:10],
		"too much":             {packedAlone, 0x81, 0x80, 0x80, 0x80, 0x01}, // unpackedLimit and 1
		"without a dictionary": append([]byte{packedWithDictionary}, s2.Encode(nil, whole)...),
		"no columns":           alone([]byte{1, 3, 'a'}),
		"a column too many":    alone(appendRows(nil, []struct{ Unknown int }{{1}})),
		"no row":               alone(appendRows(appendRows(nil, []head{}), node)),
		"two rows":             alone(appendRows(appendRows(nil, append(one, one...)), node)),
	} {
		ctx := t.Context()

		s, err := Open(ctx, filepath.Join(t.TempDir(), "run.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()

		l := logged{n: 1, seed: 1, history: 2, proposals: value}

		err = s.write(ctx, func(tx *sql.Tx) error {
			_, err := tx.Exec(`INSERT INTO questions VALUES (1, 'q')`)
			_, errCall := tx.Exec(`INSERT INTO calls VALUES (1, 0, '0', 0, 1, 1, 2, ?, ?)`, value,
				l.hash("q", 0, callKey{"0", 0}))
			_, errTool := tx.Exec(`INSERT INTO tools VALUES ('k', ?, ?)`, value, toolHash("k", value))
			_, errTree := tx.Exec(`INSERT INTO trees VALUES (1, 0, ?, ?)`, value, treeHash("q", 0, value))

			return errors.Join(err, errCall, errTool, errTree)
		})
		if err != nil {
			t.Fatal(err)
		}

		if r, ok, err := s.Recall(ctx, "k"); !errors.Is(err, ErrDamaged) || ok || r != (envs.Result{}) {
			t.Errorf("%s is the result %+v, %v, %v", name, r, ok, err)
		}

		if tree, ok, err := s.LoadTree(ctx, "q", 0); !errors.Is(err, ErrDamaged) || ok || tree != nil {
			t.Errorf("%s is the tree %+v, %v, %v", name, tree, ok, err)
		}

		// How many proposals there are is the server's to say.
		n, err := s.CompletionTokens(ctx, "q", 0)
		if name != "no row" && (!errors.Is(err, ErrDamaged) || n != 0) {
			t.Errorf("%s is a call of %d tokens, %v", name, n, err)
		}

		if problems, err := s.Check(ctx); len(problems) < 2 || err != nil {
			t.Errorf("%s: Check says %q, %v", name, problems, err)
		}
	}
}

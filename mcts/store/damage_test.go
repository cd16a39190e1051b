package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/mcts"
	"toolevo/mcts/store"
)

// tree returns a tree of a few nodes.
func tree(question string, index int) *mcts.TreeRecord {
	return &mcts.TreeRecord{Question: question, Tree: index, Seed: 9, Simulations: 3, Nodes: []mcts.Record{
		{Parent: mcts.NoParent, Expanded: true},
		{ID: 1, Depth: 1, Action: "one", Observation: "seen " + question},
		{ID: 2, Depth: 1, Ordinal: 1, Action: "two"},
		{ID: 3, Parent: 1, Depth: 2, Action: "three"},
	}}
}

// content is all that can be read from a run database.
type content struct {
	meta   string
	calls  [][]mcts.Proposal
	result envs.Result
	trees  []*mcts.TreeRecord
}

// filledRun makes a run with some of everything in it, and closes it.
func filledRun(t *testing.T) (dir string) {
	t.Helper()
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "run")

	r, err := store.StartRun(ctx, dir, store.Manifest{ID: "id", Kind: "collect"}, "")
	if err != nil {
		t.Fatal(err)
	}

	model := &echo{text: strings.Repeat("what a model writes ", 10)}

	for q := range 20 {
		name := fmt.Sprintf("q%d", q)

		p, err := r.Policy(ctx, name, 0, model)
		if err != nil {
			t.Fatal(err)
		}

		for i := range 5 {
			request := mcts.Request{Node: mcts.NodeID{Question: name, Path: fmt.Sprint("0.", i)}, N: 3, Seed: uint64(i)}
			if _, err := p.Propose(ctx, request); err != nil {
				t.Fatal(err)
			}
		}

		if err := r.SaveTree(ctx, tree(name, 0)); err != nil {
			t.Fatal(err)
		}
	}

	err = r.Remember(ctx, "program", envs.Result{Observation: "22.5", Maker: "python"})
	if err := errors.Join(err, r.SetMeta(ctx, "note", "noted"), r.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// resume goes on with a run as it is.
func resume(ctx context.Context, dir string) (*store.Run, error) {
	return store.ResumeRun(ctx, dir, func(_ context.Context, r *store.Run) (store.Manifest, string, error) {
		return r.Manifest, r.Config, nil
	})
}

// readAll reads a run as export, check and resume do.
func readAll(ctx context.Context, dir string) (c content, err error) {
	r, err := store.OpenRun(ctx, dir)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()

	if err := r.Intact(ctx); err != nil {
		return c, err
	}

	if c.meta, err = r.Meta(ctx, "note"); err != nil {
		return c, err
	}

	if c.result, _, err = r.Recall(ctx, "program"); err != nil {
		return c, err
	}

	for q := range 20 {
		name := fmt.Sprintf("q%d", q)

		tree, _, err := r.LoadTree(ctx, name, 0)
		if err != nil {
			return c, err
		}

		c.trees = append(c.trees, tree)

		p, err := r.Policy(ctx, name, 0, nil)
		if err != nil {
			return c, err
		}

		for i := range 5 {
			request := mcts.Request{Node: mcts.NodeID{Question: name, Path: fmt.Sprint("0.", i)}, N: 3, Seed: uint64(i)}

			proposals, err := p.Propose(ctx, request)
			if err != nil {
				return c, err
			}

			c.calls = append(c.calls, proposals)
		}
	}
	return c, nil
}

// A flipped bit anywhere in the database is noticed, or changes nothing that is read.
func TestFlippedBits(t *testing.T) {
	ctx, dir := t.Context(), filledRun(t)

	want, err := readAll(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(dir, "run.db")

	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	rng := rand.New(rand.NewPCG(1, 2))
	noticed := 0

	for range 150 {
		place, bit := rng.IntN(len(whole)), rng.IntN(8)
		flipped := bytes.Clone(whole)

		flipped[place] ^= 1 << bit
		if err := os.WriteFile(path, flipped, 0o644); err != nil {
			t.Fatal(err)
		}

		got, err := readAll(ctx, dir)
		if err != nil {
			noticed++
		} else if diff := cmp.Diff(want, got, cmp.AllowUnexported(content{})); diff != "" {
			t.Errorf("bit %d of byte %d is flipped, and nobody says so:\n%s", bit, place, diff)
		}
	}

	if noticed < 40 {
		t.Errorf("%d of 150 flips were noticed: the test shows little", noticed)
	}
}

// alter changes a database behind the store's back.
func alter(t *testing.T, dir string, queries ...string) {
	t.Helper()

	db, err := sql.Open("sqlite3", filepath.Join(dir, "run.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	for _, query := range queries {
		if _, err := db.Exec(query); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
}

// What is not as it was written is refused by whoever reads it, and by who goes on with the run.
func TestDamageIsRefused(t *testing.T) {
	const flip = `CAST(substr(%[2]s, 1, length(%[2]s) - 1) || x'7f' AS BLOB)`

	blob := func(table, column string) []string {
		return []string{fmt.Sprintf("UPDATE %[1]s SET %[2]s = "+flip, table, column)}
	}
	for name, queries := range map[string][]string{
		"a call":             blob("calls", "proposals"),
		"a call's seed":      {`UPDATE calls SET seed = seed + 1`},
		"a call's place":     {`UPDATE calls SET path = path || '.0'`},
		"a call's history":   {`UPDATE calls SET history = history + 1`},
		"a call's question":  {`UPDATE calls SET question = question + 1 WHERE question = (SELECT max(question) FROM calls)`},
		"a program's output": blob("tools", "result"),
		"a tree":             blob("trees", "record"),
		"a tree's place": {`UPDATE trees SET question = 1 - question`,
			`UPDATE trees SET question = 1 - question + 1`},
		"a note":         {`UPDATE meta SET value = 'other' WHERE key = 'note'`},
		"the dictionary": {`INSERT OR REPLACE INTO meta VALUES ('dictionary', x'00', 0)`},

		"a lost call":     {`DELETE FROM calls WHERE question = 3 AND path = '0.1'`},
		"a lost tree":     {`DELETE FROM trees WHERE question = 3`},
		"a lost output":   {`DELETE FROM tools`},
		"a lost question": {`DELETE FROM questions WHERE id = 3`},

		"a view": {`ALTER TABLE trees RENAME TO t`,
			`CREATE VIEW trees AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT n FROM r`},
		"a table less":      {`DROP TABLE tools`},
		"a table more":      {`CREATE TABLE more (x)`},
		"a trigger":         {`CREATE TRIGGER more AFTER INSERT ON trees BEGIN DELETE FROM calls; END`},
		"another index":     {`CREATE INDEX more ON trees (hash)`},
		"another column":    {`ALTER TABLE trees ADD COLUMN more`},
		"a later format":    {`UPDATE meta SET value = '4' WHERE key = 'format'`},
		"no format":         {`DELETE FROM meta WHERE key = 'format'`},
		"an earlier format": {`UPDATE meta SET value = '1' WHERE key = 'format'`},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, dir := t.Context(), filledRun(t)
			alter(t, dir, queries...)
			_, err := readAll(ctx, dir)

			moved := name == "a call's question" // nobody asks for the rows where they are now
			if !errors.Is(err, store.ErrDamaged) && !(moved && errors.Is(err, store.ErrNotLogged)) {
				t.Errorf("read it: %v", err)
			}

			// Whoever goes on with the run is told, by ResumeRun or when the row is read.
			r, err := resume(ctx, dir)
			if errors.Is(err, store.ErrDamaged) {
				return
			}

			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()

			problems, err := r.Check(ctx)
			if err != nil || len(problems) == 0 {
				t.Errorf("Check says %q, %v", problems, err)
			}
		})
	}
}

// Every row's hash is of all of it and is compared: what is well formed and was written otherwise
// is noticed, be it the hash itself.
func TestHashesAreCompared(t *testing.T) {
	for name, query := range map[string]string{
		"the hash of a call":             `UPDATE calls SET hash = hash + 1 WHERE question = 3`,
		"the hash of a result":           `UPDATE tools SET hash = hash + 1`,
		"the key of a result":            `UPDATE tools SET key = 'another program'`,
		"the hash of a tree":             `UPDATE trees SET hash = hash + 1 WHERE question = 3`,
		"a tree's index":                 `UPDATE trees SET tree = 1 WHERE question = 3`,
		"the hash of a note":             `UPDATE meta SET hash = hash + 1 WHERE key = 'note'`,
		"the hash of the seal":           `UPDATE meta SET hash = hash + 1 WHERE key = 'seal'`,
		"the seal, and what it is of":    `UPDATE meta SET value = replace(value, '20', '21') WHERE key = 'seal'`,
		"the index of a question's call": `UPDATE calls SET tree = 1 WHERE question = 3`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, dir := t.Context(), filledRun(t)
			alter(t, dir, query)

			r, err := store.OpenRun(ctx, dir)
			if errors.Is(err, store.ErrDamaged) {
				return
			}

			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()

			err = r.Intact(ctx)
			problems, checkErr := r.Check(ctx)

			if len(problems) == 0 && !errors.Is(errors.Join(err, checkErr), store.ErrDamaged) {
				t.Errorf("it is not noticed: %v, %v", err, checkErr)
			}

			if seal := strings.Contains(name, "seal"); seal && !errors.Is(err, store.ErrDamaged) {
				t.Errorf("who only asks whether the run is whole is not told: %v", err)
			}
		})
	}
}

// A database that was cut, or whose pages are not SQLite's any more, is damaged.
func TestACutDatabaseIsDamaged(t *testing.T) {
	for name, harm := range map[string]func(path string, size int64) error{
		"cut": func(path string, size int64) error { return os.Truncate(path, size/2) },
		"overwritten": func(path string, size int64) error {
			text, err := os.ReadFile(path)
			if err == nil {
				clear(text[4096:])
				err = os.WriteFile(path, text, 0o644)
			}

			return err
		},
	} {
		dir := filledRun(t)
		path := filepath.Join(dir, "run.db")

		info, err := os.Stat(path)
		if err == nil {
			err = harm(path, info.Size())
		}

		if err != nil {
			t.Fatal(err)
		}

		if _, err := readAll(t.Context(), dir); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Check finds what no hash is of: here a question without a name, which no statement can have made.
func TestCheckLooksThroughSQLite(t *testing.T) {
	s, dir := filledStore(t)
	definition := func(from, to string) {
		alter(t, dir, fmt.Sprintf(`PRAGMA writable_schema = ON;
			UPDATE sqlite_master SET sql = replace(sql, '%s', '%s') WHERE name = 'questions'`, from, to))
	}

	definition("TEXT NOT NULL UNIQUE", "TEXT UNIQUE")
	alter(t, dir, `INSERT INTO questions VALUES (99, NULL)`)
	definition("TEXT UNIQUE", "TEXT NOT NULL UNIQUE")

	problems, err := s.Check(t.Context())
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0], "questions.name") {
		t.Errorf("Check says %q, %v", problems, err)
	}

	if err := s.Intact(t.Context()); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("it is intact: %v", err)
	}
}

// A whole run has no problems, as often as it is opened.
func TestAWholeRunIsIntact(t *testing.T) {
	ctx, dir := t.Context(), filledRun(t)
	for range 2 {
		r, err := resume(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}

		problems, err := r.Check(ctx)
		if err := errors.Join(err, r.Intact(ctx), r.Close()); err != nil || len(problems) > 0 {
			t.Fatal(problems, err)
		}
	}

	// What is added after it was closed is no damage, neither is a process that is killed then.
	r, err := resume(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()

	if err := r.SaveTree(ctx, tree("later", 0)); err != nil {
		t.Fatal(err)
	}

	look, err := store.OpenRun(ctx, dir)
	if err != nil {
		t.Fatalf("a run that was added to: %v", err)
	}

	if err := look.Close(); err != nil {
		t.Error(err)
	}
}

// A database that is gone is not made again.
func TestResumeMakesNoDatabase(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"gone":  os.Remove,
		"empty": func(path string) error { return os.Truncate(path, 0) },
		"not a file": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, []byte("text"), 0o644))
		},
		"no tables": func(path string) error {
			db, err := sql.Open("sqlite3", path)
			if err == nil {
				_, err = db.Exec(`PRAGMA writable_schema = ON; DELETE FROM sqlite_master; PRAGMA writable_schema = OFF; VACUUM`)
			}
			return errors.Join(err, db.Close())
		},
		"of nobody": func(path string) error {
			s, err := store.Open(context.Background(), path+".new")
			if err == nil {
				err = s.Close()
			}
			return errors.Join(err, os.Rename(path+".new", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filledRun(t)

			path := filepath.Join(dir, "run.db")
			if err := harm(path); err != nil {
				t.Fatal(err)
			}

			before, _ := os.ReadFile(path)

			r, err := resume(t.Context(), dir)
			if err == nil {
				r.Close()
			}

			if !errors.Is(err, store.ErrDamaged) {
				t.Errorf("the run goes on: %v", err)
			}

			if after, _ := os.ReadFile(path); name != "of nobody" && !bytes.Equal(before, after) {
				t.Errorf("run.db had %d bytes, it has %d", len(before), len(after))
			}

			if name == "of nobody" {
				return
			}

			if r, err := store.OpenRun(t.Context(), dir); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("opened %v: %v", r, err)
			}
		})
	}
}

// What no search can have grown is refused, so that whoever walks a tree stays inside it.
func TestImpossibleTrees(t *testing.T) {
	for name, change := range map[string]func(*mcts.TreeRecord){
		"no nodes":          func(t *mcts.TreeRecord) { t.Nodes = nil },
		"no root":           func(t *mcts.TreeRecord) { t.Nodes[0].Parent = 1 },
		"a second root":     func(t *mcts.TreeRecord) { t.Nodes[2].Parent = mcts.NoParent },
		"its own parent":    func(t *mcts.TreeRecord) { t.Nodes[3].Parent = 3 },
		"a later parent":    func(t *mcts.TreeRecord) { t.Nodes[1].Parent = 3 },
		"a parent outside":  func(t *mcts.TreeRecord) { t.Nodes[2].Parent = 99 },
		"a negative parent": func(t *mcts.TreeRecord) { t.Nodes[2].Parent = -2 },
		"another ID":        func(t *mcts.TreeRecord) { t.Nodes[2].ID = 1 },
		"a hole":            func(t *mcts.TreeRecord) { t.Nodes = append(t.Nodes[:2], t.Nodes[3:]...) },
		"without the root":  func(t *mcts.TreeRecord) { t.Nodes = t.Nodes[1:] },
		"two roots": func(t *mcts.TreeRecord) {
			t.Nodes[2].Parent, t.Nodes[2].Depth, t.Nodes[2].Ordinal = mcts.NoParent, 0, 0
		},
		"a root's sibling":    func(t *mcts.TreeRecord) { t.Nodes[0].Ordinal = 1 },
		"a deep root":         func(t *mcts.TreeRecord) { t.Nodes[0].Depth = 1 },
		"too deep":            func(t *mcts.TreeRecord) { t.Nodes[3].Depth = 1 << 40 },
		"a sibling's ordinal": func(t *mcts.TreeRecord) { t.Nodes[2].Ordinal = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, s := t.Context(), open(t)
			r := tree("q", 0)
			change(r)

			if err := s.SaveTree(ctx, r); err != nil {
				t.Fatal(err)
			}

			if got, _, err := s.LoadTree(ctx, "q", 0); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("loaded %v, %v", got, err)
			}
		})
	}
}

// An answer is paired with what it was an answer to.
func TestAnotherHistoryIsRefused(t *testing.T) {
	coffee, tea := map[string]string{envs.LabelDataset: "coffee"}, map[string]string{envs.LabelDataset: "tea"}
	task := envs.Task{ID: "q", Labels: coffee, Question: "How much?"}
	turn := envs.Turn{Action: "look", Observation: "it is dark"}

	asked := envs.NewHistory(task).Append(turn).Append(turn)
	for name, h := range map[string]envs.History{
		"another question": envs.NewHistory(envs.Task{ID: "q", Labels: coffee, Question: "How many?"}).Append(
			turn).Append(turn),
		"another dataset": envs.NewHistory(envs.Task{ID: "q", Labels: tea, Question: "How much?"}).Append(
			turn).Append(turn),
		"another action": envs.NewHistory(task).Append(
			envs.Turn{Action: "stare", Observation: "it is dark"}).Append(turn),
		"another observation": envs.NewHistory(task).Append(turn).Append(
			envs.Turn{Action: "look", Observation: "it is darker"}),
		"another outcome": envs.NewHistory(task).Append(turn).Append(envs.Turn{
			Action:      "look",
			Observation: "it is dark",
			Outcome:     envs.ToolError,
		}),
		"a turn less": envs.NewHistory(task).Append(turn),
		"a tool more": asked.Learn("a tool"),
		"nothing":     {},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, s := t.Context(), open(t)
			r := request("0.0.0", 1)

			r.History = asked
			if _, err := policy(t, s, &echo{}).Propose(ctx, r); err != nil {
				t.Fatal(err)
			}

			if _, err := policy(t, s, nil).Propose(ctx, r); err != nil {
				t.Fatal(err)
			}

			r.History = h

			_, err := policy(t, s, &echo{}).Propose(ctx, r)
			if !errors.Is(err, store.ErrHistory) || !envs.IsFinal(err) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

// Of those that want a run at the same time one gets it, however many only ask.
func TestAskingWhetherARunIsBusyKeepsNobodyFromIt(t *testing.T) {
	dir := t.TempDir()

	path := filepath.Join(dir, "run.lock")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}

	done := make(chan struct{})

	var asking sync.WaitGroup
	for range 2 {
		asking.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}

				if err := store.Busy(dir); err != nil && !errors.Is(err, store.ErrLocked) {
					t.Error(err)
				}
			}
		})
	}

	for range 300 {
		release, err := store.Lock(path)
		if err != nil {
			t.Fatalf("nobody works on the run, and yet: %v", err)
		}

		if err := store.Busy(dir); !errors.Is(err, store.ErrLocked) {
			t.Fatalf("the run is held: %v", err)
		}

		if err := release(); err != nil {
			t.Fatal(err)
		}
	}

	close(done)
	asking.Wait()
}

// Texts that repeat each other take a fraction of their length, each in its own row.
func TestCallsAreSmall(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	path := filepath.Join(dir, "run.db")

	s, err := store.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}

	rng := rand.New(rand.NewPCG(1, 1))
	words := strings.Fields(strings.Repeat("Thought: the price of coffee on Action: FilterDB Action Input: column "+
		"value date "+
		"I load the database first and then filter what was asked for ", 3))
	say := func() string {
		rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		return strings.Repeat("The guidelines that every thought of this model repeats. ", 4) +
			strings.Join(words[:20], " ")
	}
	const calls, perTree = 2000, 20
	length := 0

	for i := range calls / perTree {
		question := fmt.Sprintf("easy-coffee-train-%04d", i)
		r := &mcts.TreeRecord{Question: question, Nodes: []mcts.Record{{Parent: mcts.NoParent}}}

		for c := range perTree {
			text := say()

			p, err := s.Policy(ctx, question, 0, &echo{text: text})
			if err == nil {
				_, err = p.Propose(ctx, mcts.Request{
					Node: mcts.NodeID{Question: question, Path: fmt.Sprint("0.", c)},
					N:    2,
					Seed: rng.Uint64(),
				})
			}

			if err != nil {
				t.Fatal(err)
			}

			r.Nodes = append(r.Nodes, mcts.Record{ID: c + 1, Depth: 1, Ordinal: c, Action: text, Prior: rng.Float64()})
			length += 3 * len(text)
		}

		if err := s.SaveTree(ctx, r); err != nil {
			t.Fatal(err)
		}
	}

	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}

	if size := info.Size() / calls; size > 350 {
		t.Errorf("%d bytes a call of %d bytes of text, want at most 350", size, length/calls)
	}

	// The dictionary serves who opens the run later.
	s, err = store.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	if problems, err := s.Check(ctx); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
}

// A run of another format is neither damaged nor read: whoever made it can export it.
func TestOtherFormats(t *testing.T) {
	t.Parallel()

	for name, other := range map[string]func(t *testing.T, dir string){
		"a later database": func(t *testing.T, dir string) {
			alter(t, dir, `ALTER TABLE trees ADD COLUMN more`, `UPDATE meta SET value = '4' WHERE key = 'format'`)
		},
		"a later manifest": func(t *testing.T, dir string) {
			changeManifest(t, dir, `"format": 3`, `"format": 4, "colour": "blue"`)
		},
		"a manifest without a format": func(t *testing.T, dir string) {
			changeManifest(t, dir, `"format": 3,`, ``)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filledRun(t)
			other(t, dir)

			_, err := readAll(t.Context(), dir)
			if _, ok := errors.AsType[*disk.FormatError](err); !ok || errors.Is(err, store.ErrDamaged) {
				t.Errorf("read it: %v", err)
			}

			_, err = resume(t.Context(), dir)
			if _, ok := errors.AsType[*disk.FormatError](err); !ok {
				t.Errorf("resume it: %v", err)
			}
		})
	}
}

// changeManifest changes a text in the manifest of a run without a configuration, and its sum.
func changeManifest(t *testing.T, dir, old, changed string) {
	t.Helper()

	path := filepath.Join(dir, store.ManifestFile)

	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("%s does not say %s: %v", text, old, err)
	}

	before, _, _ := strings.Cut(strings.Replace(string(text), old, changed, 1), ",\n  \"sum\"")
	sum := sha256.Sum256([]byte(before + "\n}\n"))

	text = fmt.Appendf(nil, "%s,\n  \"sum\": \"%x\"\n}\n", before, sum)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

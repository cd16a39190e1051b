package trajectories_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/trajectories"
	"toolevo/trajectories/internal/synth"
)

var update = flag.Bool("update", false, "write the golden files")

func TestSchemaIsCurrent(t *testing.T) {
	const golden = "SCHEMA.md"
	if *update {
		if err := os.WriteFile(golden, []byte(trajectories.Schema()), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	have, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}

	if d := cmp.Diff(trajectories.Schema(), string(have)); d != "" {
		t.Errorf("SCHEMA.md is stale, run with -update; -want +got:\n%s", d)
	}
}

// node is a record of the tree below, with the few fields the tests look at.
func node(parent, depth, ordinal int, action, tool, key string, outcome envs.Outcome) mcts.Record {
	return mcts.Record{
		Parent:      parent,
		Depth:       depth,
		Ordinal:     ordinal,
		Action:      action,
		Tool:        tool,
		Name:        "as " + tool,
		Key:         key,
		Observation: "saw " + key,
		Outcome:     outcome,
		Prior:       0.5,
		Visits:      4,
		TotalValue:  3,
	}
}

func tree() *mcts.TreeRecord {
	t := &mcts.TreeRecord{Question: "q", Tree: 3, Seed: 99, Nodes: []mcts.Record{
		{Parent: mcts.NoParent},
		node(0, 1, 0, "Thought: load it\nAction: LoadDB", "LoadDB", "a", envs.Deprecated),
		node(1, 2, 1, "no thought\nAction: UpdateTool", "UpdateTool", "b", envs.OK),
		node(2, 3, 0, "Thought:  again \nAction: Init", "LoadDB", "c", envs.OK),
		node(3, 4, 0, "Thought: only", "", "d", envs.Malformed),
		node(4, 5, 0, "Thought: filter", "FilterDB", "e", envs.Deprecated),
		node(5, 6, 2, "Thought: done\nAction: Finish", "Finish", "f", envs.Correct),
		node(0, 1, 1, "Thought: guess\nAction: Finish", "Finish", "g", envs.Incorrect),
		node(0, 1, 2, "\xffguess\nAction: Finish", "Finish", "h", envs.Correct),
	}}
	t.Nodes[6].Grade = envs.Grade{Answer: "7", Official: true, Strict: true}
	t.Nodes[8].Grade = envs.Grade{Answer: "7.", Official: true}
	t.Nodes[8].Visits, t.Nodes[8].TotalValue = 0, 0

	t.Nodes[4].Cut = true
	for i := range t.Nodes {
		t.Nodes[i].ID = i
	}
	return t
}

var meta = trajectories.Meta{
	Run: trajectories.Run{
		ID:          "run",
		Preset:      "paper",
		Policy:      "scripted:reader",
		PromptAPI:   "p_c",
		DeployedAPI: "p_s_in",
		Seed:        1<<63 + 5,
		ConfigHash:  "hash",
		Software:    "v0",
	},
	Question: trajectories.Question{ID: "q", Split: "train", Index: 12, Text: "How much?", Gold: "7",
		Labels: map[string]string{"dataset": "coffee", "difficulty": "easy", "template": "price"}},
	Makers: []trajectories.RunMaker{
		{
			Result: "first",
			Maker: trajectories.Maker{
				Kind:    trajectories.KindPython,
				Name:    "bwrap",
				Version: "3.11.2",
				With:    "numpy \xff",
				Without: "landlock",
				Limits:  "wall 1s",
			},
		},
		{
			Result: "second",
			Maker: trajectories.Maker{
				Kind: trajectories.KindPython, Name: "forkserver", Version: "3.12.0", Limits: "wall 1s",
			},
		},
		{Result: "third", Maker: trajectories.Maker{Kind: "judge", Name: "strict"}},
		{Result: "fourth", Maker: trajectories.Maker{Kind: "judge", Name: "kind"}},
	},
}

// A row names, of each kind, each maker whose output it holds, and the run's first where it holds
// none.
func TestARowNamesEachMakerWhoseOutputItHolds(t *testing.T) {
	first, second := "bwrap python 3.11.2 numpy \uFFFD without landlock", "forkserver python 3.12.0"
	for _, test := range []struct {
		name   string
		makers map[int]string // by node
		want   string
	}{
		{"none", nil, "strict judge; " + first},
		{"elsewhere in the tree", map[int]string{7: "second", 8: "fourth"}, "strict judge; " + first},
		{"the second alone", map[int]string{2: "second", 6: "second"}, "strict judge; " + second},
		{"both", map[int]string{1: "second", 4: "first"}, "strict judge; " + first + "; " + second},
		{"another kind", map[int]string{3: "fourth"}, "kind judge; " + first},
	} {
		tree := tree()
		for id, maker := range test.makers {
			tree.Nodes[id].Maker = maker
		}

		var words []string
		for _, m := range trajectories.FromTree(meta, tree)[0].Makers {
			words = append(words, m.String())
		}

		if got := strings.Join(words, "; "); got != test.want {
			t.Errorf("%s: the row names %q, want %q", test.name, got, test.want)
		}
	}
}

func TestFromTree(t *testing.T) {
	rows := trajectories.FromTree(meta, tree())
	if len(rows) != 2 {
		t.Fatalf("%d rows, want the 2 correct leaves", len(rows))
	}

	r := rows[0]
	if r.NodePath != "0.0.1.0.0.0.2" || r.Node != 6 || r.Tree != 3 || r.TreeSeed != 99 {
		t.Errorf("lineage: path %s, node %d, tree %d, seed %d", r.NodePath, r.Node, r.Tree, r.TreeSeed)
	}

	if m := r.Makers[1]; m.Name != "bwrap" || m.Without != "landlock" || m.With != "numpy \uFFFD" {
		t.Errorf("makers: %+v", r.Makers)
	}

	if r.TurnCount != 6 || r.Deprecations != 2 || r.Recovered != 1 || r.Updates != 1 || r.Errors != 1 {
		t.Errorf("turns %d deprecations %d recovered %d updates %d errors %d, want 6 2 1 1 1",
			r.TurnCount, r.Deprecations, r.Recovered, r.Updates, r.Errors)
	}

	if r.Cuts != 1 || rows[1].Cuts != 0 {
		t.Errorf("%d and %d turns are cut, want 1 and none", r.Cuts, rows[1].Cuts)
	}

	if r.Value != 0.75 || r.Visits != 4 || !r.Official || !r.Strict || r.Answer != "7" || r.Gold != "7" {
		t.Errorf("leaf: %+v", r)
	}

	var thoughts []string
	for _, turn := range r.Turns {
		thoughts = append(thoughts, turn.Thought)
	}

	if d := cmp.Diff([]string{"load it", "", "again", "only", "filter", "done"}, thoughts); d != "" {
		t.Errorf("thoughts, -want +got:\n%s", d)
	}

	second := rows[1]
	if second.Turns[0].Action != "\uFFFDguess\nAction: Finish" || second.Value != 0 || second.Strict {
		t.Errorf("second row: %+v", second)
	}
}

// A deprecated Finish is recovered by the answer itself.
func TestRecoveredByFinish(t *testing.T) {
	tr := &mcts.TreeRecord{Nodes: []mcts.Record{
		{Parent: mcts.NoParent},
		node(0, 1, 0, "x", "Finish", "a", envs.Deprecated),
		node(1, 2, 0, "y", "Finish", "b", envs.Correct),
	}}
	if r := trajectories.FromTree(meta, tr)[0]; r.Recovered != 1 {
		t.Errorf("recovered %d, want 1", r.Recovered)
	}
}

func TestKey(t *testing.T) {
	key := func(keys ...string) string {
		var turns []trajectories.Turn
		for _, k := range keys {
			turns = append(turns, trajectories.Turn{Key: k, Action: "thought " + k, Observation: "whatever"})
		}
		return trajectories.Key(turns)
	}
	if key("ab", "c") == key("a", "bc") || key("a", "b") == key("b", "a") || key("a") == key("a", "a") {
		t.Error("different actions have equal keys")
	}

	same := []trajectories.Turn{{Key: "ab", Action: "another thought"}, {Key: "c"}}
	if trajectories.Key(same) != key("ab", "c") {
		t.Error("a thought changes the key")
	}
}

func TestFileRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 40, 350} { // 350 questions need several row groups
		want := synth.Rows(7, n, 2)
		if n == 1 {
			want = trajectories.FromTree(meta, tree())
		}

		path := filepath.Join(t.TempDir(), "rows.parquet")

		got, err := trajectories.WriteFile(context.Background(), path, synth.Sorted(want))
		if err != nil || got != len(want) {
			t.Fatalf("wrote %d rows of %d: %v", got, len(want), err)
		}

		if n == 350 && len(want) <= 1000 {
			t.Fatalf("%d rows do not fill two row groups", len(want))
		}

		if d := cmp.Diff(want, synth.Collect(t, trajectories.ReadFile(path))); d != "" {
			t.Errorf("%d questions, -want +got:\n%s", n, d)
		}
	}
}

func TestFilesAreByteIdentical(t *testing.T) {
	rows := synth.Rows(7, 60, 2)
	write := func(rows []trajectories.Row) []byte {
		path := filepath.Join(t.TempDir(), "rows.parquet")
		if _, err := trajectories.WriteFile(context.Background(), path, synth.Sorted(rows)); err != nil {
			t.Fatal(err)
		}

		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	want := write(slices.Clone(rows))
	slices.Reverse(rows)

	if !bytes.Equal(want, write(rows)) {
		t.Error("the same rows in another order give another file")
	}
}

func TestWriterRefuses(t *testing.T) {
	rows := synth.Rows(7, 2, 1)
	first, last := rows[0], rows[len(rows)-1]
	broken := last
	broken.Turns = slices.Clone(last.Turns)
	broken.Turns[0].Observation = "\xff"
	old := last
	old.SchemaVersion = trajectories.SchemaVersion - 1

	cases := []struct {
		name string
		rows []trajectories.Row
		want string
	}{
		{"out of order", []trajectories.Row{last, first}, "canonical order"},
		{"twice", []trajectories.Row{first, first}, "canonical order"},
		{"not UTF-8", []trajectories.Row{first, broken}, "not UTF-8"},
		{"schema version", []trajectories.Row{old}, "schema version 5"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()

			_, err := trajectories.WriteFile(context.Background(), filepath.Join(dir, "rows.parquet"),
				synth.Sequence(c.rows))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}

			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestWriteFileStops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.parquet")
	if err := os.WriteFile(path, []byte("earlier"), 0o644); err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()

	_, err := trajectories.WriteFile(ctx, path, synth.Sequence(synth.Rows(7, 2, 1)))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}

	if data, _ := os.ReadFile(path); string(data) != "earlier" {
		t.Errorf("the earlier file was replaced by %d bytes", len(data))
	}
}

// fullDisk takes some bytes and then no more.
type fullDisk struct{ room int }

var errFull = errors.New("disk full")

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room -= len(p); d.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// What a killed process left of a file is gone when the file is there.
func TestWriteFileAfterAKill(t *testing.T) {
	dir := t.TempDir()

	path := filepath.Join(dir, "rows.parquet")
	if err := os.WriteFile(path+".new", bytes.Repeat([]byte("x"), 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}

	rows := synth.Rows(1, 2, 1)
	if _, err := trajectories.WriteFile(t.Context(), path, synth.Sequence(rows)); err != nil {
		t.Fatal(err)
	}

	if d := cmp.Diff(rows, synth.Collect(t, trajectories.ReadFile(path))); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left: %v (%v)", entries, err)
	}
}

func TestWriterReportsAFullDisk(t *testing.T) {
	rows := synth.Rows(7, 100, 2)

	for _, room := range []int{0, 4, 1000, 20000} {
		w, err := trajectories.NewWriter(&fullDisk{room})
		for i := 0; err == nil && i < len(rows); i++ {
			err = w.Write(rows[i])
		}

		if w != nil {
			err = errors.Join(err, w.Close())
		}

		if !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: error %v, want %v", room, err, errFull)
		}
	}
}

func TestLabelsAndMakersRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.parquet")
	text := rapid.String()
	maker := rapid.Custom(func(t *rapid.T) trajectories.Maker {
		return trajectories.Maker{
			Kind:       rapid.SampledFrom([]string{"python", "judge", ""}).Draw(t, "kind"),
			Name:       text.Draw(t, "name"),
			Version:    rapid.SampledFrom([]string{"", "a; b"}).Draw(t, "version"),
			With:       text.Draw(t, "with"),
			Without:    text.Draw(t, "without"),
			Limits:     text.Draw(t, "limits"),
			Unconfined: rapid.Bool().Draw(t, "unconfined"),
		}
	})

	labels := rapid.MapOfN(rapid.OneOf(text, rapid.Just("dataset")), text, 1, 4)
	makers := rapid.SliceOfN(maker, 1, 3)

	want := make([]trajectories.Row, 200)
	for i := range want {
		want[i] = row("r", "h", "a")
		want[i].SchemaVersion, want[i].Node = trajectories.SchemaVersion, i
		want[i].Labels, want[i].Makers = labels.Example(i), makers.Example(i)
	}

	if _, err := trajectories.WriteFile(t.Context(), path, synth.Sorted(want)); err != nil {
		t.Fatal(err)
	}

	if d := cmp.Diff(want, synth.Collect(t, trajectories.ReadFile(path))); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestReadFileDamaged(t *testing.T) {
	good := filepath.Join(t.TempDir(), "rows.parquet")
	if _, err := trajectories.WriteFile(context.Background(), good, synth.Sequence(synth.Rows(7, 20, 1))); err != nil {
		t.Fatal(err)
	}

	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(t.TempDir(), "damaged.parquet")
	for _, damage := range map[string][]byte{"empty": {}, "no footer": data[:len(data)/2],
		"text": []byte("hello, this is no parquet file")} {
		if err := os.WriteFile(path, damage, 0o644); err != nil {
			t.Fatal(err)
		}

		if err := synth.FirstError(trajectories.ReadFile(path)); err == nil {
			t.Errorf("a file of %d bytes was read without an error", len(damage))
		}
	}
	// Any byte may be wrong: an error or other values, never a panic.
	for i := 0; i < len(data); i += len(data)/200 + 1 {
		flipped := slices.Clone(data)

		flipped[i] ^= 0x55
		if err := os.WriteFile(path, flipped, 0o644); err != nil {
			t.Fatal(err)
		}

		_ = synth.FirstError(trajectories.ReadFile(path))
	}

	if err := synth.FirstError(trajectories.ReadFile(path + ".missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestMerge(t *testing.T) {
	all := synth.Rows(7, 10, 2)
	var odd, even []trajectories.Row

	for i, r := range all {
		if i%2 == 0 {
			even = append(even, r)
		} else {
			odd = append(odd, r)
		}
	}
	// A run given twice counts once.
	got := synth.Collect(t, trajectories.Merge(synth.Sequence(odd), synth.Sequence(nil), synth.Sequence(even),
		synth.Sequence(odd)))
	if d := cmp.Diff(all, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	failing := func(yield func(trajectories.Row, error) bool) { yield(trajectories.Row{}, io.ErrUnexpectedEOF) }
	if err := synth.FirstError(trajectories.Merge(synth.Sequence(odd), failing)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

func BenchmarkWrite10000(b *testing.B) {
	rows := synth.Rows(7, 3000, 2)[:10000]
	size := 0

	for _, r := range rows {
		for _, t := range r.Turns {
			size += len(t.Action) + len(t.Thought) + len(t.Key) + len(t.Observation)
		}
	}

	b.SetBytes(int64(size))
	b.ReportAllocs()

	for b.Loop() {
		w, err := trajectories.NewWriter(io.Discard)
		if err != nil {
			b.Fatal(err)
		}

		for _, r := range rows {
			if err := w.Write(r); err != nil {
				b.Fatal(err)
			}
		}

		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// row returns a row of a run at the first place of a question.
func row(id, hash, action string) trajectories.Row {
	return trajectories.Row{
		RunID: id, RunHash: hash, QuestionID: "q", Key: action, Turns: []trajectories.Turn{{Action: action}},
	}
}

// merged returns the runs and the actions of the rows that merging gives.
func merged(t *testing.T, rows ...trajectories.Row) (all []string, err error) {
	t.Helper()

	var seqs []iter.Seq2[trajectories.Row, error]
	for _, r := range rows {
		seqs = append(seqs, synth.Sequence([]trajectories.Row{r}))
	}

	for r, e := range trajectories.Merge(seqs...) {
		if e != nil {
			return all, e
		}

		all = append(all, r.RunID+" "+r.Turns[0].Action)
	}
	return all, nil
}

// TestMergeOfRunsOfOneHash holds that two runs of one hash, say of two servers behind one model
// name, both keep their rows, in an order that their IDs have no part in.
func TestMergeOfRunsOfOneHash(t *testing.T) {
	for _, test := range []struct {
		rows []trajectories.Row
		want []string
	}{
		{[]trajectories.Row{row("1", "h", "b"), row("2", "h", "a")}, []string{"2 a", "1 b"}},
		{[]trajectories.Row{row("2", "h", "b"), row("1", "h", "a")}, []string{"1 a", "2 b"}},
		{[]trajectories.Row{row("1", "z", "a"), row("2", "h", "b")}, []string{"2 b", "1 a"}},
		{[]trajectories.Row{row("1", "h", "a"), row("2", "h", "a")}, []string{"1 a", "2 a"}},
		{[]trajectories.Row{row("1", "h", "a"), row("1", "h", "a")}, []string{"1 a"}},
	} {
		got, err := merged(t, test.rows...)
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%v: %v\n%s", test.rows, err, diff)
		}
	}
}

// TestMergeRefusesDifferentRowsOfOnePlace holds that rows of one run are not lost, or doubled,
// where one of its files was changed, whatever stands between them.
func TestMergeRefusesDifferentRowsOfOnePlace(t *testing.T) {
	_, err := merged(t, row("r", "h", "1"), row("other", "h", "2"), row("r", "h", "3"))
	if err == nil || !strings.Contains(err.Error(), "two trajectories of run r") {
		t.Errorf("different rows: %v", err)
	}
}

// Labels without a column of their own order rows last, by name and then value.
func TestOtherLabelsOrderRowsLast(t *testing.T) {
	of := func(question string, pairs ...string) *trajectories.Row {
		r := row("r", "h", "a")
		r.Question, r.Labels = question, map[string]string{"dataset": "d", "difficulty": "easy", "template": question}

		for i := 0; i < len(pairs); i += 2 {
			r.Labels[pairs[i]] = pairs[i+1]
		}
		return &r
	}

	ordered := []*trajectories.Row{
		of("a", "group", "z"), of("b"), of("b", "group", "x"), of("b", "group", "x", "turn", "1"),
		of("b", "group", "y"), of("b", "turn", "0"), of("c"), of("c", "dataset", "e"),
	}
	for i, a := range ordered {
		for k, b := range ordered {
			if i != k && (trajectories.Compare(a, b) < 0) != (i < k) {
				t.Errorf("%v and %v: %d", a.Labels, b.Labels, trajectories.Compare(a, b))
			}
		}
	}
}

package trajectories_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/trajectories"
	"toolevo/trajectories/internal/synth"
)

// place is what a row is ordered by, in the order of the comment of Compare.
func place(r *trajectories.Row) []string {
	other := ""
	for _, name := range []string{"group", "turn"} {
		if value, ok := r.Labels[name]; ok {
			other += name + " " + value + " "
		}
	}

	turns := ""
	for _, t := range r.Turns {
		turns += t.Action + t.Observation
	}
	return []string{
		r.Labels["dataset"], r.Labels["difficulty"], r.Split, fmt.Sprint(r.QuestionIndex),
		r.QuestionID, r.Question, other, r.RunHash, fmt.Sprint(r.Tree), fmt.Sprint(r.Node),
		turns, r.RunID,
	}
}

// drawRow draws a row of few different values, so that rows agree in much. What it did follows from
// its run, and orders runs in another way than their IDs do.
func drawRow(t *rapid.T) trajectories.Row {
	word := func(name string) string { return rapid.SampledFrom([]string{"a", "b"}).Draw(t, name) }
	number := func(name string) int { return rapid.IntRange(0, 1).Draw(t, name) }

	r := trajectories.Row{
		RunID: word("run"), RunHash: word("hash"), Split: word("split"),
		QuestionIndex: number("index"), QuestionID: word("question"), Question: word("text"),
		Tree: number("tree"), Node: number("node"),
		Labels: map[string]string{"dataset": word("dataset"), "difficulty": word("difficulty")},
	}
	for _, name := range []string{"group", "turn"} {
		if rapid.Bool().Draw(t, "has "+name) {
			r.Labels[name] = word(name)
		}
	}

	r.Turns = []trajectories.Turn{{Action: map[string]string{"a": "2", "b": "1"}[r.RunID]}}
	return r
}

// TestCanonicalOrder compares rows one thing after the other, as the comment of Compare names them.
func TestCanonicalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawRow(t), drawRow(t)
		// Most pairs differ early: let some agree in their place.
		if rapid.Bool().Draw(t, "one place") {
			run := b.RunID
			b = a
			b.RunID, b.Node = run, rapid.IntRange(0, 1).Draw(t, "node of b")
		}

		for _, r := range []*trajectories.Row{&a, &b} {
			r.Turns = make([]trajectories.Turn, rapid.IntRange(0, 2).Draw(t, "turns"))
			for i := range r.Turns {
				word := rapid.SampledFrom([]string{"a", "b"})
				r.Turns[i] = trajectories.Turn{
					Action: word.Draw(t, "action"), Observation: word.Draw(t, "observation"),
				}
			}
		}

		want := slices.Compare(place(&a), place(&b))
		if got := trajectories.Compare(&a, &b); cmp.Compare(got, 0) != want {
			t.Fatalf("%v and %v: %d, want %d", place(&a), place(&b), got, want)
		}
	})
}

// TestMergeNaively holds that merging files is putting all rows together, in order, each once.
func TestMergeNaively(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(drawRow), 0, 6), 0, 4).Draw(t, "files")

		var (
			all  []trajectories.Row
			seqs []iter.Seq2[trajectories.Row, error]
		)

		compare := func(a, b trajectories.Row) int { return trajectories.Compare(&a, &b) }
		equal := func(a, b trajectories.Row) bool { return compare(a, b) == 0 }

		for _, file := range files {
			slices.SortFunc(file, compare)
			file = slices.CompactFunc(file, equal) // a file has each row once
			all = append(all, file...)
			seqs = append(seqs, synth.Sequence(file))
		}

		slices.SortFunc(all, compare)
		all = slices.CompactFunc(all, equal)

		var got []trajectories.Row

		for r, err := range trajectories.Merge(seqs...) {
			if err != nil {
				t.Fatal(err)
			}

			got = append(got, r)
		}

		if d := gocmp.Diff(all, got); d != "" {
			t.Fatalf("-want +got:\n%s", d)
		}

		for range trajectories.Merge(seqs...) {
			break // nothing comes after that
		}
	})
}

// texts calls a function for each text within a value, by its path.
func texts(v reflect.Value, path string, visit func(path string, text reflect.Value)) {
	switch v.Kind() {
	case reflect.String:
		visit(path, v)
	case reflect.Struct:
		for i := range v.NumField() {
			texts(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			texts(v.Index(i), fmt.Sprintf("%s[%d]", path, i), visit)
		}
	}
}

// TestEveryTextIsUTF8 spoils each text of a row in turn, those of columns that are yet to come,
// too: the writer takes none of them.
func TestEveryTextIsUTF8(t *testing.T) {
	full := trajectories.FromTree(meta, tree())[0]
	spoiled := 0

	refused := func(path string, r trajectories.Row) {
		w, err := trajectories.NewWriter(io.Discard)
		if err == nil {
			err = w.Write(r)
		}

		if err == nil || !strings.Contains(err.Error(), "not UTF-8") {
			t.Errorf("%s: %v", path, err)
		}

		spoiled++
	}

	texts(reflect.ValueOf(&full).Elem(), "row", func(path string, text reflect.Value) {
		was := text.String()
		text.SetString("\xff")
		refused(path, full)
		text.SetString(was)
	})

	for _, labels := range []map[string]string{{"\xff": "x"}, {"x": "\xff"}} {
		other := full
		other.Labels = labels
		refused(fmt.Sprintf("labels %q", labels), other)
	}

	if spoiled < 60 {
		t.Errorf("only %d texts were spoiled", spoiled)
	}
}

// TestModelTextThatIsNotUTF8 spoils each text that a row is made of in turn: the row has U+FFFD in
// place of the broken byte, and is written.
func TestModelTextThatIsNotUTF8(t *testing.T) {
	broken, record := meta, tree()
	broken.Question.Labels = map[string]string{"broken \xff": "\xff", "none": ""}
	broken.Makers = slices.Clone(meta.Makers)

	for _, part := range []any{&broken.Run, &broken.Question, broken.Makers, record.Nodes} {
		v := reflect.ValueOf(part)
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}

		texts(v, "", func(path string, text reflect.Value) {
			if !strings.HasSuffix(path, ".Result") && !strings.HasSuffix(path, ".Maker") {
				text.SetString(text.String() + " \xff")
			}
		})
	}

	rows := trajectories.FromTree(broken, record)
	path := filepath.Join(t.TempDir(), "rows.parquet")

	if _, err := trajectories.WriteFile(t.Context(), path, synth.Sequence(rows)); err != nil {
		t.Fatal(err)
	}

	r := rows[0]
	if d := gocmp.Diff(map[string]string{"broken \uFFFD": "\uFFFD"}, r.Labels); d != "" {
		t.Errorf("labels, -want +got:\n%s", d)
	}

	if r.RunID != "run \uFFFD" || r.Question != "How much? \uFFFD" ||
		r.Turns[0].API != "as LoadDB \uFFFD" {
		t.Errorf("%+v", r)
	}
}

// TestOneLabel holds that a row has the label of a question that has one, and none of one that has
// none, in its file as well.
func TestOneLabel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.parquet")
	for _, labels := range []map[string]string{nil, {"group": "a"}} {
		m := meta
		m.Question.Labels = labels

		rows := trajectories.FromTree(m, tree())
		if _, err := trajectories.WriteFile(t.Context(), path, synth.Sorted(rows)); err != nil {
			t.Fatal(err)
		}

		for _, r := range append(rows, synth.Collect(t, trajectories.ReadFile(path))...) {
			if !reflect.DeepEqual(r.Labels, labels) {
				t.Errorf("%v, want %v", r.Labels, labels)
			}
		}
	}
}

// TestMemoryHoldsOneRowGroup holds that rows leave the writer, and reach the reader, by groups of
// at most 1,000, whatever is wrong with the groups behind.
func TestMemoryHoldsOneRowGroup(t *testing.T) {
	rows := make([]trajectories.Row, 2100)
	for i := range rows {
		rows[i] = row("r", "h", strings.Repeat(fmt.Sprint(i), 40))
		rows[i].SchemaVersion, rows[i].Node = trajectories.SchemaVersion, i
	}

	var file bytes.Buffer

	w, err := trajectories.NewWriter(&file)
	if err != nil {
		t.Fatal(err)
	}

	var groups []int // how long the file was when a group was complete

	for i, r := range rows {
		before := file.Len()
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}

		if file.Len() > before {
			groups = append(groups, file.Len())
		}

		if i >= 1100*(len(groups)+1) {
			t.Fatalf("%d groups have left the writer after %d rows", len(groups), i)
		}
	}

	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	// A group that cannot be read does not hide the one before it.
	data := file.Bytes()
	for i := groups[0]; i < groups[1]; i++ {
		data[i] = 0x55
	}

	path := filepath.Join(t.TempDir(), "rows.parquet")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}

	if read, err := ends(trajectories.ReadFile(path)); read < 900 || read > 1000 || err == nil {
		t.Errorf("%d rows before the damage: %v", read, err)
	}

	for range trajectories.ReadFile(path) {
		break // nothing comes after that
	}

	// A disk that is full is told when it is met, not when the file is closed.
	full, err := trajectories.NewWriter(&fullDisk{groups[0] - 1})
	for i := 0; err == nil && i < len(rows); i++ {
		if err = full.Write(rows[i]); err != nil && !strings.Contains(err.Error(), rows[i].Name()) {
			t.Errorf("%v does not say that row %s was being written", err, rows[i].Name())
		}
	}

	if !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

// TestRowAsJSON holds that the keys of a row and of its turns are their columns, in their order.
func TestRowAsJSON(t *testing.T) {
	text, err := json.Marshal(trajectories.FromTree(meta, tree())[0])
	if err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{
		`{"schema_version":6,"run_id":"run","run_hash":""`, `{"name":"dataset","value":"coffee"}`,
		`"node_path":"0.0.1.0.0.0.2"`,
		`"seed":9223372036854775813`, `"tree_seed":"99"`, `"api":"as LoadDB"`, `"outcome":"deprecated"`,
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}

// TestWorthOfEnds says of each end of a tree whether it is a trajectory of the tree, whether its
// rows are right, and what the search learnt from it.
func TestWorthOfEnds(t *testing.T) {
	for _, test := range []struct {
		outcome envs.Outcome
		limit   mcts.Limit
		ended   bool
		correct bool
		reward  float64
		known   bool
	}{
		{envs.Correct, mcts.LimitNone, true, true, 1, true},
		{envs.Incorrect, mcts.LimitNone, true, false, -1, true},
		{envs.OK, mcts.LimitNone, false, false, 0, false},
		{envs.Deprecated, mcts.LimitNone, false, false, 0, false},
		{envs.OK, mcts.LimitDepth, true, false, -1, true},
		{envs.Malformed, mcts.LimitRepeat, true, false, -1, true},
		{envs.ToolError, mcts.LimitReflection, true, false, -1, true},
		{envs.OK, mcts.LimitEnvironment, true, false, -1, true},
		{envs.OK, mcts.LimitSilence, false, false, 0, false},
		{envs.OK, mcts.LimitContext, false, false, 0, false},
	} {
		tr := &mcts.TreeRecord{Nodes: []mcts.Record{
			{Parent: mcts.NoParent}, node(0, 1, 0, "x", "Load", "a", envs.OK),
			node(1, 2, 0, "x", "Load", "a", test.outcome),
		}}
		tr.Nodes[2].Limit = test.limit

		var ended []int
		for _, r := range trajectories.Ended(meta, tr) {
			ended = append(ended, r.Node)
		}

		if test.ended && !slices.Equal(ended, []int{2}) || !test.ended && len(ended) > 0 {
			t.Errorf("%v, limit %q: ended are %v", test.outcome, test.limit, ended)
		}

		r := trajectories.FromNode(meta, tr, 2)

		reward, known := r.Reward(test.limit)
		if r.IsCorrect() != test.correct || reward != test.reward || known != test.known {
			t.Errorf("%v, limit %q: correct %v, reward %v (%v)", test.outcome, test.limit,
				r.IsCorrect(), reward, known)
		}
	}

	short := trajectories.Row{Turns: []trajectories.Turn{{Outcome: envs.Incorrect}}}
	if reward, known := short.Reward(""); short.IsCorrect() || !known || reward != -1 {
		t.Errorf("one wrong turn: reward %v (%v)", reward, known)
	}

	short.Turns[0].Outcome = envs.Correct
	if !short.IsCorrect() {
		t.Error("one right turn is not correct")
	}

	var empty trajectories.Row
	if reward, known := empty.Reward(""); empty.IsCorrect() || known || reward != 0 {
		t.Errorf("no turns: reward %v (%v)", reward, known)
	}
}

// TestMakersInWords names makers, and says whether one is unconfined.
func TestMakersInWords(t *testing.T) {
	judge := trajectories.Maker{Kind: "judge", Name: "strict"}
	open := trajectories.Maker{Kind: "python", Name: "unsafe", Version: "3.12", Unconfined: true}
	makers := []trajectories.Maker{judge, synth.Python(), open}

	want := "strict judge; forkserver python 3.11.2 numpy 1.24.2; unsafe python 3.12"
	if got := trajectories.InWords(makers); got != want {
		t.Errorf("%q, want %q", got, want)
	}

	if !trajectories.Unconfined(makers) || trajectories.Unconfined(makers[:2]) {
		t.Error("only the last is unconfined")
	}

}

// TestOtherLabels holds that the three labels with keys of their own are no others, and that a
// question's labels stay as they were.
func TestOtherLabels(t *testing.T) {
	labels := map[string]string{
		"dataset": "d", "difficulty": "e", "template": "t", "turn": "1", "group": "g",
	}

	others := trajectories.OtherLabels(labels)
	if !reflect.DeepEqual(others, map[string]string{"turn": "1", "group": "g"}) {
		t.Errorf("others: %v", others)
	}

	pairs := trajectories.LabelPairs(labels)
	if !slices.Equal(pairs, []string{"group", "g", "turn", "1"}) {
		t.Errorf("pairs: %q", pairs)
	}

	if len(labels) != 5 {
		t.Errorf("left: %v", labels)
	}
}

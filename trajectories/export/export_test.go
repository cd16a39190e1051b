package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
	"toolevo/trajectories/internal/synth"
)

// The data files of the format that is tested most.
var (
	parquetFile = export.SFTTrajectory.Dataset() + ".parquet"
	jsonlFile   = export.SFTTrajectory.Dataset() + ".jsonl"
)

func wrote(t testing.TB, dir string, rows []trajectories.Row, opt export.Options) *export.Manifest {
	t.Helper()

	if opt.Shown == nil {
		opt.Shown = synth.Shown
	}

	m, err := export.Write(context.Background(), dir, synth.Sequence(rows), opt)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestExport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export")
	rows := synth.Rows(1, 30, 3)

	m := wrote(t, dir, rows, export.Options{Selection: export.Selection{PerQuestion: 4}})
	if m.Rows == 0 || m.Rows != m.Selected.Kept || m.Rows > 4*30 || m.Lint.Sanitized == 0 {
		t.Errorf("manifest: %+v", m)
	}

	report, err := export.Proved(dir, newLinter(t), nil)
	if err != nil || !report.OK() || report.Rows != m.Rows {
		t.Errorf("report %+v, error %v", report, err)
	}

	info, err := os.ReadFile(filepath.Join(dir, export.DatasetInfoFile))
	if err != nil {
		t.Fatal(err)
	}

	if bytes.Contains(info, []byte(`"tags"`)) {
		t.Error("dataset_info.json has tags: naming some resets the others")
	}

	for _, name := range []string{parquetFile, jsonlFile, export.LineageFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	// The chosen samples are those of the selection, in its order.
	var want []export.Sample

	for _, row := range synth.Collect(t,
		export.Selection{PerQuestion: 4}.Select(synth.Sequence(rows), &export.SelectionReport{})) {
		system := synth.System(row.PromptAPI)
		sample, _ := export.NewSample(trajectories.Shown{System: system}, &row, newLinter(t).Sanitizer())
		want = append(want, sample)
	}

	if d := cmp.Diff(want, synth.Collect(t, export.Read(dir, false))); d != "" {
		t.Errorf("samples, -want +got:\n%s", d)
	}
}

func TestNewSample(t *testing.T) {
	row := trajectories.Row{Question: " How much <s>? ", Gold: "SECRET", Answer: "SECRET", Turns: []trajectories.Turn{
		{Action: "Thought: a\nAction: A\n\n", Observation: " <|eot_id|> {{idx}} \n", Outcome: envs.Deprecated},
		{Action: "\nThought: b\nAction: B", Observation: "fine"},
		{Action: "Thought: c {{x}}\nAction: Finish", Observation: "Answer is CORRECT"},
	}}
	got, broken := export.NewSample(trajectories.Shown{System: "tools"}, &row, newLinter(t).Sanitizer())

	want := export.Sample{System: "tools", Conversations: []export.Message{
		{From: "human", Value: "Question: How much < s>?"},
		{From: "gpt", Value: "Thought: a\nAction: A"},
		{From: "observation", Value: "< |eot_id| > { {idx}}"},
		{From: "gpt", Value: "Thought: b\nAction: B"},
		{From: "observation", Value: "fine"},
		{From: "gpt", Value: "Thought: c {{x}}\nAction: Finish"},
	}}
	if d := cmp.Diff(want, got); d != "" || broken != 2 {
		t.Errorf("%d messages broken, want 2; -want +got:\n%s", broken, d)
	}
}

// A function call is rewritten as the trainer reads it; text without one stays a reply.
func TestNewSampleOfFunctionCalls(t *testing.T) {
	row := trajectories.Row{Question: "q", Turns: []trajectories.Turn{
		{Action: "I try.\n<tool_call>{\"name\": \"A\", \"parameters\": {}}</tool_call>", Observation: "o"},
		{Action: " {\"name\": 1} ", Observation: "o"},
		{Action: `{"name": "Finish", "arguments": "{\"answer\": 1.50}"}`, Observation: "Answer is CORRECT"},
	}}
	got, _ := export.NewSample(
		trajectories.Shown{System: "tools", Codec: action.FunctionCall{}}, &row, newLinter(t).Sanitizer())

	want := []export.Message{
		{From: "human", Value: "Question: q"},
		{From: "function_call", Value: "<think>\nI try.\n</think>\n\n{\"name\": \"A\", \"arguments\": {}}"},
		{From: "observation", Value: "o"},
		{From: "gpt", Value: `{"name": 1}`},
		{From: "observation", Value: "o"},
		{From: "function_call", Value: `{"name": "Finish", "arguments": {"answer": 1.50}}`},
	}
	if d := cmp.Diff(want, got.Conversations); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	if found := newLinter(t).Lint(export.SFTTrajectory, &got); found != nil {
		t.Errorf("the linter faults it: %v", found)
	}
}

// A row the linter faults is dropped, counted, and takes no other row's place.
func TestExportDropsFaultyRows(t *testing.T) {
	base := did(0, 1, "abc")
	base.Question, base.PromptAPI = "How much?", "p_c"
	faulty := func(node int, change func(*trajectories.Turn)) trajectories.Row {
		r := base
		r.Node = node
		r.Turns = []trajectories.Turn{{Action: "first", Key: "f", Observation: "seen"}, {
			Action:      "last",
			Key:         string(rune('a' + node)),
			Observation: "x",
			Outcome:     envs.Correct,
		}}
		change(&r.Turns[0])
		r.Key = trajectories.Key(r.Turns)

		return r
	}
	rows := []trajectories.Row{
		faulty(1, func(t *trajectories.Turn) { t.Action = "I say <|im_end|>" }),
		faulty(2, func(t *trajectories.Turn) { t.Action = "  " }),
		faulty(3, func(t *trajectories.Turn) { t.Action = "bad \uFFFD" }),
		faulty(4, func(t *trajectories.Turn) { t.Observation = "" }),
		faulty(5, func(t *trajectories.Turn) { t.Observation = strings.Repeat("long ", 3000) }),
		faulty(6, func(t *trajectories.Turn) {}),
		faulty(7, func(t *trajectories.Turn) { t.Action = "\x1b]52;c;AA\a" }),
		faulty(8, func(t *trajectories.Turn) { t.Observation = "a\x00b" }),
		faulty(9, func(t *trajectories.Turn) {}),
	}
	rows[8].Cuts = 1

	for _, perQuestion := range []int{0, 1} {
		opt := export.Options{
			Selection: export.Selection{PerQuestion: perQuestion, Strategy: export.Shortest},
			Tokenizer: loadTokenizer(t, "llama3"), Template: "llama3", Cutoff: 1024,
		}
		dir := filepath.Join(t.TempDir(), "export")
		m := wrote(t, dir, rows, opt)

		want := map[export.Rule]int{export.ControlToken: 1, export.EmptyTurn: 2,
			export.BrokenText: 1, export.TooLong: 1,
			export.ControlCharacter: 2, export.CutTurn: 1}
		if d := cmp.Diff(want, m.Lint.ByRule); d != "" || m.Rows != 1 || m.Lint.Dropped != 8 {
			t.Errorf("%d rows, %d dropped; by rule, -want +got:\n%s", m.Rows, m.Lint.Dropped, d)
		}

		if m.Lengths.MaxTokens == 0 || m.Lengths.MaxTokens > 1024 {
			t.Errorf("longest sample: %d tokens", m.Lengths.MaxTokens)
		}

		// What is in the files is what the linter let pass.
		good, _ := export.NewSample(trajectories.Shown{}, &rows[5], newLinter(t).Sanitizer())

		good.System = synth.System("p_c")
		if d := cmp.Diff([]export.Sample{good}, synth.Collect(t, export.Read(dir, false))); d != "" {
			t.Errorf("at most %d of a question: samples, -want +got:\n%s", perQuestion, d)
		}
	}
}

// The totals are those of LLaMA-Factory 0.9.5's own templates over the same export and tokenizer
// files.
func TestLengthsEqualLlamaFactory(t *testing.T) {
	cases := []struct {
		tokenizer, template string
		total, longest      int
	}{
		{"llama3", "llama3", 181092, 3764},
		{"qwen2", "qwen", 208139, 4410},
		{"qwen2", "qwen3_nothink", 208139, 4410},
		{"qwen2", "chatml", 186545, 4232},
	}
	for _, c := range cases {
		m := wrote(t, filepath.Join(t.TempDir(), "export"), drawn(synth.Rows(1, 40, 3), 4), export.Options{
			Selection: export.Selection{Split: "train"},
			Tokenizer: loadTokenizer(t, c.tokenizer), Template: c.template,
		})
		if m.Lengths.TotalTokens != c.total || m.Lengths.MaxTokens != c.longest {
			t.Errorf("%s: %d tokens, longest %d, want %d and %d", c.template, m.Lengths.TotalTokens,
				m.Lengths.MaxTokens, c.total, c.longest)
		}
	}
}

// drawn returns at most n of each question's distinct rows that are strictly right, as they were
// drawn for LLaMA-Factory.
func drawn(rows []trajectories.Row, n int) []trajectories.Row {
	var all []trajectories.Row

	for len(rows) > 0 {
		end := slices.IndexFunc(rows, func(r trajectories.Row) bool { return r.QuestionID != rows[0].QuestionID })
		if end < 0 {
			end = len(rows)
		}

		var group []trajectories.Row
		for _, r := range rows[:end] {
			known := slices.ContainsFunc(group, func(g trajectories.Row) bool { return g.Key == r.Key })
			if r.Strict && !known {
				group = append(group, r)
			}
		}

		rows = rows[end:]

		if len(group) > n {
			h := fnv.New64a()
			for _, part := range []string{group[0].Labels["dataset"], group[0].Labels["difficulty"], group[0].Split,
				group[0].QuestionID, group[0].Question} {
				fmt.Fprintf(h, "%s\x00", part)
			}

			keep := rand.New(rand.NewPCG(0, h.Sum64())).Perm(len(group))[:n]
			slices.Sort(keep)

			for i, at := range keep {
				group[i] = group[at]
			}

			group = group[:n]
		}

		all = append(all, group...)
	}
	return all
}

func TestExportIsByteIdenticalAndReplacesAnEarlierOne(t *testing.T) {
	dir, other := filepath.Join(t.TempDir(), "export"), filepath.Join(t.TempDir(), "export")
	rows := synth.Rows(1, 10, 2)
	wrote(t, dir, synth.Rows(2, 20, 2), export.Options{})
	wrote(t, dir, rows, export.Options{})
	wrote(t, other, rows, export.Options{})

	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 6 {
		t.Fatalf("%d files, want 6: %v", len(entries), err)
	}

	for _, e := range entries {
		a, errA := os.ReadFile(filepath.Join(dir, e.Name()))

		b, errB := os.ReadFile(filepath.Join(other, e.Name()))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs (%v, %v)", e.Name(), errA, errB)
		}
	}

	if left, _ := os.ReadDir(filepath.Dir(dir)); len(left) != 1 {
		t.Errorf("left beside the export: %v", left)
	}
}

// Where a question about a trajectory cannot be answered the export fails, whenever that shows, and
// the folder keeps what it had.
func TestExportThatCannotAskLeavesTheFolder(t *testing.T) {
	gone := errors.New("no such Python")

	for name, c := range map[string]struct {
		format export.Format
		asks   func(s *export.Selection, answer func(*trajectories.Row) bool)
		rows   []trajectories.Row
		after  int // answers until it fails
	}{
		"first": {
			export.SFTTrajectory, func(s *export.Selection, answer func(*trajectories.Row) bool) {
				s.RequireDetection, s.Misled = true, answer
			}, synth.Rows(1, 10, 2), 0,
		},
		"later": {
			export.SFTTrajectory, func(s *export.Selection, answer func(*trajectories.Row) bool) {
				s.RequireDetection, s.Misled = true, answer
			}, synth.Rows(1, 10, 2), 3,
		},
		"documents": {
			export.ATIF, func(s *export.Selection, answer func(*trajectories.Row) bool) {
				s.RequireDetection, s.Misled = true, answer
			}, synth.Rows(1, 10, 2), 3,
		},
		// Of the two right trajectories nothing fails, but of those that they are compared with.
		"failures": {
			export.DPO, func(s *export.Selection, answer func(*trajectories.Row) bool) {
				s.Blind = func(r *trajectories.Row) bool { return !answer(r) }
			}, smallRows(true), 2,
		},
	} {
		dir := filepath.Join(t.TempDir(), "export")
		wrote(t, dir, synth.Rows(2, 5, 2), export.Options{})
		before := filesBelow(t, dir)

		asked := 0
		s := export.Selection{Failed: func() error {
			if asked > c.after {
				return gone
			}
			return nil
		}}
		c.asks(&s, func(*trajectories.Row) bool { asked++; return asked <= c.after })

		opt := export.Options{Format: c.format, Selection: s, Shown: synth.Shown}

		var err error
		if c.format.IsDocuments() {
			from := export.Documents{Rows: synth.Sequence(c.rows), Episodes: none}
			_, err = export.WriteDocuments(t.Context(), dir, from, opt)
		} else {
			_, err = export.Write(t.Context(), dir, synth.Sequence(c.rows), opt)
		}

		if !errors.Is(err, gone) || asked <= c.after {
			t.Errorf("%s: asked %d times, error %v", name, asked, err)
		}

		if d := cmp.Diff(before, filesBelow(t, dir)); d != "" {
			t.Errorf("%s: the folder changed: -want +got:\n%s", name, d)
		}
	}
}

// What a killed process left is gone after the next export, and two processes do not write one
// export at a time.
func TestExportAfterAKill(t *testing.T) {
	parent := t.TempDir()

	dir, left := filepath.Join(parent, "export"), filepath.Join(parent, ".export.new")
	if err := os.Mkdir(left, 0o755); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(filepath.Join(left, jsonlFile+".new"), []byte("half a line"),
		0o644); err != nil {
		t.Fatal(err)
	}

	wrote(t, dir, synth.Rows(1, 3, 1), export.Options{})

	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 1 {
		t.Errorf("left beside the export: %v (%v)", entries, err)
	}

	if err := os.Mkdir(left, 0o755); err != nil {
		t.Fatal(err)
	}

	other, err := os.Open(left)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()

	if err := syscall.Flock(int(other.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}

	_, err = export.Write(t.Context(), dir, synth.Sequence(nil),
		export.Options{Shown: synth.Shown})
	if err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("beside another process: %v", err)
	}
}

func TestExportOfNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export")
	m := wrote(t, dir, nil, export.Options{})

	report, err := export.Proved(dir, newLinter(t), nil)
	if err != nil || !report.OK() || m.Rows != 0 {
		t.Errorf("manifest %+v, report %+v, error %v", m, report, err)
	}
}

func TestExportRefuses(t *testing.T) {
	rows := synth.Rows(1, 2, 1)
	noSystem := errors.New("no such version")
	says := func(system string, err error) func(*trajectories.Row) (trajectories.Shown, error) {
		return func(*trajectories.Row) (trajectories.Shown, error) { return trajectories.Shown{System: system}, err }
	}

	cases := []struct {
		name  string
		shown func(*trajectories.Row) (trajectories.Shown, error)
		file  string
		want  string
	}{
		{"foreign folder", synth.Shown, "notes.txt", "notes.txt"},
		{"control token in the system text", says("be <|good|>", nil), "", "control-token"},
		{"no system text", says(" ", nil), "", "empty-turn"},
		{"system fails", says("", noSystem), "", "no such version"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if c.file != "" {
				if err := os.WriteFile(filepath.Join(dir, c.file), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}

			before, _ := os.ReadDir(dir)

			_, err := export.Write(context.Background(), dir, synth.Sequence(rows),
				export.Options{Shown: c.shown})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}

			if after, _ := os.ReadDir(dir); len(after) != len(before) {
				t.Errorf("left behind: %v", after)
			}
		})
	}
}

// Whatever is done to a good export on disk is found.
func TestLintExportFinds(t *testing.T) {
	edit := func(name string, change func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, name)

			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}

			if err := os.WriteFile(path, change(data), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	replace := func(name, old, new string) func(*testing.T, string) {
		return edit(name, func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(new), 1) })
	}
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	firstLineGone := func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] }

	cases := []struct {
		name   string
		damage func(*testing.T, string)
		want   string
	}{
		{"a role", replace(jsonlFile, `"from":"gpt"`, `"from":"bot"`), "sample 0 differs"},
		{"a null", replace(jsonlFile, `"value":"Question`, `"value":null,"value2":"Question`),
			"sample 0 differs"},
		{"no value", replace(jsonlFile, `"from":"human",`, ``), "sample 0 differs"},
		{"a line less", edit(jsonlFile, firstLineGone), "ends before sample"},
		{"a line more", edit(jsonlFile,
			func(b []byte) []byte { return append(b, b[:bytes.IndexByte(b, '\n')+1]...) }), "goes on after"},
		{"lineage", edit(export.LineageFile, firstLineGone), "lines for"},
		{"tags", replace(export.DatasetInfoFile, `"formatting"`, `"tags": {}, "formatting"`), "dataset_info.json says"},
		{"format", replace(export.DatasetInfoFile, `sharegpt`, `openai`), "openai"},
		{"manifest", remove(export.ManifestFile), "manifest"},
		{"parquet", remove(parquetFile), parquetFile},
		{"truncated parquet", edit(parquetFile, func(b []byte) []byte { return b[:len(b)-9] }),
			parquetFile},
		{"a stranger", func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "README"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}, "README"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "export")
			wrote(t, dir, synth.Rows(1, 5, 2), export.Options{})
			c.damage(t, dir)

			report, err := export.Proved(dir, newLinter(t), nil)
			if err != nil {
				t.Fatal(err)
			}

			if report.OK() || !strings.Contains(strings.Join(report.Problems, "\n"), c.want) {
				t.Errorf("problems %q, want one with %q", report.Problems, c.want)
			}
		})
	}

	if _, err := export.Proved(filepath.Join(t.TempDir(), "nowhere"), newLinter(t), nil); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
}

// A linter with other rules than the writer's finds what it would drop.
func TestLintExportLintsSamples(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export")
	m := wrote(t, dir, synth.Rows(1, 5, 2), export.Options{})

	strict, err := export.NewLinter(loadTokenizer(t, "llama3"), "llama3", 10)
	if err != nil {
		t.Fatal(err)
	}

	report, err := export.Proved(dir, strict, nil)
	if err != nil || report.OK() || report.Faulty != m.Rows || report.Findings[0].Rule != export.TooLong {
		t.Errorf("report %+v, error %v", report, err)
	}
}

// An export that takes the place of another has another configuration's name, by which datasets
// knows it; the same one has the same.
func TestCardNamesItsSamples(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export")
	name := func(questions int, dev float64) string {
		wrote(t, dir, synth.Rows(1, questions, 1), export.Options{Selection: export.Selection{Dev: dev}})

		_, rest, _ := strings.Cut(string(contents(t, filepath.Join(dir, "README.md"))), "- config_name: ")
		name, _, _ := strings.Cut(rest, "\n")
		return name
	}

	first, again, fewer, held := name(5, 0), name(5, 0), name(4, 0), name(5, 0.2)
	if first != again || !strings.HasPrefix(first, "toolevo_") || first == fewer || first == held || fewer == held {
		t.Errorf("configurations %q and %q of one export, %q and %q of others", first, again, fewer, held)
	}
}

// A question that another split asks is found in an export, too.
func TestLintFindsLeaks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export")
	rows := synth.Rows(1, 5, 1)
	wrote(t, dir, rows, export.Options{})

	elsewhere := &export.Elsewhere{}
	elsewhere.Add(strings.ToUpper(rows[0].Question), "test: q7")

	report, err := export.Proved(dir, newLinter(t), elsewhere)
	if err != nil || report.Faulty != 1 || report.Findings[0].Rule != export.Leak ||
		!strings.Contains(report.Findings[0].Detail, "test: q7") {
		t.Errorf("%+v, %v", report, err)
	}
}

// The gold answer is in no file of an export, nor is the answer the agent gave but in its own
// words.
func TestExportHoldsNoGold(t *testing.T) {
	rows := synth.Rows(1, 3, 2)
	for i := range rows {
		rows[i].Gold, rows[i].Answer = "GOLDEN", "GOLDEN"
	}

	dir := filepath.Join(t.TempDir(), "export")
	wrote(t, dir, rows, export.Options{})

	for _, name := range []string{jsonlFile, export.LineageFile, export.ManifestFile} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || bytes.Contains(data, []byte("GOLDEN")) {
			t.Errorf("%s holds the gold answer (%v)", name, err)
		}
	}
}

func TestExportStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()

	dir := filepath.Join(t.TempDir(), "export")

	_, err := export.Write(ctx, dir, synth.Sequence(synth.Rows(1, 3, 1)),
		export.Options{Shown: synth.Shown})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestExportRefusesMixedMakers(t *testing.T) {
	rows := synth.Rows(1, 4, 2)

	other := len(rows) / 2
	for i := range rows[other:] {
		rows[other+i].Makers = []trajectories.Maker{
			{Kind: "python", Name: "unsafe", Version: "3.12.1", Unconfined: true},
		}
	}

	dir := filepath.Join(t.TempDir(), "export")
	_, err := export.Write(context.Background(), dir, synth.Sequence(rows),
		export.Options{Shown: synth.Shown})

	var mixed *export.MixedError
	if !errors.As(err, &mixed) || !strings.Contains(err.Error(), synth.Python().String()) ||
		!strings.Contains(err.Error(), "unsafe python 3.12.1") {
		t.Fatalf("error %v, want one that names both makers", err)
	}

	shown := map[string]bool{}

	m := wrote(t, dir, rows, export.Options{
		MixEngines: true,
		Shown: func(row *trajectories.Row) (trajectories.Shown, error) {
			shown[row.Makers[0].String()] = true
			return synth.Shown(row)
		},
	})
	if len(shown) != 2 || len(m.Runs) != 2 || m.Unconfined != m.Runs[1].Rows || m.Runs[1].Makers[0].Name != "unsafe" ||
		m.Runs[0].Rows+m.Runs[1].Rows != m.Rows {
		t.Errorf("%d system texts; manifest %+v", len(shown), m)
	}

	for i := range rows[other:] { // limits alone do not make them another engine
		rows[other+i].Makers = []trajectories.Maker{synth.Python()}
		rows[other+i].Makers[0].Limits = "wall 1s"
	}

	if m := wrote(t, dir, rows, export.Options{}); m.Unconfined != 0 {
		t.Errorf("%d rows are called unconfined", m.Unconfined)
	}
}

func TestManifestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export")
	want := wrote(t, dir, synth.Rows(1, 3, 2), export.Options{Software: "v1"})

	got, err := export.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}

	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	if data, err := json.Marshal(got); err != nil || !bytes.Contains(data, []byte(`"config_hash":"c0ffee"`)) {
		t.Errorf("%s, %v", data, err)
	}
}

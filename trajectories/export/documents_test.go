package export_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
	"toolevo/trajectories/internal/synth"
)

// none are no episodes.
func none(func(trajectories.Episode, error) bool) {}

// documents writes rows and episodes as documents.
func documents(t *testing.T, rows []trajectories.Row, episodes iter.Seq2[trajectories.Episode, error],
	opt export.Options) (string, *export.Manifest) {
	t.Helper()

	if opt.Shown == nil {
		opt.Shown = synth.Shown
	}

	dir := filepath.Join(t.TempDir(), "documents")

	from := export.Documents{Rows: synth.Sequence(rows), Episodes: episodes}
	m, err := export.WriteDocuments(t.Context(), dir, from, opt)
	if err != nil {
		t.Fatal(err)
	}

	report, err := export.Proved(dir, newLinter(t), nil)
	if err != nil || !report.OK() || report.Rows != m.Rows {
		t.Errorf("%s: report %+v, error %v", opt.Format, report, err)
	}
	return dir, m
}

// imported reads documents and exports them.
func imported(t *testing.T, from string, opt export.Options) (string, *export.Manifest) {
	t.Helper()

	all, err := export.Import([]string{from})
	if err != nil {
		t.Fatal(err)
	}

	opt.Refused = all.Refused()
	opt.Shown = func(row *trajectories.Row) (trajectories.Shown, error) {
		shown, ok := all.Shown(row)
		if !ok {
			t.Errorf("%s was not imported", row.Name())
		}
		return shown, nil
	}

	dir := filepath.Join(t.TempDir(), "export")

	m, err := export.Write(t.Context(), dir, all.Rows(), opt)
	if err != nil {
		t.Fatal(err)
	}

	if report, err := export.Proved(dir, newLinter(t), nil); err != nil || !report.OK() {
		t.Errorf("%s: report %+v, error %v", opt.Format, report, err)
	}
	return dir, m
}

func contents(t *testing.T, path string) []byte {
	t.Helper()

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What was exported as documents and imported again makes the samples that a direct export has,
// byte for byte, and says where it comes from.
func TestDocumentsMakeTheSameSamples(t *testing.T) {
	rows := synth.Rows(5, 5, 2)
	everything := export.Selection{}

	// Each question has a tool of its own.
	for i := range rows {
		rows[i].Tools = "a tool of " + rows[i].QuestionID
	}

	shown := func(row *trajectories.Row) (trajectories.Shown, error) {
		s, err := synth.Shown(row)
		s.System += "\n" + row.Tools
		return s, err
	}

	lines, m := documents(t, rows, none, export.Options{Format: export.ATIF, Selection: everything, Shown: shown})
	if m.Rows == 0 || m.Rows != m.Selected.Kept || len(m.Runs) != 1 || m.Runs[0].Rows != m.Rows {
		t.Errorf("%+v", m)
	}

	files, _ := documents(t, rows, none, export.Options{Format: export.ATIFFiles, Selection: everything, Shown: shown})

	for _, c := range []struct {
		from    string
		format  export.Format
		trainer export.Trainer
	}{
		{lines, export.SFTTrajectory, export.LlamaFactory},
		{lines, export.SFTTrajectory, export.TRL},
		{lines, export.SFTStep, export.LlamaFactory},
		{lines, export.OpenAI, export.LlamaFactory},
		{files, export.SFTTrajectory, export.LlamaFactory},
	} {
		opt := export.Options{Format: c.format, Trainer: c.trainer, Selection: everything}
		back, m := imported(t, c.from, opt)

		direct := filepath.Join(t.TempDir(), "direct")
		opt.Shown = shown
		wrote(t, direct, rows, opt)

		for _, suffix := range []string{".jsonl", ".parquet"} {
			name := c.format.Dataset() + suffix
			if !bytes.Equal(contents(t, filepath.Join(back, name)), contents(t, filepath.Join(direct, name))) {
				t.Errorf("%s for %s: %s differs from the direct export", c.format, c.trainer, name)
			}
		}

		const origin = "ATIF document of toolevo synth"
		for _, name := range []string{"README.md", export.LineageFile} {
			if !strings.Contains(string(contents(t, filepath.Join(back, name))), origin) {
				t.Errorf("%s does not name the origin", name)
			}
		}

		if m.Runs[0].Origin != origin || m.Rows == 0 {
			t.Errorf("manifest: %+v", m.Runs)
		}
	}
}

// The same rows give the same bytes, and a later export of another format takes the place of an
// earlier one.
func TestDocumentsReplaceAnExport(t *testing.T) {
	rows := synth.Rows(5, 3, 1)
	dir, _ := documents(t, rows, none, export.Options{Format: export.ATIF})
	again, _ := documents(t, rows, none, export.Options{Format: export.ATIF})

	name := "toolevo_atif.jsonl"
	if !bytes.Equal(contents(t, filepath.Join(dir, name)), contents(t, filepath.Join(again, name))) {
		t.Error("the same rows give other bytes")
	}

	for _, format := range []export.Format{export.ATIFFiles, export.SFTTrajectory, export.ATIFFiles, export.ATIF} {
		opt := export.Options{Format: format, Shown: synth.Shown}

		var err error
		if format.IsDocuments() {
			from := export.Documents{Rows: synth.Sequence(rows), Episodes: none}
			_, err = export.WriteDocuments(t.Context(), dir, from, opt)
		} else {
			_, err = export.Write(t.Context(), dir, synth.Sequence(rows), opt)
		}

		if err != nil {
			t.Fatal(err)
		}

		if report, err := export.Proved(dir, newLinter(t), nil); err != nil || !report.OK() {
			t.Errorf("%s: report %+v, error %v", format, report, err)
		}
	}

	// Nobody's own folder is touched.
	if err := os.Mkdir(filepath.Join(dir, "mine"), 0o755); err != nil {
		t.Fatal(err)
	}

	_, err := export.WriteDocuments(t.Context(), dir, export.Documents{Rows: synth.Sequence(rows), Episodes: none},
		export.Options{Format: export.ATIF, Shown: synth.Shown})
	if err == nil || !strings.Contains(err.Error(), "mine") {
		t.Errorf("an export beside other folders: %v", err)
	}
}

// Episodes are all exported, right or wrong, but for those that were lost; their IDs are names of
// files.
func TestEpisodesAsDocuments(t *testing.T) {
	rows := synth.Rows(5, 2, 1)
	episodes := func(yield func(trajectories.Episode, error) bool) {
		for i, status := range []string{"terminated", "truncated", ""} {
			e := trajectories.Episode{Row: rows[0], Status: status, Repeat: i}
			e.QuestionID = "own/../question " + strings.Repeat("x", 300)
			e.Strict, e.Official = false, false

			if status == "" {
				e.Lost = "the server is down"
			}

			if !yield(e, nil) {
				return
			}
		}
	}

	_, m := documents(t, nil, episodes, export.Options{Format: export.ATIFFiles})
	if m.Rows != 2 || m.Lost != 1 || len(m.Files) != 2 || len(m.LeftOut()) != 1 {
		t.Errorf("%+v", m)
	}
}

// Episodes of one question differ by policy, API version and repeat. All are samples, and one given
// twice is one.
func TestEpisodesAsSamples(t *testing.T) {
	rows := synth.Rows(5, 3, 1)
	episodes := func(yield func(trajectories.Episode, error) bool) {
		for i, policy := range []string{"scripted:reader", "scripted:noisy", "scripted:noisy"} {
			e := trajectories.Episode{Row: rows[i], Status: "terminated", Repeat: i}
			e.QuestionID, e.QuestionIndex, e.Question, e.Labels = "q", 0, rows[0].Question, rows[0].Labels
			e.RunID, e.RunHash, e.Policy = "r", "h", policy
			e.Strict, e.Official = true, true
			e.Preset, e.Tree, e.TreeSeed, e.Node, e.NodePath, e.Visits, e.Value = "", 0, 0, 0, "", 0, 0

			if !yield(e, nil) {
				return
			}
		}
	}

	dir, m := documents(t, nil, episodes, export.Options{Format: export.ATIF})
	if m.Rows != 3 {
		t.Fatalf("%d documents of 3", m.Rows)
	}

	all, err := export.Import([]string{dir, dir})
	if err != nil {
		t.Fatal(err)
	}

	var trees []int

	for row, err := range trajectories.Merge(all.Rows(), synth.Sequence(nil)) {
		if err != nil {
			t.Fatal(err)
		}

		trees = append(trees, row.Tree)
	}

	if !slices.Equal(trees, []int{0, 1, 2}) {
		t.Errorf("trees %v of three episodes given twice", trees)
	}

	// They lie in no tree, so that none of their steps is that of another.
	steps := 0
	for i := range rows[:3] {
		steps += len(rows[i].Turns)
	}

	if _, m := imported(t, dir, export.Options{Format: export.SFTStep}); m.Rows+m.Selected.Repeated != steps {
		t.Errorf("%d samples of %d steps, %+v", m.Rows, steps, m.Selected)
	}
}

// Documents say of which episodes nothing reveals that a call meant something else, and those that
// read them are told.
func TestDocumentsKeepWhatIsBlind(t *testing.T) {
	rows := synth.Rows(5, 3, 1)
	blind := rows[1].QuestionID
	episodes := func(yield func(trajectories.Episode, error) bool) {
		for i := range rows {
			e := trajectories.Episode{Row: rows[i], Status: "terminated"}
			if !yield(e, nil) {
				return
			}
		}
	}

	dir, _ := documents(t, nil, episodes, export.Options{Format: export.ATIF,
		Selection: export.Selection{Blind: func(r *trajectories.Row) bool {
			return r.QuestionID == blind
		}}})

	all, err := export.Import([]string{dir})
	if err != nil {
		t.Fatal(err)
	}

	seen := 0

	for row := range all.Rows() {
		seen++

		if got := all.IsBlind(&row); got != (row.QuestionID == blind) {
			t.Errorf("%s: blind %v", row.Name(), got)
		}
	}

	if seen < 2 {
		t.Errorf("%d documents", seen)
	}
}

// What a run's own export refuses, or has to show otherwise, is refused of its documents, too:
// reasoning that later prompts did not show, and lists of tools that changed.
func TestDocumentsKeepWhatWasShown(t *testing.T) {
	rows := synth.Rows(5, 3, 1)[:1]
	rows[0].Turns[0].Action = "<think>hm</think>" + rows[0].Turns[0].Action

	for name, change := range map[string]func(*trajectories.Shown){
		"once": func(s *trajectories.Shown) { s.Reasoning = action.Once },
		"learned": func(s *trajectories.Shown) {
			s.ToolsAfter = func(h envs.History) []envs.Args {
				return append(s.Tools[:len(s.Tools):len(s.Tools)], make([]envs.Args, h.Len())...)
			}
		},
	} {
		dir, _ := documents(t, rows, none, export.Options{Format: export.ATIF,
			Shown: func(row *trajectories.Row) (trajectories.Shown, error) {
				s, err := synth.Shown(row)
				change(&s)
				return s, err
			}})

		all, err := export.Import([]string{dir})
		if err != nil {
			t.Fatal(err)
		}

		opt := export.Options{Format: export.SFTTrajectory}
		opt.Shown = func(row *trajectories.Row) (trajectories.Shown, error) {
			s, _ := all.Shown(row)
			return s, nil
		}

		_, err = export.Write(t.Context(), filepath.Join(t.TempDir(), "whole"), all.Rows(), opt)

		var steps *export.StepsError
		if errors.As(err, &steps) != (name == "once") || (len(all.Refused()) == 1) != (name == "learned") {
			t.Errorf("%s: %v, refused %v", name, err, all.Refused())
		}
	}
}

// foreign is a document of another program.
const foreign = `{"schema_version": "ATIF-v1.6", "session_id": "s%d", "agent": {"name": "coder", "version": "2.0"},
"steps": [{"step_id": 1, "source": "user", "message": "Say %d."}, {"step_id": 2, "source": "agent", "message": %q}]}`

// Documents of others have no verdict, so they are taken only where none is asked for. The linter
// looks at them, and what no sample can say is named.
func TestDocumentsOfOthersAsSamples(t *testing.T) {
	path := filepath.Join(t.TempDir(), "others.jsonl")
	line := func(i int, text string) string {
		return strings.ReplaceAll(fmt.Sprintf(foreign, i, i, text), "\n", " ") + "\n"
	}
	refused := strings.Replace(line(3, "x"), `"source": "agent"`, `"source": "agent", "llm_call_count": 0`, 1)

	text := line(1, "done") + line(2, "I say <|im_end|>") + refused
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}

	_, m := imported(t, path, export.Options{})
	if m.Rows != 0 || m.Selected.Dropped.Score != 1 || m.Lint.Dropped != 1 || len(m.Refused) != 1 {
		t.Errorf("strict: %+v", m)
	}

	_, m = imported(t, path, export.Options{Selection: export.Selection{Score: export.Any}})
	if m.Rows != 1 || m.Lint.ByRule[export.ControlToken] != 1 || len(m.Refused) != 1 || m.Refused[0].Step != 2 ||
		!strings.Contains(m.Refused[0].Error(), "others.jsonl, line 3, step 2: no model wrote it") ||
		m.Runs[0].Origin != "ATIF document of coder 2.0" || m.LeftOut()[1].N != 1 {
		t.Errorf("any: %+v, %v", m, m.Refused)
	}

	all, err := export.Import([]string{path})
	if err != nil {
		t.Fatal(err)
	}

	if codecs := all.Codecs(); len(codecs) != 1 || codecs[0] != (action.FunctionCall{}) {
		t.Errorf("codecs: %v", codecs)
	}

	if suites := all.Suites(); len(suites) != 1 || suites[0] != "" {
		t.Errorf("suites: %q", suites)
	}
}

// All documents of others that ask the same are of one question: of that each is taken once, and no
// more than were asked for, also if a session has several, and beside those of another file.
func TestDocumentsOfOneQuestion(t *testing.T) {
	dir := t.TempDir()
	line := func(session int, id, text string) string {
		document := strings.ReplaceAll(fmt.Sprintf(foreign, session, 1, text), "\n", " ")
		return strings.Replace(document, `"agent"`, id+`"agent"`, 1) + "\n"
	}
	first, second := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	named := line(3, `"trajectory_id": "x", `, "three")
	put(t, first, line(1, "", "one")+line(1, "", "two")+line(2, "", "one")+named)
	put(t, second, line(1, "", "four")+named)

	_, m := imported(t, first, export.Options{Selection: export.Selection{Score: export.Any}})
	if m.Questions != 1 || m.Rows != 3 || m.Selected.Dropped.Duplicate != 1 {
		t.Errorf("%+v", m)
	}

	two := export.Selection{Score: export.Any, PerQuestion: 2}
	_, m = imported(t, first, export.Options{Selection: two})
	if m.Rows != 2 || m.Selected.Dropped.Surplus != 1 {
		t.Errorf("%+v", m)
	}

	all, err := export.Import([]string{first, second})
	if err != nil {
		t.Fatal(err)
	}

	// Another sequence makes Merge look at each row.
	rows := 0

	for _, err := range trajectories.Merge(all.Rows(), synth.Sequence(nil)) {
		if err != nil {
			t.Fatal(err)
		}

		rows++
	}

	if rows != 5 {
		t.Errorf("%d rows of 5 documents, one of them read twice", rows)
	}
}

// What sets right against wrong needs to know which is which.
func TestPairsNeedAVerdict(t *testing.T) {
	_, err := export.Write(t.Context(), t.TempDir(), synth.Sequence(nil), export.Options{
		Format: export.DPO, Shown: synth.Shown, Selection: export.Selection{Score: export.Any},
	})
	if err == nil || !strings.Contains(err.Error(), "needs a verdict") {
		t.Errorf("dpo of what nobody judged: %v", err)
	}
}

// What of a job is no document is named and left out, beside what is one.
func TestImportOfBrokenJobs(t *testing.T) {
	const trial = `{"schema_version": "ATIF-v1.7", "session_id": "s", "agent": {"name": "coder", "version": "2.0"},
		"steps": [{"step_id": 1, "source": "user", "message": "Say it."},
		{"step_id": 2, "source": "agent", "message": "It."}]}`

	for name, c := range map[string]struct{ text, why string }{
		"no steps":     {`{"schema_version": "ATIF-v1.7", "agent": {"name": "a", "version": "1"}, "steps": []}`, "no steps"},
		"cut off":      {trial[:len(trial)/2], "unexpected EOF"},
		"empty":        {"", "EOF"},
		"another form": {`{"messages": [{"role": "user", "content": "Say it."}]}`, "messages"},
		"not UTF-8":    {strings.Replace(trial, "Say it.", "Say \xe9.", 1), "UTF-8"},
		"no file":      {"none", "it has no agent/trajectory.json"},
	} {
		t.Run(name, func(t *testing.T) {
			job := t.TempDir()
			broken := filepath.Join(job, "task__b", "agent", "trajectory.json")

			put(t, filepath.Join(job, "task__a", "agent", "trajectory.json"), trial)
			put(t, filepath.Join(job, "result.json"), "{}")

			if c.text == "none" {
				broken = filepath.Join(job, "task__b")
				put(t, filepath.Join(broken, "agent", "log.txt"), "no document")
			} else {
				put(t, broken, c.text)
			}

			all, err := export.Import([]string{job})
			if err != nil {
				t.Fatal(err)
			}

			rows := 0
			for range all.Rows() {
				rows++
			}

			if refused := all.Refused(); rows != 1 || len(refused) != 1 || refused[0].Document != broken ||
				!strings.Contains(refused[0].Why, c.why) {
				t.Errorf("%d rows, refused %v", rows, refused)
			}

			if c.text == "none" {
				return
			}

			// By itself it is an error, and so is a job of which nothing else is left.
			for _, path := range []string{broken, filepath.Join(job, "task__b")} {
				if _, err := export.Import([]string{path}); err == nil || !strings.Contains(err.Error(), c.why) {
					t.Errorf("%s: error %v, want one with %q", path, err, c.why)
				}
			}
		})
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()

	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

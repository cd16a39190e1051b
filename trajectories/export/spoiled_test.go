package export

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/trajectories/internal/pq"
	"toolevo/trajectories/internal/synth"
)

// What another program may have done to the samples of an export is found, each fault under its own
// rule.
func TestLintOfSpoiledSamples(t *testing.T) {
	linter, err := NewLinter(nil, "", 0)
	if err != nil {
		t.Fatal(err)
	}

	for rule, spoil := range map[Rule]func(*Sample){
		RoleOrder:    func(s *Sample) { s.Conversations[1].From = "bot" },
		Parity:       func(s *Sample) { s.Conversations = s.Conversations[:3] },
		EmptyTurn:    func(s *Sample) { s.Conversations[2].Value = " " },
		ControlToken: func(s *Sample) { s.Conversations[2].Value += "<|eot_id|>" },
		BrokenText:   func(s *Sample) { s.Conversations[1].Value += "\uFFFD" },
	} {
		dir := t.TempDir()
		rows := synth.Sequence(synth.Rows(1, 3, 2))
		if _, err := Write(t.Context(), dir, rows, Options{Shown: synth.Shown}); err != nil {
			t.Fatal(err)
		}

		if err := respoil(dir, spoil); err != nil {
			t.Fatal(err)
		}

		report, err := Lint(dir, linter, nil)
		if err != nil || report.Faulty != 1 || report.Findings[0].Rule != rule {
			t.Errorf("%s: %+v, %v", rule, report, err)
		}

		problems := strings.Join(report.Problems, "\n")
		if !strings.Contains(problems, "is not the file the manifest") {
			t.Errorf("%s: the checksums are not missed: %s", rule, problems)
		}
	}
}

// respoil writes the samples of an export again, the first one changed.
func respoil(dir string, spoil func(*Sample)) error {
	l := (&Manifest{Format: SFTTrajectory, Trainer: LlamaFactory}).layout()

	var parquet, lines bytes.Buffer

	w, err := pq.NewWriter[record](&parquet, l.columns, nil)
	if err != nil {
		return err
	}

	n := 0

	for s, err := range Read(dir, false) {
		if err != nil {
			return err
		}

		if n == 0 {
			spoil(&s)
		}

		n++

		rec := l.write(&s)
		line, jsonErr := pq.AppendJSON(nil, &rec, l.columns)
		lines.Write(append(line, '\n'))

		if err := errors.Join(jsonErr, w.Write(&rec)); err != nil {
			return err
		}
	}

	name := filepath.Join(dir, SFTTrajectory.Dataset())
	return errors.Join(w.Close(), os.WriteFile(name+".parquet", parquet.Bytes(), 0o644),
		os.WriteFile(name+".jsonl", lines.Bytes(), 0o644))
}

package main

import (
	"bytes"
	"database/sql"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/finetune/stored"
	"toolevo/trajectories"
)

// smallEvaluation is a finished evaluation: two questions, two policies, two API versions.
var smallEvaluation = shared("evaluation", func(t testing.TB, dir string) {
	must(t, "eval", "--data", smallData(t), "--split", "train", "--limit", "1", "--policy",
		"scripted:stale,scripted:reader",
		"--api", "p_c,p_s_in", "--out", dir, "--progress", "none")
})

func TestInspectEvaluation(t *testing.T) {
	t.Parallel()
	dir := smallEvaluation(t)

	all := document[toolevo.EvaluationOverview](t, must(t, "inspect", dir, "--json"))
	if len(all.Rows) != 8 || len(all.Questions) != 2 || all.Questions[0].Episodes != 4 ||
		all.Questions[0].Correct != 3 || all.Run.Kind != stored.Evaluated {
		t.Fatalf("%+v", all)
	}

	says(t, "inspect EVALUATION", must(t, "inspect", dir), "Korn–Graubard", "scripted:stale", "episodes",
		all.Questions[1].QuestionID)
	says(t, "inspect EVALUATION --full", must(t, "inspect", dir, "--full"), all.Questions[0].Question)

	id := all.Questions[0].QuestionID

	played := document[questionPlayed](t, must(t, "inspect", dir, id, "--json"))
	if len(played.Episodes) != 4 || played.ID != id || played.Gold == "" {
		t.Fatalf("%+v", played)
	}

	stale, reader := played.Episodes[1], played.Episodes[3]
	if stale.API != "p_s_in" || stale.Official || stale.Deprecations == 0 || !reader.Strict ||
		reader.Policy != "scripted:reader" {
		t.Errorf("%+v\n%+v", stale, reader)
	}

	says(t, "inspect EVALUATION QUESTION", must(t, "inspect", dir, id), "gold answer", "episode", "scripted:reader",
		"✓", "✗")

	text := must(t, "inspect", dir, id, "3")
	says(t, "inspect EVALUATION QUESTION EPISODE", text, "scripted:reader under p_s_in", "Question: ", "is deprecated",
		"Answer is CORRECT")

	episode := document[map[string]any](t, must(t, "inspect", dir, id, "3", "--json"))
	if episode["status"] != "terminated" || episode["gold"] != played.Gold ||
		len(episode["turns"].([]any)) != reader.Turns {
		t.Errorf("%v", episode)
	}

	fails(t, exitUsage, []string{`"nobody"`, "inspect"}, "inspect", dir, "nobody")
	fails(t, exitUsage, []string{"4 episodes", "lists them"}, "inspect", dir, id, "4")
	fails(t, exitUsage, []string{"no nodes"}, "inspect", dir, id, "0", "1")
}

// The files hold what the report adds up; resuming writes the same bytes.
func TestFilesOfAnEvaluation(t *testing.T) {
	t.Parallel()
	dir := copyOf(t, smallEvaluation(t))
	n := 0

	for e, err := range trajectories.ReadEpisodes(dir) {
		if err != nil {
			t.Fatal(err)
		}

		if e.RunID == "" || e.PromptAPI != "p_c" || len(e.Makers) == 0 || e.Seed == 0 || e.ConfigHash == "" ||
			e.Gold == "" || len(e.Turns) == 0 {
			t.Errorf("no lineage: %+v", e)
		}
		n++
	}

	if lines := bytes.Count(read(t, filepath.Join(dir, trajectories.EpisodesJSONL)), []byte("\n")); n != 8 ||
		lines != 8 {
		t.Errorf("%d rows and %d lines, want 8", n, lines)
	}

	names := []string{trajectories.EpisodesParquet, trajectories.EpisodesJSONL, reportJSON, reportMarkdown, reportCSV,
		reportLaTeX}
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}

	must(t, "eval", "--resume", "--out", dir, "--data", smallData(t), "--progress", "none")

	for _, name := range names {
		if !bytes.Equal(read(t, filepath.Join(dir, name)), read(t, filepath.Join(smallEvaluation(t), name))) {
			t.Errorf("%s: other bytes after --resume", name)
		}
	}
}

// What is changed in an evaluation is found, each file by another comparison.
func TestCheckEvaluation(t *testing.T) {
	t.Parallel()

	whole := document[toolevo.CheckedEpisodes](t, must(t, "check", smallEvaluation(t), "--json"))
	if !whole.Complete || whole.Episodes != 8 || whole.Rows != 8 || whole.Calls == 0 || whole.Missing != 0 ||
		len(whole.Problems) > 0 {
		t.Fatalf("%+v", whole)
	}

	replace := func(name, old, with string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, name)

			text := string(read(t, path))
			if !strings.Contains(text, old) {
				t.Fatalf("%s has no %q", name, old)
			}

			if err := os.WriteFile(path, []byte(strings.Replace(text, old, with, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}

	rewrite := func(change func([]trajectories.Episode) []trajectories.Episode) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			var all []trajectories.Episode

			for e, err := range trajectories.ReadEpisodes(dir) {
				if err != nil {
					t.Fatal(err)
				}

				all = append(all, e)
			}

			if _, err := trajectories.WriteEpisodes(t.Context(), dir, sequence(change(all))); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, tamper := range map[string]func(*testing.T, string){
		"a better accuracy":   replace(reportJSON, `"official": 0,`, `"official": 1,`),
		"a better table":      replace(reportMarkdown, "| 0.0 [", "| 99.0 ["),
		"a better line":       replace(reportCSV, ",0,0,0.975", ",1,0,0.79"),
		"a better mark":       replace(reportLaTeX, "& 0.0 ", "& \\textbf{99.0} "),
		"a line of the JSONL": replace(trajectories.EpisodesJSONL, `"official":false`, `"official":true`),
		"half a Parquet file": replace(trajectories.EpisodesParquet, "PAR1", "RAP1"),
		"an episode too few":  rewrite(func(all []trajectories.Episode) []trajectories.Episode { return all[1:] }),
		"another score": rewrite(
			func(all []trajectories.Episode) []trajectories.Episode { all[2].Strict = !all[2].Strict; return all }),
		"an invented loss": rewrite(
			func(all []trajectories.Episode) []trajectories.Episode { all[3].Lost = "gone"; return all }),
		"an episode of others": storedAs(
			`UPDATE trees SET record = (SELECT record FROM trees AS t WHERE t.question <> trees.question)`),
		"a call": storedAs(`UPDATE calls SET seed = seed + 1`),
		"no report": func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, reportJSON)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copyOf(t, smallEvaluation(t))
			tamper(t, dir)

			r := cli(t, "check", dir, "--data", smallData(t), "--json")
			if c := document[toolevo.CheckedEpisodes](t, r.out); r.code != exitBad || len(c.Problems) == 0 ||
				c.Complete {
				t.Errorf("exit %d, %+v\n%s", r.code, c, r.err)
			}
		})
	}
}

func sequence[T any](all []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range all {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// copyOf copies a run, to be changed.
func copyOf(t *testing.T, run string) string {
	t.Helper()

	dir := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(dir, os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// storedAs changes the database of a run.
func storedAs(query string) func(*testing.T, string) {
	return func(t *testing.T, run string) {
		t.Helper()

		db, err := sql.Open("sqlite3", filepath.Join(run, "run.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()

		r, err := db.Exec(query)
		if err != nil {
			t.Fatal(err)
		}

		if n, err := r.RowsAffected(); n == 0 || err != nil {
			t.Fatalf("%s: %d rows, %v", query, n, err)
		}
	}
}

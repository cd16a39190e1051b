package robustness_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/finetune/facts"
	"toolevo/finetune/robustness"
	"toolevo/finetune/tabulate"
	"toolevo/trajectories"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var (
	baseline   = robustness.Setting{Kind: robustness.Baseline, Name: "baseline"}
	drifted    = robustness.Setting{Kind: robustness.Versioning, Name: "p_s_ood"}
	paraphrase = robustness.Setting{Kind: robustness.Perturbation, Name: "paraphrase"}
)

// Turns under p_s_ood.
var (
	refused = trajectories.Turn{Tool: "load", API: "load", Outcome: envs.Deprecated}
	unknown = trajectories.Turn{Tool: "find", API: "find", Outcome: envs.InvalidAction}
	wrong   = trajectories.Turn{Tool: "find", API: "Search", Outcome: envs.InvocationError}
	load    = trajectories.Turn{Tool: "load", API: "Open", Outcome: envs.OK}
	find    = trajectories.Turn{Tool: "find", API: "Search", Outcome: envs.OK}
	missed  = trajectories.Turn{Tool: "find", API: "Search", Outcome: envs.ToolError}
	mumbled = trajectories.Turn{Outcome: envs.Malformed}
	noted   = trajectories.Turn{Tool: envs.UpdateTool, API: envs.UpdateTool, Outcome: envs.OK}
	right   = trajectories.Turn{Tool: envs.FinishTool, API: envs.FinishTool, Outcome: envs.Correct}
)

func episode(group, kind, id string, passed bool, turns ...trajectories.Turn) *trajectories.Episode {
	e := &trajectories.Episode{Status: envs.Terminated.String()}
	e.QuestionID, e.Official, e.Turns = id, passed, turns
	e.Labels = map[string]string{envs.LabelDataset: group, envs.LabelDifficulty: kind}
	return e
}

// results are episodes and what they were played under.
type results []robustness.Played

// Add adds an episode.
func (r *results) Add(c robustness.Condition, e *trajectories.Episode) {
	e.Policy = c.Policy
	*r = append(*r, robustness.Played{Fact: facts.Of(e, c.Name, nil), Feedback: c.Feedback, Setting: c.Setting})
}

// Report reports on them.
func (r *results) Report() *robustness.Report { return robustness.ReportOf(*r, nil) }

func under(policy string, s robustness.Setting) robustness.Condition {
	return robustness.Condition{Policy: policy, Feedback: "deprecation", Setting: s}
}

// Figures of some episodes by hand.
func TestReport(t *testing.T) {
	var r results

	lost := episode("G2", "exposed", "4", false)
	lost.Lost = "the server is down"

	silent := episode("G1", "unexposed", "2", false, refused, refused, unknown)
	silent.Status = envs.Truncated.String()

	for _, id := range []string{"1", "2", "3", "4"} {
		group, kind := "G1", "unexposed"
		if id > "2" {
			group, kind = "G2", "exposed"
		}

		r.Add(under("p", baseline), episode(group, kind, id, id != "3", load, right))
	}

	for _, e := range []*trajectories.Episode{
		episode("G1", "unexposed", "1", true, refused, noted, load, unknown, wrong, missed, find, right),
		silent,
		episode("G2", "exposed", "3", true, mumbled, load, right),
		lost,
	} {
		e.Tokens = 30
		r.Add(under("p", drifted), e)
	}

	got := r.Report()

	want := []string{
		"baseline G1 unexposed 2 of 2, 0 lost", "baseline G1 all 2 of 2, 0 lost", "baseline G2 exposed 1 of 2, 0 lost",
		"baseline G2 all 1 of 2, 0 lost", "baseline all unexposed 2 of 2, 0 lost",
		"baseline all exposed 1 of 2, 0 lost",
		"baseline all all 3 of 4, 0 lost",
		"p_s_ood G1 unexposed 1 of 2, 0 lost; 2 paired, 1:0, -0.50",
		"p_s_ood G1 all 1 of 2, 0 lost; 2 paired, 1:0, -0.50",
		"p_s_ood G2 exposed 1 of 1, 1 lost; 1 paired, 0:1, none", "p_s_ood G2 all 1 of 1, 1 lost; 1 paired, 0:1, none",
		"p_s_ood all unexposed 1 of 2, 0 lost; 2 paired, 1:0, -0.50",
		"p_s_ood all exposed 1 of 1, 1 lost; 1 paired, 0:1, none",
		"p_s_ood all all 2 of 3, 1 lost; 3 paired, 1:1, +0.00",
	}

	if diff := cmp.Diff(want, said(got.Rows)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}

	s := got.Statistics[1]
	s.ValidLow, s.ValidHigh, s.RecoveredLow, s.RecoveredHigh = 0, 0, 0, 0

	wantStatistics := robustness.Statistics{
		Condition: under("p", drifted), Episodes: 3, Lost: 1, Answered: 2,
		Turns: 14.0 / 3, Tokens: 30, Calls: 10.0 / 3, Valid: 0.4, // of 6, 3 and 1 calls: 3, 0 and 1
		Refused: 2, Recovered: 1, ToolsRefused: 4, ToolsRecovered: 0.5,
		Outcomes: map[string]int{
			"deprecated": 3, "ok": 4, "invalid-action": 2, "invocation-error": 1, "tool-error": 1, "malformed": 1,
			"correct": 2, "incorrect": 0, "unavailable": 0,
		},
	}

	if diff := cmp.Diff(wantStatistics, s, cmp.Comparer(near)); diff != "" {
		t.Errorf("statistics (-want +got):\n%s", diff)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// said are rows with questions, a line each.
func said(rows []robustness.Row) []string {
	var lines []string

	for _, row := range rows {
		if row.N+row.Lost == 0 {
			continue
		}

		line := fmt.Sprintf("%s %s %s %.0f of %d, %d lost", row.Name, row.Dataset, row.Difficulty,
			row.PassRate*float64(row.N), row.N, row.Lost)

		if c := row.Change; c != nil {
			relative := "none"
			if c.Relative != nil {
				relative = fmt.Sprintf("%+.2f", c.Relative.Change)
			}

			line += fmt.Sprintf("; %d paired, %d:%d, %s", c.N, c.OnlyBaseline, c.OnlySetting, relative)
		}

		lines = append(lines, line)
	}
	return lines
}

// experiment is that of two policies under two feedbacks, with the episodes in another order for
// each shift.
func experiment(shift int) *robustness.Report {
	type played struct {
		robustness.Condition
		*trajectories.Episode
	}

	var all []played

	for _, feedback := range []string{"deprecation", "none"} {
		for _, policy := range []string{"openai:a_model", "scripted:<b>"} {
			for k, setting := range []robustness.Setting{baseline, drifted, paraphrase} {
				for i := range 60 {
					passed := i/6%(4-k) != 0
					turns := []trajectories.Turn{load, find, right}

					if setting.Kind == robustness.Versioning {
						turns = append([]trajectories.Turn{refused, unknown}, turns[i%2:]...)
					}

					all = append(all, played{
						robustness.Condition{Policy: policy, Feedback: feedback, Setting: setting},
						episode(fmt.Sprintf("G%d_instruction", 1+i%3), []string{"exposed", "unexposed"}[i/3%2],
							fmt.Sprint(i), passed, turns...),
					})
				}
			}
		}
	}

	var r results

	for i := range all { // the order of the conditions stays
		p := all[i/60*60+(i+shift)%60]
		r.Add(p.Condition, p.Episode)
	}
	return r.Report()
}

// The same episodes make the same report, whatever their order.
func TestOrderOfEpisodes(t *testing.T) {
	want, err := json.Marshal(experiment(0))
	if err != nil {
		t.Fatal(err)
	}

	got, err := json.Marshal(experiment(17))
	if err != nil || !bytes.Equal(want, got) {
		t.Errorf("in another order they make another report (%v)", err)
	}
}

// A change that is tested often is adjusted; one of nothing is none.
func TestChanges(t *testing.T) {
	for _, row := range experiment(0).Rows {
		switch c := row.Change; {
		case (c == nil) != (row.Kind == robustness.Baseline):
			t.Errorf("%+v: change %+v", row, c)
		case c == nil:
		case c.PHolm < c.P || c.PHolm > 2*c.P:
			t.Errorf("p %v of two settings is adjusted to %v", c.P, c.PHolm)
		case c.Relative.Low > c.Relative.Change || c.Relative.High < c.Relative.Change:
			t.Errorf("%+v is outside of its interval", c.Relative)
		}
	}
}

// Each format is as it is expected to look.
func TestFormats(t *testing.T) {
	r := experiment(0)

	for name, write := range map[string]func(io.Writer) error{
		"terminal.txt":   func(w io.Writer) error { return tabulate.WriteText(w, r.Tables(), 80) },
		"report.md":      func(w io.Writer) error { return tabulate.WriteMarkdown(w, r.Tables()) },
		"report.tex":     func(w io.Writer) error { return tabulate.WriteLaTeX(w, r.Tables()) },
		"report.csv":     r.WriteCSV,
		"statistics.csv": r.WriteStatisticsCSV,
	} {
		path, text := filepath.Join("testdata", name), written(t, write)

		if *update {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}

		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v: make it with -update", err)
		}

		if diff := cmp.Diff(string(want), string(text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}

		if lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll(); strings.HasSuffix(name, ".csv") && err != nil {
			t.Errorf("%s: %d lines, %v", name, len(lines), err)
		}
	}

	text := written(t, func(w io.Writer) error { return tabulate.WriteText(w, r.Tables(), 80) })
	for line := range strings.Lines(string(text)) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, " \n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// Where there is room, all columns stand side by side.
func TestWideTerminal(t *testing.T) {
	wide := string(written(t, func(w io.Writer) error { return tabulate.WriteText(w, experiment(0).Tables(), 200) }))
	if n := strings.Count(wide, "  setting "); n != 10 {
		t.Errorf("%d tables, want 10:\n%s", n, wide)
	}
}

// There is a figure of each kind for each feedback, which can be drawn.
func TestFigures(t *testing.T) {
	r := experiment(0)

	var figures []string
	for _, f := range r.Figures() {
		figures = append(figures, f.Name)

		if _, err := png.Decode(bytes.NewReader(written(t, f.WritePNG))); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}

		if !bytes.Equal(written(t, f.WriteSVG), written(t, f.WriteSVG)) {
			t.Errorf("%s is another one when it is drawn again", f.Name)
		}

		if len(f.Panels) != 2 || len(f.Series) != 2 || len(f.Panels[0].Bars) != 8 {
			t.Errorf("%s has the series %v and %d panels", f.Name, f.Series, len(f.Panels))
		}
	}

	want := []string{"figure-3-deprecation", "figure-4-deprecation", "figure-3-none", "figure-4-none"}
	if !slices.Equal(figures, want) {
		t.Errorf("figures %v, want %v", figures, want)
	}
}

// An experiment without perturbations has no table and no figure of them.
func TestWithoutPerturbations(t *testing.T) {
	var r results
	r.Add(under("p", baseline), episode("G1", "easy", "1", true, right))
	r.Add(under("p", drifted), episode("G1", "easy", "1", false, right))

	report := r.Report()
	if tables, figures := report.Tables(), report.Figures(); len(tables) != 4 || len(figures) != 1 ||
		figures[0].Name != "figure-3-deprecation" {
		t.Errorf("%d tables, %d figures", len(tables), len(figures))
	}

	if len(report.Rows) != 2 {
		t.Errorf("%d rows of one group and kind, want one for each setting", len(report.Rows))
	}
}

func written(t *testing.T, write func(io.Writer) error) []byte {
	t.Helper()

	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A model's passes are the mean of their means, with their deviation; a judgement that nobody can
// read is in none.
func TestJudged(t *testing.T) {
	var r results

	said := []robustness.Judged{}
	judged := func(s robustness.Setting, id string, values ...float64) {
		e := episode("G1", "exposed", id, id == "1", load, right)
		r.Add(under("p", s), e)
		key := r[len(r)-1].Key

		for try, value := range values {
			v := facts.Verdict{Key: key, Judge: "j", Score: "sopr", Try: try, Value: value, Read: value >= 0}
			said = append(said, robustness.Judged{Verdict: v, Unread: !v.Read, Feedback: "deprecation", Setting: s})
		}
	}

	judged(baseline, "1", 1, 1, 0.5)
	judged(baseline, "2", 1, 0, 0.5)
	judged(drifted, "1", 0, -1, 0)
	judged(drifted, "2", 0, 0, 0)

	got := map[string]*robustness.SoPR{}
	for _, row := range robustness.ReportOf(r, said).Rows {
		got[row.Name+" "+row.Difficulty] = row.SoPR
	}

	// The passes of the baseline are 1, 1/2 and 1/2.
	want := &robustness.SoPR{N: 2, Mean: 2.0 / 3, Deviation: math.Sqrt(1.0 / 18)}
	if diff := cmp.Diff(want, got["baseline all"], cmp.Comparer(near)); diff != "" {
		t.Error(diff)
	}

	if diff := cmp.Diff(&robustness.SoPR{N: 2, Lost: 1}, got["p_s_ood all"], cmp.Comparer(near)); diff != "" {
		t.Error(diff)
	}

	var b strings.Builder
	if err := tabulate.WriteMarkdown(&b, robustness.ReportOf(r, said).Tables()); err != nil ||
		!strings.Contains(b.String(), "| 66.7 ± 23.6 |") {
		t.Errorf("%v\n%s", err, b.String())
	}

	for _, row := range r.Report().Rows {
		if row.SoPR != nil {
			t.Errorf("nobody judged, but %+v", row.SoPR)
		}
	}
}

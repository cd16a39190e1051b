package report_test

import (
	"bytes"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/finetune"
	"toolevo/finetune/facts"
	"toolevo/finetune/failure"
	"toolevo/finetune/improve"
	"toolevo/finetune/internal/browser"
	"toolevo/finetune/report"
	"toolevo/finetune/robustness"
	"toolevo/finetune/tabulate"
	"toolevo/trajectories"
)

// hostile is text that would be markup, were it not escaped.
const hostile = `<script>alert(1)</script><img src="https://example.org">` + "\x1b[2J"

// mean is the mean of a policy under a version.
func mean(policy, api string, at, low, high float64) finetune.Summary {
	return finetune.Summary{
		Contender: finetune.Contender{Policy: policy, API: api}, Difficulty: "all", N: 70, Lost: 2,
		Official: at, OfficialLow: low, OfficialHigh: high,
	}
}

// example is a page with something of everything.
func example() *report.Page {
	episode := &trajectories.Episode{Row: trajectories.Row{
		Policy: "openai:" + hostile, QuestionID: "easy-1", Question: hostile, Gold: "7", Answer: "8",
		Turns: []trajectories.Turn{
			{Tool: "LoadDB", API: "LoadDB", Action: hostile, Observation: hostile, Outcome: envs.Deprecated},
			{API: "Finish", Action: "Finish", Outcome: envs.Incorrect},
		},
	}}

	var played facts.Board
	played.Add(episode, "p_s_in", nil)
	played.Add(&trajectories.Episode{Row: trajectories.Row{
		Policy: episode.Policy, QuestionID: "easy-2",
		Turns: []trajectories.Turn{{Tool: "LoadDB", API: "LoadDB", Outcome: envs.InvocationError}},
	}}, "p_s_in", nil)

	return &report.Page{
		Title:  "Mine " + hostile,
		Prompt: "p_c",
		Runs: []report.Run{{
			Name: "first", Kind: "eval", ID: "01", Config: hostile, Inputs: map[string]string{"a": hostile},
		}},
		Evaluation: &finetune.Report{
			Rows: []finetune.Row{{
				Cell: finetune.Cell{Policy: "tuned", API: "p_s_in", Dataset: "coffee", Difficulty: "easy"}, N: 40,
				Official: 0.825, OfficialLow: 0.68, OfficialHigh: 0.913, Strict: 0.8, Turns: 7.25,
			}},
			Summaries: []finetune.Summary{
				mean("static", "p_s_in", 0.1, 0.05, 0.2), mean("static", "p_c", 0.9, 0.85, 0.95),
				mean("tuned", "p_s_in", 0.825, 0.68, 0.913), mean("tuned", "p_c", 0.875, 0.739, 0.945),
			},
			Comparisons: []finetune.Comparison{{
				First:  finetune.Contender{Policy: "static", API: "p_s_in"},
				Second: finetune.Contender{Policy: "tuned", API: "p_s_in"},
				Paired: tabulate.Paired{N: 70, OnlyFirst: 1, OnlySecond: 51, Difference: 0.714, PHolm: 0.00001},
			}},
			TaskSet: "abcd", Warnings: []string{"A wall was missing."},
		},
		Failures: played.Errors(),
		Examples: []failure.Case{{
			Verdict: failure.Verdict{Class: failure.RepeatedDeprecated, Rule: "again", Turn: 2},
			API:     "p_s_in", Episode: episode,
		}},
		Adaptation: played.Adaptation(),
		Collections: []report.Collection{{
			Run: "first", Dataset: "coffee", Difficulty: "easy", Questions: 5, Solved: 4,
		}},
		Improvement: (&improve.Result{Rounds: []improve.Round{{Round: 2, Evaluations: []improve.Evaluation{{
			Server: "vllm", Overall: []finetune.Row{
				{Cell: finetune.Cell{API: "p_s_ood", Dataset: "all"}, N: 40, Official: 0.975},
			},
		}}}}}).Grids(),
	}
}

// written is the page as text.
func written(t *testing.T, p *report.Page) string {
	t.Helper()

	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPage(t *testing.T) {
	t.Parallel()

	text := written(t, example())
	if text != written(t, example()) {
		t.Error("the same contents give other bytes")
	}

	// Both episodes' classes are parts of the bar above their lines.
	for _, want := range []string{
		`<span class="part0" style="width:50.0%" title="invalid-invocation: 50.0 %">`,
		`<span class="swatch part1"></span>incorrect-output`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not have %s", want)
		}
	}

	plain := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, " "))
	plain = strings.Join(strings.Fields(plain), " ")

	for _, want := range []string{
		"A wall was missing.", "tuned changed p_s_in 82.5 [68, 91] 70 3%",
		"2 0 0 vllm 97.5 [0, 0]", "tuned p_s_in coffee-easy 40 0 82.5 [68, 91] 80.0 7.2",
		"p_s_in static tuned 70 1 51 +71.4 <0.001", "incorrect-output 1 50.0",
		"met a deprecation 1 met a deprecation, %",
		"first coffee easy 5 0 4", "by the rule again", "Answered 8. The gold answer is 7.",
		"Task set abcd",
	} {
		if !strings.Contains(plain, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// drifting is what became of a policy of a hostile name when the APIs moved on.
func drifting() *robustness.Report {
	var all []robustness.Played

	for _, s := range []robustness.Setting{
		{Kind: robustness.Baseline, Name: "baseline"}, {Kind: robustness.Versioning, Name: "p_s_ood"},
	} {
		e := &trajectories.Episode{}
		e.QuestionID, e.Official = "1", s.Kind == robustness.Baseline
		e.Policy = "openai:" + hostile
		all = append(all, robustness.Played{Fact: facts.Of(e, s.Name, nil), Feedback: "generic", Setting: s})
	}

	return robustness.ReportOf(all, nil)
}

// What drift and wording cost stands in the page in tables and figures, as text whatever a policy
// is called.
func TestRobustness(t *testing.T) {
	t.Parallel()

	text := written(t, &report.Page{Title: "Mine", Robustness: drifting()})

	plain := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, " "))
	plain = strings.Join(strings.Fields(plain), " ")

	for _, want := range []string{
		"Pass rate under API versioning in percent (Table I of DynamicToolBench), feedback generic.",
		"policy setting all",
		"p_s_ood 0.0 [0, 98]", "p_s_ood -100.0", "p_s_ood 1 1 0 1.000",
	} {
		if !strings.Contains(plain, want) {
			t.Errorf("the page does not say %q, but\n%s", want, plain)
		}
	}

	if n := strings.Count(text, "<img"); n != 1 || strings.Contains(text, "<script") {
		t.Errorf("%d images, want that of the figure", n)
	}
}

// The version of the prompt stands first, and is the one that is called consistent (the paper's
// Figure 2).
func TestConsistentAndChanged(t *testing.T) {
	t.Parallel()

	var got []string
	for _, line := range example().Drifts()[0].Lines {
		got = append(got, strings.Join(line[:3], " "))
	}

	want := "static consistent p_c, static changed p_s_in, tuned consistent p_c, tuned changed p_s_in"
	if strings.Join(got, ", ") != want {
		t.Error(got)
	}
}

// Versions of one factor are drawn beside the original (the paper's figures 4 to 6), inside the
// page.
func TestFigures(t *testing.T) {
	t.Parallel()

	if strings.Contains(written(t, example()), "One change at a time") {
		t.Error("a figure is drawn where no version has one factor")
	}

	page := example()
	e := page.Evaluation
	e.Comparisons = nil
	e.Summaries = append(e.Summaries, mean(hostile, "p_c", 1, 1, 1), mean(hostile, "names-text", 0.25, 0.2, 0.3),
		mean("tuned", "parameters-character", 0.5, 0.4, 0.6))

	text := html.UnescapeString(written(t, page))
	for _, title := range []string{"Names of APIs change", "Names of parameters change"} {
		if !strings.Contains(text, `<h3>`+title) || !strings.Contains(text, `alt="`+title) {
			t.Errorf("there is no figure %q", title)
		}
	}

	if n := strings.Count(text, `<div class="panels"><img `); n != 2 {
		t.Errorf("%d figures, want 2", n)
	}

	e.Summaries = append(e.Summaries, mean("other", "names-text", 1, 1, 1))
	if strings.Contains(written(t, page), `<img `) {
		t.Error("a figure compares with an original that was not measured")
	}
}

func TestNothingIsObeyedOrFetched(t *testing.T) {
	t.Parallel()

	text := written(t, example())
	if strings.Contains(text, "<script") || strings.Contains(text, "<img") || strings.Contains(text, "\x1b") {
		t.Error("the page holds what a browser obeys")
	}

	if strings.Count(text, "&lt;script&gt;") < 5 || !strings.Contains(text, `\x1b`) {
		t.Error("the page does not show what was written")
	}

	for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if m[1] != "data:," {
			t.Errorf("the page leads to %s", m[1])
		}
	}
}

// What a page has nothing of is not there.
func TestEmptyPage(t *testing.T) {
	t.Parallel()

	text := written(t, &report.Page{Title: "Nothing"})
	if strings.Count(text, "<h2>") != 1 || strings.Contains(text, "<table") {
		t.Errorf("a page of nothing has sections:\n%s", text)
	}
}

func TestPageInABrowser(t *testing.T) {
	t.Parallel()

	b := browser.Start(t)
	path := filepath.Join(t.TempDir(), "report.html")

	if err := os.WriteFile(path, []byte(written(t, example())), 0o600); err != nil {
		t.Fatal(err)
	}

	for width, name := range map[int64]string{1280: "report-wide", 390: "report-narrow"} {
		b.Open(t, width, "file://"+path)
		b.Until(t, `document.querySelectorAll("svg .dot").length == 9`)
		b.Fits(t, name)
		b.Click(t, "details summary")
		b.Until(t, `document.querySelector(".turn.here").offsetParent`)
		b.Shoot(t, name)
	}

	// The dot of 82.5 % stands there.
	at := browser.Value[float64](t, b, `(() => {
		const svg = [...document.querySelectorAll("svg")].find(s => s.getAttribute("aria-label").startsWith("82.5"));
		const box = svg.getBoundingClientRect(), d = svg.querySelector(".dot").getBoundingClientRect();
		return ((d.left + d.right) / 2 - box.left) / box.width;
	})()`)
	if at < 0.815 || at > 0.835 {
		t.Errorf("the dot of 82.5 %% stands at %.3f", at)
	}
}

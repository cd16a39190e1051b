package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs"
	"toolevo/finetune"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// makeVersions makes five versions in a folder called made, and returns what --api calls them.
func makeVersions(t *testing.T) (dir, api string) {
	t.Helper()

	dir = filepath.Join(t.TempDir(), "made")
	must(t, "versions", "make", "--count", "5", "--seed", "3", "--out", dir)
	return dir, "file:" + filepath.Join(dir, "*.yaml")
}

func TestVersionsMake(t *testing.T) {
	t.Parallel()

	dir, _ := makeVersions(t)
	want := folder(t, dir)

	text := must(t, "versions", "make", "--count", "2", "--seed", "3", "--out", dir, "--json")
	if made := document[toolevo.MadeVersions](t, text); len(made.Made) != 2 || len(made.Made[0].Changes) < 11 ||
		!slices.Contains(made.HeldOut, "p_s_ood") || slices.Contains(made.HeldOut, "p_c") {
		t.Errorf("made is %+v", made)
	}

	if again := folder(t, dir); len(again) != len(want) {
		t.Errorf("making some of them again leaves %d files of %d", len(again), len(want))
	}

	must(t, "versions", "make", "--count", "1", "--from", "p_s_in", "--hold-out", "p_s_ood", "--out", dir)

	valid := document[validatedVersions](t, must(t, "versions", "validate", dir, "--json"))
	if len(valid.Valid) != 6 {
		t.Errorf("%v are valid, want 6", valid.Valid)
	}

	listed := document[versionList](t, must(t, "versions", "list", dir, "--json"))
	isFile := func(v listedVersion) bool { return v.File != "" }
	if len(listed.Versions) != 15 || !slices.ContainsFunc(listed.Versions, isFile) {
		t.Errorf("listed are %+v", listed)
	}

	says(t, "show", must(t, "versions", "show", filepath.Join(dir, "made_3_001.yaml")), "made_3_001: made from p_c",
		"\nFinish: Finish[answer]\n", "\nLoadDB: ")
	says(t, "show", must(t, "versions", "show", "p_s_in"), `{"DatabaseName": "flights"}`)

	must(t, "versions", "make", "--suite", "shop", "--from", "old", "--count", "3", "--out", filepath.Join(dir, "shop"))
}

// A factor's versions change every API that has a tool behind it. Under other names the policy that
// reads notices solves its questions, and the one that reads none solves none.
func TestVersionsOfAFactor(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	for _, factor := range []string{"names-text", "names-character", "parameters-text", "parameters-character"} {
		text := must(t, "versions", "make", "--factor", factor, "--count", "2", "--seed", "3", "--out", dir, "--json")

		made := document[toolevo.MadeVersions](t, text)
		if made.Factor != factor || len(made.Made) != 2 || made.Made[1].Version != factor+"_3_001" ||
			len(made.Made[0].Changes) != 11 {
			t.Errorf("made is %+v", made)
		}
	}

	says(t, "show", must(t, "versions", "show", filepath.Join(dir, "parameters-text_3_000.yaml")), "\nLoadDB: LoadDB[")
	must(t, "versions", "make", "--factor", "response", "--count", "1", "--out", dir)
	says(t, "show", must(t, "versions", "show", filepath.Join(dir, "response_1_000.yaml")), `": "Success", "`)
	fails(t, exitUsage, []string{"names-texts", "did you mean names-text"}, "versions", "make", "--factor",
		"names-texts", "--out", dir)

	report := document[finetune.Report](t, must(t, "eval", "--data", smallData(t), "--limit", "4", "--split", "train",
		"--policy", "scripted:reader,scripted:stale", "--api", "file:"+filepath.Join(dir, "names-*.yaml"), "--json",
		"--out", filepath.Join(dir, "run")))

	for _, r := range report.Rows {
		want := 0.0
		if r.Policy == "scripted:reader" {
			want = 1
		}

		if r.N != 4 || r.Official != want {
			t.Errorf("%+v, want %v of 4 questions", r, want)
		}
	}
}

// The paper's versions of a single factor are deployed by their names: the reader solves questions
// under all of them, who reads no notice where answers alone have changed.
func TestPublishedFactorsAreDeployed(t *testing.T) {
	t.Parallel()

	report := document[finetune.Report](t, must(t, "eval", "--data", smallData(t), "--limit", "3", "--split", "train",
		"--policy", "scripted:reader,scripted:stale", "--engine", "unsafe", "--json",
		"--out", filepath.Join(t.TempDir(), "run"),
		"--api", "b2_names_text,b2_names_character,b2_parameters_text,b2_parameters_character,b2_response"))

	if len(report.Rows) < 10 {
		t.Errorf("%d rows", len(report.Rows))
	}

	for _, r := range report.Rows {
		want := 0.0
		if r.Policy == "scripted:reader" || r.API == "b2_response" {
			want = 1
		}

		if r.Official != want {
			t.Errorf("%s under %s solves %v, want %v", r.Policy, r.API, r.Official, want)
		}
	}
}

// Operators are applied in the order in which they are named, to every API that they are for, and
// diff shows what they did. Versions to measure with share no new identifier with the others.
func TestVersionsByOperators(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()

	made := document[toolevo.MadeVersions](t, must(t, "versions", "make", "--ops",
		"rename-parameter,add-flag,wrap-response",
		"--count", "3", "--unseen", "2", "--seed", "4", "--out", dir, "--json"))
	if len(made.Made) != 3 || len(made.Unseen) != 2 || len(made.Operators) != 3 ||
		made.Unseen[1].Path != filepath.Join(dir, "unseen", "made_unseen_4_001.yaml") {
		t.Fatalf("made is %+v", made)
	}

	new := map[string]string{} // names of parameters, with the version that has them

	for _, v := range slices.Concat(made.Made, made.Unseen) {
		for _, c := range v.Changes {
			if c.Operator == "wrap-response" {
				continue
			}

			for name := range strings.SplitSeq(c.To, ", ") {
				first, ok := new[name]
				if ok && strings.Contains(first, "unseen") != strings.Contains(v.Version, "unseen") {
					t.Errorf("%s and %s have %s", first, v.Version, name)
				}

				new[name] = v.Version
			}
		}
	}

	difference := document[toolevo.VersionsDifference](t, must(t, "versions", "diff", "p_c", made.Made[0].Path,
		"--json"))
	if len(difference.Tools) != 11 || difference.Same != 2 || difference.FromResponse != nil ||
		difference.ToResponse == nil {
		t.Errorf("the difference is %+v", difference)
	}

	text := must(t, "versions", "diff", "p_c", made.Made[0].Path)
	says(t, "diff", text, "LoadDB\n  - LoadDB[DBName]\n  + LoadDB[", "\nanswers\n  - …\n  + {", "as before\n")

	want := "- p_s_in\n+ p_s_in\n\n0 tools are called in another way, 13 as before\n"
	if text := must(t, "versions", "diff", "p_s_in", "p_s_in"); text != want {
		t.Errorf("a version differs from itself: %s", text)
	}
}

// A script makes the one version that it describes.
func TestVersionOfAScript(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	script := filepath.Join(dir, "script.yaml")
	text := "version: mine\nabout: my own\ntools: {LoadDB: [{rename-parameter: {DBName: base}}, {rename-api: Open}]}\n"

	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}

	must(t, "versions", "make", "--script", script, "--out", filepath.Join(dir, "made"))
	says(t, "diff", must(t, "versions", "diff", "p_c", filepath.Join(dir, "made", "mine.yaml")),
		"- p_c\n+ mine\n\nLoadDB\n  - LoadDB[DBName]\n  + Open[base]\n1 tools")

	fails(t, exitUsage, []string{"--script makes one version"}, "versions", "make", "--script", script, "--ops",
		"rename-api", "--out", dir)
	fails(t, exitUsage, []string{"bad.yaml: no such file"}, "versions", "make", "--script",
		filepath.Join(dir, "bad.yaml"), "--out", dir)
}

// The versions of factor:NAME are those that `versions make` makes, and a run keeps them.
func TestDeployedFactor(t *testing.T) {
	t.Parallel()

	run := filepath.Join(t.TempDir(), "run")
	must(t, "eval", "--data", smallData(t), "--split", "train", "--limit", "3", "--policy", "scripted:reader", "--api",
		"factor:names-text", "--seed", "5", "--out", run)
	must(t, "check", run)

	dir := t.TempDir()
	must(t, "versions", "make", "--factor", "names-text", "--seed", "5", "--count", "10", "--out", dir)

	met := map[string]bool{}

	for e, err := range trajectories.ReadEpisodes(run) {
		if err != nil {
			t.Fatal(err)
		}

		text := string(read(t, filepath.Join(dir, e.DeployedAPI+".yaml")))
		for _, turn := range e.Turns {
			if turn.Outcome == envs.OK && !strings.Contains(text, turn.API) {
				t.Errorf("%s ran under %s, which does not have it", turn.API, e.DeployedAPI)
			}
		}

		met[e.DeployedAPI] = true
	}

	if len(met) < 2 {
		t.Errorf("the questions met %v, want several versions", met)
	}
}

// What changed is learnt from notices and from no other feedback. Reports and episodes name the
// feedback.
func TestFeedback(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	must(t, "versions", "make", "--factor", "parameters-text", "--count", "1", "--out", dir)

	for i, test := range []struct {
		flags    []string
		feedback string
		want     float64
	}{
		{nil, "deprecation", 1},
		{[]string{"--compat", "published"}, "deprecation", 0},
		{[]string{"--feedback", "invocation"}, "invocation", 0},
		{[]string{"--feedback", "generic"}, "generic", 0},
		{[]string{"--feedback", "none"}, "none", 0},
	} {
		run := filepath.Join(dir, fmt.Sprint(i))
		args := []string{"eval", "--data", smallData(t), "--limit", "2", "--split", "train", "--policy",
			"scripted:reader", "--api", "file:" + dir, "--json", "--out", run}

		report := document[finetune.Report](t, must(t, append(args, test.flags...)...))
		if report.Feedback != test.feedback {
			t.Errorf("%v: reported is the feedback %q", test.flags, report.Feedback)
		}

		for _, r := range report.Rows {
			if r.N != 2 || r.Official != test.want {
				t.Errorf("%v: %+v, want %v of 2 questions", test.flags, r, test.want)
			}
		}

		for e, err := range trajectories.ReadEpisodes(run) {
			if label := e.Labels[envs.LabelFeedback]; err != nil || label != test.feedback && label != "" {
				t.Errorf("%v: an episode is labelled %q (%v)", test.flags, label, err)
			} else if (label == "") != (test.feedback == "deprecation") {
				t.Errorf("%v: an episode is labelled %q", test.flags, label)
			}
		}
	}
}

// versionsMet are the API versions that the rows of a run name, by question.
func versionsMet(t *testing.T, run string) map[string]string {
	t.Helper()

	met := map[string]string{}

	for row, err := range trajectories.ReadFile(filepath.Join(run, rowsFile)) {
		if err != nil {
			t.Fatal(err)
		}

		if before, ok := met[row.QuestionID]; ok && before != row.DeployedAPI {
			t.Errorf("question %s meets %s and %s", row.QuestionID, before, row.DeployedAPI)
		}

		met[row.QuestionID] = row.DeployedAPI
	}
	return met
}

// A run over made versions: the number of workers changes no byte, each question meets one version
// whatever the number of questions, and the run goes on without the files, or with others in their
// place.
func TestCollectUnderMadeVersions(t *testing.T) {
	t.Parallel()

	made, api := makeVersions(t)
	dir := t.TempDir()
	run, eight := filepath.Join(dir, "run"), filepath.Join(dir, "eight")

	collect := func(out, limit, workers string) {
		must(t, "collect", "--data", smallData(t), "--api", api, "--limit", limit, "--trees", "1", "--run-id", "made",
			"--set", "search.simulations=4", "--workers", workers, "--out", out)
	}
	collect(run, "3", "1")
	collect(eight, "5", "8")

	few, many := versionsMet(t, run), versionsMet(t, eight)
	for question, version := range few {
		if many[question] != version || !strings.HasPrefix(version, "made_3_") {
			t.Errorf("question %s meets %s of 3 and %s of 5", question, version, many[question])
		}
	}

	if all := distinct(many); len(few) == 0 || len(all) < 2 {
		t.Errorf("%d questions solved, which meet %v", len(few), all)
	}

	if err := os.Rename(made, made+".away"); err != nil {
		t.Fatal(err)
	}

	says(t, "check", must(t, "check", run), "0 problems")
	must(t, "inspect", run)
	must(t, "export", "--allow-scripted", run, "--out", filepath.Join(dir, "export"))

	if err := os.MkdirAll(made, 0o755); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(filepath.Join(made, "made_3_000.yaml"), []byte("other: versions"), 0o644); err != nil {
		t.Fatal(err)
	}

	must(t, "collect", "--resume", "--out", run, "--limit", "5", "--workers", "3")

	if !bytes.Equal(read(t, filepath.Join(run, rowsFile)), read(t, filepath.Join(eight, rowsFile))) {
		t.Error("a run that was extended without its files has other rows than one that went so far at once")
	}

	says(t, "check", must(t, "check", run), "0 problems")
}

func distinct(met map[string]string) []string {
	var all []string
	for _, version := range met {
		all = append(all, version)
	}

	slices.Sort(all)
	return slices.Compact(all)
}

// A run whose process was killed before it noted its versions reads the files again, which have to
// be the same.
func TestVersionsThatWereNotNoted(t *testing.T) {
	t.Parallel()

	made, api := makeVersions(t)
	run := filepath.Join(t.TempDir(), "run")
	collect := []string{"collect", "--limit", "1", "--trees", "1", "--set", "search.simulations=4", "--out", run}
	must(t, append(collect, "--data", smallData(t), "--api", api)...)

	before, err := store.ReadManifest(run)
	if err != nil || before.Inputs[toolevo.InputVersions] == "" {
		t.Fatalf("the run has no hash of its versions (%v)", err)
	}

	keep := func(_ context.Context, r *store.Run) (store.Manifest, string, error) {
		m := r.Manifest
		m.Data = smallData(t)
		return m, r.Config, nil
	}

	open, err := store.ResumeRun(t.Context(), run, keep)
	if err != nil {
		t.Fatal(err)
	}

	if err := open.SetMeta(t.Context(), "versions", ""); err != nil {
		t.Fatal(err)
	}

	if err := open.Close(); err != nil {
		t.Fatal(err)
	}

	fails(t, exitBad, []string{"damaged", "its API versions are missing", "--resume"}, "check", run)

	path := filepath.Join(made, "made_3_004.yaml")
	text := string(read(t, path))
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	write(strings.Replace(text, "made from p_c", "another one", 1))
	fails(t, exitUsage, []string{"which differs", toolevo.InputVersions + ": "}, append(collect, "--resume")...)
	write(text)

	must(t, append(collect, "--resume")...)
	says(t, "check", must(t, "check", run), "0 problems")
}

// Other content in files of the same names makes another run.
func TestVersionsAreIdentity(t *testing.T) {
	t.Parallel()

	made, api := makeVersions(t)
	hashes := map[string]bool{}

	for i := range 2 {
		run := filepath.Join(t.TempDir(), "run")
		must(t, "collect", "--data", smallData(t), "--api", api, "--limit", "1", "--trees", "1", "--set",
			"search.simulations=4", "--out", run)

		m, err := store.ReadManifest(run)
		if err != nil {
			t.Fatal(err)
		}

		hashes[m.Hash] = true

		path := filepath.Join(made, "made_3_000.yaml")
		if err := os.WriteFile(path, append(read(t, path), "\n# "+strings.Repeat("x", i+1)...), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	if len(hashes) != 2 {
		t.Error("a changed file leaves the hash of a run as it was")
	}
}

// An evaluation has a row for a family, names each episode's version, and reports by template.
func TestEvalUnderMadeVersions(t *testing.T) {
	t.Parallel()

	made, api := makeVersions(t)
	run := filepath.Join(t.TempDir(), "run")
	one := "file:" + filepath.Join(filepath.Dir(made), "one", "made_9_000.yaml")
	must(t, "versions", "make", "--count", "1", "--seed", "9", "--out", filepath.Join(filepath.Dir(made), "one"))

	text := must(t, "eval", "--data", smallData(t), "--split", "train", "--limit", "4", "--policy",
		"scripted:reader", "--api", "p_c,"+api+","+one, "--workers", "1", "--out", run, "--json")

	report := document[finetune.Report](t, text)
	for i, want := range []string{"p_c", "made", "made_9_000", "p_c", "made", "made_9_000"} {
		if r := report.Rows[i]; r.API != want || r.N != 4 || r.Official != 1 {
			t.Errorf("row %d is %+v, want 4 right answers under %s", i, r, want)
		}
	}

	n := map[string]int{}
	for _, r := range report.Templates {
		n[r.API] += r.N
	}

	if n["p_c"] != 8 || n["made"] != 8 || n["made_9_000"] != 8 || len(n) != 3 {
		t.Errorf("the templates have %v questions, want 8 of each version", n)
	}

	versions := map[string]string{}

	for e, err := range trajectories.ReadEpisodes(run) {
		if err != nil {
			t.Fatal(err)
		}

		if e.DeployedAPI != "p_c" && e.DeployedAPI != "made_9_000" {
			versions[e.QuestionID] = e.DeployedAPI
		}
	}

	if len(versions) != 8 || len(distinct(versions)) < 2 {
		t.Errorf("questions meet %v", versions)
	}

	if err := os.RemoveAll(made); err != nil {
		t.Fatal(err)
	}

	says(t, "check", must(t, "check", run), "0 problems")
	must(t, "inspect", run)
	must(t, "eval", "--resume", "--out", run, "--limit", "5", "--workers", "8", "--by-template")
	says(t, "check", must(t, "check", run), "0 problems")
}

// What reports could not tell apart is refused.
func TestFamiliesOverlap(t *testing.T) {
	t.Parallel()

	made, api := makeVersions(t)
	other := filepath.Join(t.TempDir(), "made")
	must(t, "versions", "make", "--count", "2", "--seed", "4", "--out", other)

	for apis, words := range map[string][]string{
		api + ",file:" + other:                              {"called made", "rename a folder"},
		api + ",file:" + filepath.Join(made, "made_3_0*"):   {"made_3_000", "twice"},
		api + ",made_3_002":                                 {"made_3_002", "twice"},
		"p_c,file:" + filepath.Join(made, "none", "*.yaml"): {"there is no file", "versions make"},
	} {
		fails(t, exitUsage, words, "eval", "--data", smallData(t), "--api", apis)
	}
}

// A limit counts questions of the templates chosen, and a run is extended by templates.
func TestTemplates(t *testing.T) {
	t.Parallel()

	run := filepath.Join(t.TempDir(), "run")
	eval := func(templates string, args ...string) finetune.Report {
		return document[finetune.Report](t, must(t, append([]string{"eval", "--policy", "scripted:reader",
			"--api", "p_c", "--json", "--out", run, "--template", templates}, args...)...))
	}

	r := eval("coffee-hard/highest", "--data", smallData(t))
	if len(r.Rows) != 1 || r.Rows[0].N == 0 || len(r.Templates) != 1 || r.Templates[0].N != r.Rows[0].N {
		t.Errorf("one template gives %+v", r)
	}

	more := eval("coffee-hard/highest,coffee-easy/open", "--resume")
	if len(more.Rows) != 2 || more.Rows[1].N != r.Rows[0].N || len(more.Templates) != 2 {
		t.Errorf("two templates give %+v", more)
	}

	fails(t, exitUsage, []string{"not shortened", "template: "}, "eval", "--resume", "--out", run, "--template",
		"coffee-easy/open")
	says(t, "check", must(t, "check", run), "0 problems")
}

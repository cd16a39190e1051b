package export

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"toolevo/envs/disk"
	"toolevo/trajectories"
	"toolevo/trajectories/internal/pq"
)

// Proved is [Lint], and proves that what the writer wrote fits together: that both data files hold
// the same samples, that the card and dataset_info.json say what the manifest does, and that the
// lineage and the manifest say of the samples what they are.
func Proved(dir string, linter *Linter, elsewhere *Elsewhere) (*Report, error) {
	report, err := Lint(dir, linter, elsewhere)

	m, manifestErr := ReadManifest(dir)
	if err != nil || manifestErr != nil {
		return report, err
	}

	r := &proof{Report: report}
	r.spelling(dir, m)

	if !m.Format.IsDocuments() {
		r.info(dir, m)
	}

	if !m.Format.IsTrained() {
		return report, nil
	}

	// Values are compared with files that can be read.
	seen, before := newSeen(), len(r.Problems)

	for _, d := range m.datasets() {
		set := setProof{r, dir, m, d, linter}
		set.samples(seen)
		set.lineage(seen)
	}

	if len(r.Problems) == before {
		r.checkValues(m, seen)
	}
	return report, nil
}

type proof struct{ *Report }

// spelling makes sure that the manifest is written as this program writes it.
func (r *proof) spelling(dir string, m *Manifest) {
	have, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	text, encodeErr := indented(m)

	if err := errors.Join(err, encodeErr); err != nil || !bytes.Equal(have, text) {
		r.problem("%s is not written as it was (%v)", ManifestFile, err)
	}
}

// info compares what is written for trainers and people with what it is written from.
func (r *proof) info(dir string, m *Manifest) {
	if m.Format != Simulator {
		card, err := disk.ReadFile(filepath.Join(dir, cardFile))
		if err != nil {
			r.problem("%v", err)
		} else if unlicensed(string(card)) != m.card() {
			r.problem("%s does not say what %s does, but for a license", cardFile, ManifestFile)
		}
	}

	var info map[string]datasetEntry
	if err := readJSON(filepath.Join(dir, DatasetInfoFile), &info); err != nil {
		r.problem("%v", err)
		return
	}

	if want := m.datasetInfo(); !reflect.DeepEqual(info, want) {
		r.problem("%s says %v, want %v", DatasetInfoFile, info, want)
	}
}

// setProof proves a set of samples.
type setProof struct {
	*proof
	dir      string
	manifest *Manifest
	set      dataset
	linter   *Linter
}

// samples goes through both data files side by side.
func (c *setProof) samples(seen *seen) {
	next, stop := iter.Pull2(disk.Lines(filepath.Join(c.dir, c.set.jsonl())))
	defer stop()

	l := c.manifest.layout()
	n := 0
	seen.begin()

	for rec, err := range pq.Read[record](filepath.Join(c.dir, c.set.parquet()), l.columns) {
		if err != nil {
			c.problem("%v", err)
			return
		}

		line, err, ok := next()
		switch {
		case !ok:
			c.problem("%s ends before sample %d", c.set.jsonl(), n)
			return
		case err != nil:
			c.problem("%v", err)
			return
		}

		want, err := pq.AppendJSON(nil, &rec, l.columns)
		if err != nil || !bytes.Equal(bytes.TrimSuffix(line, []byte("\n")), want) {
			c.problem("sample %d differs between %s and %s", n, c.set.parquet(), c.set.jsonl())
		}

		sample, err := l.read(&rec)
		if err != nil {
			c.problem("sample %d of %s: %v", n, c.set.parquet(), err)
		}

		seen.sample(c.manifest.Format, &sample, c.linter)
		n++
	}

	if _, err, ok := next(); ok {
		c.problem("%s goes on after sample %d (%v)", c.set.jsonl(), n, err)
	}
}

// lineage compares the lines of the lineage with the samples.
func (c *setProof) lineage(seen *seen) {
	lines := 0

	for line, err := range disk.Lines(filepath.Join(c.dir, c.set.lineage)) {
		if err != nil {
			c.problem("%v", err)
			return
		}

		var l Lineage
		if err := disk.DecodeLine(line, &l); err != nil {
			c.problem("%s, line %d: %v", c.set.lineage, lines+1, err)
			return
		}

		if lines < len(seen.samples) {
			if what := seen.line(lines, &l); what != "" {
				c.problem("%s, line %d: %s", c.set.lineage, lines+1, what)
			}
		}
		lines++
	}

	if lines != len(seen.samples) {
		c.problem("%s holds %d lines for %d samples", c.set.lineage, lines, len(seen.samples))
	}
}

// seen is what the data files and the lineage of an export say, for the comparison with its
// manifest.
type seen struct {
	samples   []seenSample // of the set at hand
	sets      []seenSet
	lengths   Lengths
	calls     bool                       // a reply is a function call
	paths     map[string]map[string]bool // of each question, the leaves that samples are of
	runs      map[string]int             // samples of each, as the lineage names them
	splits    map[string]bool
	keys      map[string]string // of question and trajectory, the leaf
	repeated  bool              // a question has a trajectory twice
	recovered bool              // every sample is of a trajectory that recovered from a deprecation
}

// seenSet is what was seen of a set of samples.
type seenSet struct {
	rows      int
	questions map[string]bool
	labels    Labels
}

type seenSample struct {
	question     string
	chars, turns int
	unwanted     bool // of a failed trajectory, which nobody chose

	right map[string]int // of a tree: the turns of its trajectories that ended right, by their leaves
}

func newSeen() *seen {
	return &seen{
		paths: map[string]map[string]bool{}, runs: map[string]int{}, splits: map[string]bool{},
		keys: map[string]string{}, recovered: true,
	}
}

// begin begins another set of samples.
func (s *seen) begin() {
	s.samples = nil
	s.sets = append(s.sets, seenSet{questions: map[string]bool{}})
}

// sample takes note of a sample of the data files.
func (s *seen) sample(f Format, sample *Sample, linter *Linter) {
	chars, _ := linter.Length(f, sample)

	one := seenSample{chars: chars, turns: len(sample.Conversations) / 2, unwanted: f.IsLabelled() && !sample.Good}
	if len(sample.Conversations) > 0 {
		one.question = sample.Conversations[0].Value
	}

	if f == Tree {
		one.right = map[string]int{}

		for _, n := range sample.Nodes {
			if n.Outcome == "correct" {
				one.right[n.NodePath] = strings.Count(n.NodePath, ".")
			}
		}
	}

	if f.IsLabelled() {
		s.sets[len(s.sets)-1].labels.add(sample)
	}

	s.samples = append(s.samples, one)
	s.calls = s.calls || sample.hasCalls()
	s.lengths.TotalChars += chars
	s.lengths.MaxChars = max(s.lengths.MaxChars, chars)
}

// line takes note of the line of the lineage about a sample, and says what is wrong with it, ""
// when nothing is.
func (s *seen) line(i int, l *Lineage) string {
	sample := s.samples[i]
	question := strings.Join([]string{l.Dataset, l.Difficulty, l.Split, l.QuestionID,
		sample.question}, "\x00")
	leaf := fmt.Sprintf("%s\x00%d\x00%s", l.RunID, l.Tree, l.NodePath)

	set := &s.sets[len(s.sets)-1]
	set.rows++
	set.questions[question] = true

	s.runs[runOf(l.RunID, l.PromptAPI, l.DeployedAPI, l.Makers)]++
	s.splits[l.Split] = true
	s.lengths.TotalTokens += l.Tokens
	s.lengths.MaxTokens = max(s.lengths.MaxTokens, l.Tokens)

	if !sample.unwanted {
		s.chosen(question, leaf, l)
	}
	return sample.differs(l)
}

// chosen takes note of the trajectory that a sample is of.
func (s *seen) chosen(question, leaf string, l *Lineage) {
	if s.paths[question] == nil {
		s.paths[question] = map[string]bool{}
	}

	s.paths[question][leaf] = true
	s.recovered = s.recovered && recovered(l.Deprecations, l.Recovered)

	key := question + "\x00" + l.Key
	s.repeated = s.repeated || s.keys[key] != "" && (l.Step == 0 || s.keys[key] != leaf)
	s.keys[key] = leaf
}

// differs says what the lineage says wrong of a sample. A sample of an action has as many turns as
// came to it.
func (s *seenSample) differs(l *Lineage) string {
	turns := l.Turns

	switch {
	case l.RejectedPath != "":
		turns = max(l.Step-1, 0)
	case l.Step > 0:
		turns = l.Step
	}

	if s.right != nil {
		s.turns = s.right[l.NodePath]
	}

	switch {
	case l.Chars != s.chars:
		return fmt.Sprintf("%d characters, the sample has %d", l.Chars, s.chars)
	case turns != s.turns:
		return fmt.Sprintf("%d turns, the sample has %d", turns, s.turns)
	}

	return ""
}

func runOf(id, promptAPI, deployedAPI, makers string) string {
	return fmt.Sprintf("run %s, shown %s, deployed %s, %s", id, promptAPI, deployedAPI, makers)
}

// checkValues compares what the manifest says with what was seen, and with itself.
func (r *proof) checkValues(m *Manifest, s *seen) {
	differ := func(what string, said, want any) {
		if said != want {
			r.problem("%s says %v for %s, the files say %v", ManifestFile, said, what, want)
		}
	}

	differ("rows", m.Rows, s.sets[0].rows)
	differ("questions", m.Questions, len(s.sets[0].questions))

	if len(s.sets) > 1 {
		differ("dev_rows", m.DevRows, s.sets[1].rows)
		differ("dev_questions", m.DevQuestions, len(s.sets[1].questions))
	}

	differ("labels", m.Labels, s.sets[0].labels)
	differ("function_calls", m.Calls, s.calls)
	differ("lengths.total_chars", m.Lengths.TotalChars, s.lengths.TotalChars)
	differ("lengths.max_chars", m.Lengths.MaxChars, s.lengths.MaxChars)
	differ("lengths.total_tokens", m.Lengths.TotalTokens, s.lengths.TotalTokens)
	differ("lengths.max_tokens", m.Lengths.MaxTokens, s.lengths.MaxTokens)

	if m.Lengths.Cutoff > 0 && s.lengths.MaxTokens > m.Lengths.Cutoff {
		differ("lengths.cutoff", m.Lengths.Cutoff, s.lengths.MaxTokens)
	}

	r.checkRuns(m, s)
	r.checkSelection(m, s)
}

// checkRuns compares the runs and their rows with the lineage.
func (r *proof) checkRuns(m *Manifest, s *seen) {
	said, unconfined := map[string]int{}, 0
	for _, run := range m.Runs {
		said[runOf(run.RunID, run.PromptAPI, run.DeployedAPI, trajectories.InWords(run.Makers))] += run.Rows
		if trajectories.Unconfined(run.Makers) {
			unconfined += run.Rows
		}
	}

	if !maps.Equal(said, s.runs) {
		r.problem("%s says rows of each run %v, %s says %v", ManifestFile, said, LineageFile, s.runs)
	}

	if m.Unconfined != unconfined {
		r.problem("%s says that %d rows are unconfined; by its runs %d are", ManifestFile, m.Unconfined, unconfined)
	}
}

// checkSelection compares the selection with what was selected. Counts of what was left out have to
// add up.
func (r *proof) checkSelection(m *Manifest, s *seen) {
	want, report, d := m.Selection, m.Selected, m.Selected.Dropped

	most, kept := 0, 0
	for _, paths := range s.paths {
		most = max(most, len(paths))
		kept += len(paths)
	}

	f := m.Format

	byRule := 0
	for _, n := range m.Lint.ByRule {
		byRule += n
	}

	for _, check := range []struct {
		broken bool
		what   string
	}{
		{want.Split != "" && len(s.splits) > 0 && !(len(s.splits) == 1 && s.splits[want.Split]),
			fmt.Sprintf("the split %s, and the samples are of %v", want.Split, slices.Sorted(maps.Keys(s.splits)))},
		{want.PerQuestion > 0 && most > want.PerQuestion, fmt.Sprintf("at most %d trajectories of a question, "+
			"and there are %d of one", want.PerQuestion, most)},
		{want.RequireRecovery && !s.recovered, "recoveries only, and a sample has none"},
		{s.repeated, "distinct trajectories, and a question has one twice"},
		{f.form().whole && (report.Kept != kept || report.QuestionsKept != len(s.paths)),
			fmt.Sprintf("%d trajectories of %d questions selected, and there are %d of %d", report.Kept,
				report.QuestionsKept, kept, len(s.paths))},
		{report.Rows != report.Kept+d.sum(), "counts of the selection that do not add up"},
		{report.Questions < report.QuestionsKept, "more questions kept than there were"},
		{m.Lint.Checked != report.Rows+m.Lint.Dropped || byRule != m.Lint.Dropped,
			"counts of the linter that do not add up"},
	} {
		if check.broken {
			r.problem("%s says %s", ManifestFile, check.what)
		}
	}
}

// sum is the number of rows dropped.
func (d *Dropped) sum() int {
	return d.Split + d.Elsewhere + d.Score + d.NoRecovery + d.NoUpdate + d.Blind + d.NoDetection + d.Faulty +
		d.Duplicate + d.Surplus + d.Weight
}

// readJSON decodes a file that holds one value with no unknown keys.
func readJSON(path string, v any) error {
	data, err := disk.ReadFile(path)
	if err != nil {
		return err
	}

	if err := disk.DecodeLine(data, v); err != nil {
		return fmt.Errorf("decode %s: %w", path, err)
	}
	return nil
}

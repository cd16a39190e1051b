package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolevo/trajectories"
)

// seen is what the data files and the lineage of an export say, for the comparison with its manifest.
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

	one := seenSample{chars: chars, turns: len(sample.Conversations) / 2, unwanted: f == KTO && !sample.Good}
	if len(sample.Conversations) > 0 {
		one.question = sample.Conversations[0].Value
	}

	if f == KTO {
		s.sets[len(s.sets)-1].labels.add(sample)
	}

	s.samples = append(s.samples, one)
	s.calls = s.calls || sample.hasCalls()
	s.lengths.TotalChars += chars
	s.lengths.MaxChars = max(s.lengths.MaxChars, chars)
}

// line takes note of the line of the lineage about a sample, and says what is wrong with it, "" when nothing is.
func (s *seen) line(i int, l *Lineage) string {
	sample := s.samples[i]
	parts := []string{l.Dataset, l.Difficulty, l.Split, l.QuestionID, sample.question}
	question := strings.Join(append(parts, trajectories.LabelPairs(l.Labels)...), "\x00")
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

// differs says what the lineage says wrong of a sample. A sample of an action has as many turns as came to it.
func (s *seenSample) differs(l *Lineage) string {
	turns := l.Turns

	switch {
	case l.RejectedPath != "":
		turns = max(l.Step-1, 0)
	case l.Step > 0:
		turns = l.Step
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
func (r *Report) checkValues(m *Manifest, s *seen) {
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
func (r *Report) checkRuns(m *Manifest, s *seen) {
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

// checkSelection compares the selection with what was selected. Counts of what was left out have to add up.
func (r *Report) checkSelection(m *Manifest, s *seen) {
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
		{forms[f].whole && (report.Kept != kept || report.QuestionsKept != len(s.paths)),
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

package trajectories

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// seen is what the data files and the lineage of an export say, for the comparison with its manifest.
type seen struct {
	samples   []seenSample
	lengths   Lengths
	questions map[string]int // samples of each
	runs      map[string]int // samples of each, as the lineage names them
	splits    map[string]bool
	keys      map[string]bool // question and trajectory
	repeated  bool            // a question has a trajectory twice
	recovered bool            // every sample recovered from a deprecation
}

type seenSample struct {
	question     string
	chars, turns int
}

func newSeen() *seen {
	return &seen{
		questions: map[string]int{}, runs: map[string]int{}, splits: map[string]bool{}, keys: map[string]bool{},
		recovered: true,
	}
}

// sample takes note of a sample of the data files.
func (s *seen) sample(sample *Sample, linter *Linter) {
	chars, _ := linter.Length(sample)

	one := seenSample{chars: chars, turns: len(sample.Conversations) / 2}
	if len(sample.Conversations) > 0 {
		one.question = sample.Conversations[0].Value
	}

	s.samples = append(s.samples, one)
	s.lengths.TotalChars += chars
	s.lengths.MaxChars = max(s.lengths.MaxChars, chars)
}

// line takes note of the line of the lineage about a sample, and says what is wrong with it, "" when nothing is.
func (s *seen) line(i int, l *Lineage) string {
	sample := s.samples[i]
	parts := []string{l.Dataset, l.Difficulty, l.Split, l.QuestionID, sample.question}
	question := strings.Join(append(parts, otherPairs(l.Labels)...), "\x00")
	s.questions[question]++
	s.runs[runOf(l.RunID, l.PromptAPI, l.DeployedAPI, cmp.Or(l.Makers, l.Python))]++
	s.splits[l.Split] = true
	s.recovered = s.recovered && l.Recovered > 0
	s.repeated = s.repeated || s.keys[question+"\x00"+l.Key]
	s.keys[question+"\x00"+l.Key] = true
	s.lengths.TotalTokens += l.Tokens
	s.lengths.MaxTokens = max(s.lengths.MaxTokens, l.Tokens)

	switch {
	case l.Chars != sample.chars:
		return fmt.Sprintf("%d characters, the sample has %d", l.Chars, sample.chars)
	case l.Turns != sample.turns:
		return fmt.Sprintf("%d turns, the sample has %d", l.Turns, sample.turns)
	}

	return ""
}

func runOf(id, promptAPI, deployedAPI, makers string) string {
	return fmt.Sprintf("run %s, shown %s, deployed %s, %s", id, promptAPI, deployedAPI, makers)
}

// checkValues compares what the manifest says with what was seen, and with itself.
func (r *ExportReport) checkValues(m *Manifest, s *seen) {
	differ := func(what string, said, want any) {
		if said != want {
			r.problem("%s says %v for %s, the files say %v", ManifestFile, said, what, want)
		}
	}

	if m.Rows != r.Rows {
		r.problem("%s holds %d samples, the manifest says %d", ParquetFile, r.Rows, m.Rows)
	}

	differ("format", m.Format, "llamafactory")
	differ("questions", m.Questions, len(s.questions))
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
func (r *ExportReport) checkRuns(m *Manifest, s *seen) {
	said, unconfined := map[string]int{}, 0
	for _, run := range m.Runs {
		said[runOf(run.RunID, run.PromptAPI, run.DeployedAPI, inWords(run.MadeBy()))] += run.Rows
		if isUnconfined(run.MadeBy()) {
			unconfined += run.Rows
		}

		if run.Makers != nil && run.Python != pythonOf(run.Makers) {
			r.problem("%s says that %v ran programs of run %s; by its makers %v did", ManifestFile, run.Python,
				run.RunID, pythonOf(run.Makers))
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
func (r *ExportReport) checkSelection(m *Manifest, s *seen) {
	want, report, d := m.Selection, m.Selected, m.Selected.Dropped

	most := 0
	for _, n := range s.questions {
		most = max(most, n)
	}

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
		{want.PerQuestion > 0 && most > want.PerQuestion, fmt.Sprintf("at most %d samples of a question, and "+
			"one has %d", want.PerQuestion, most)},
		{want.RequireRecovery && !s.recovered, "recoveries only, and a sample has none"},
		{s.repeated, "distinct trajectories, and a question has one twice"},
		{report.Kept != m.Rows || report.QuestionsKept != m.Questions,
			fmt.Sprintf("%d rows of %d questions selected, and there are %d of %d", report.Kept, report.QuestionsKept,
				m.Rows, m.Questions)},
		{report.Rows != report.Kept+d.Split+d.Elsewhere+d.Score+d.NoRecovery+d.Duplicate+d.Surplus,
			"counts of the selection that do not add up"},
		{report.Questions < report.QuestionsKept, "more questions kept than there were"},
		{m.Lint.Checked != report.Rows+m.Lint.Dropped || byRule != m.Lint.Dropped,
			"counts of the linter that do not add up"},
	} {
		if check.broken {
			r.problem("%s says %s", ManifestFile, check.what)
		}
	}
}

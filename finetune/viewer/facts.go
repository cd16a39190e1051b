package viewer

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/kept"
	"toolevo/mcts"
	"toolevo/trajectories"
)

// column is what the attempts at a question are grouped by: those of a collection are all in one.
type column struct{ Policy, API string }

// facts is what lists say about a question.
type facts struct {
	Attempts  int
	Open      int // attempts without a result
	Nodes     int
	Calls     int
	Correct   int  // trajectories whose answer the official matcher takes
	Accepted  int  // of those, the ones that the strict matcher takes, too
	Notices   int  // turns that met a deprecation
	Recovered bool // a correct trajectory met a deprecation and recovered

	outcomes map[string]int  // how many of its turns met which
	columns  map[column]mark // how the first attempt of each went
}

// mark is how a trajectory ended.
type mark string

const (
	markAccepted mark = "accepted"
	markOfficial mark = "official" // only the official matcher takes the answer
	markWrong    mark = "wrong"
	markNone     mark = "none" // no answer
)

// recovered reports whether a trajectory met a deprecation and recovered.
func recovered(turns []trajectories.Turn) bool {
	for i := range turns {
		if turns[i].Outcome == envs.Deprecated {
			if _, ok := trajectories.Recovery(turns, i, nil); ok {
				return true
			}
		}
	}

	return false
}

// marks are all marks, the worst first; "" is that of a question that was not tried.
var marks = []mark{"", markNone, markWrong, markOfficial, markAccepted}

// Symbol returns the mark as a table shows it.
func (m mark) Symbol() string {
	switch m {
	case markAccepted:
		return "✓"
	case markOfficial:
		return "(✓)"
	case markWrong:
		return "✗"
	case markNone:
		return "–"
	}

	return ""
}

// markOf returns how the trajectory to a node ended.
func markOf(n *mcts.Record) mark {
	switch {
	case n.Accepted():
		return markAccepted
	case n.Official:
		return markOfficial
	case n.Outcome.Ends():
		return markWrong
	}

	return markNone
}

// factsOf adds up the attempts at a question.
func factsOf(attempts []Attempt) facts {
	f := facts{Attempts: len(attempts), outcomes: map[string]int{}, columns: map[column]mark{}}

	for i := range attempts {
		a := &attempts[i]
		f.Nodes += len(a.Tree.Nodes)
		f.Calls += a.Tree.Calls

		// The root is no turn: nobody acted before it.
		for j := range a.Tree.Nodes[1:] {
			n := &a.Tree.Nodes[j+1]
			f.outcomes[n.Outcome.String()]++

			if n.Outcome == envs.Deprecated {
				f.Notices++
			}
		}

		for id := range a.Tree.Nodes {
			if n := &a.Tree.Nodes[id]; n.Outcome == envs.Correct {
				f.Correct++
				f.Accepted += toInt(n.Strict)
				f.Recovered = f.Recovered || recovered(a.turns(id))
			}
		}

		// Only the first attempt counts in a column: of repeats it is a sample like any other, and
		// lists have room for one mark.
		c := column{a.Meta.Run.Policy, a.API}
		if _, ok := f.columns[c]; !ok {
			f.columns[c] = markOf(&a.Tree.Nodes[a.bestNode()])
		}
	}

	return f
}

// ledger remembers the facts of the questions of a run, and updates those with new attempts.
type ledger struct {
	run   *Run
	mu    sync.Mutex
	known []facts // in the order of the questions
}

// facts returns those of all questions, in their order. Two pages do not read the same twice: the
// second finds what the first has read.
func (l *ledger) facts(ctx context.Context, step Step) ([]facts, error) {
	counts, err := l.run.Source.Counts(ctx)
	if err != nil {
		return nil, err
	}

	// Held while questions are read: a second page waits instead of reading them, too.
	l.mu.Lock()
	defer l.mu.Unlock()

	var changed []int

	for i, q := range l.run.Questions {
		// Attempts are only ever added, so that their number tells whether a question has changed.
		if l.known[i].Attempts != counts[q.ID].Stored {
			changed = append(changed, i)
		}
	}

	if len(changed) >= manyQuestions {
		defer step(fmt.Sprintf("reading %d questions of %s", len(changed), l.run.Name))()
	}

	read := func(ctx context.Context, i int) error {
		attempts, err := l.run.Source.Attempts(ctx, l.run.Questions[changed[i]])
		if err != nil {
			return err
		}

		l.known[changed[i]] = factsOf(attempts)
		return nil
	}

	err = kept.Each(ctx, len(changed), runtime.GOMAXPROCS(0), nil, read)

	for i, q := range l.run.Questions {
		// What is open changes without a new attempt, and is known from the counts alone.
		l.known[i].Open = counts[q.ID].Open
	}
	return slices.Clone(l.known), err
}

// note notes the attempts at a question that were read for something else.
func (l *ledger) note(question string, attempts []Attempt) {
	f := factsOf(attempts)

	l.mu.Lock()
	defer l.mu.Unlock()

	i, _ := l.run.number(question)
	l.known[i] = f
}

// manyQuestions is how many questions take long enough to read that the user should know.
const manyQuestions = 1000

// shows are the filters by the results of a question.
var shows = []struct {
	Name string
	has  func(facts) bool
}{
	{"solved", func(f facts) bool { return f.Accepted > 0 }},
	{"unsolved", func(f facts) bool { return f.Attempts > 0 && f.Correct == 0 }},
	{"met a deprecation", func(f facts) bool { return f.Notices > 0 }},
	{"recovered", func(f facts) bool { return f.Recovered }},
	{"unresolved", func(f facts) bool { return f.Open > 0 }},
	{"not tried", func(f facts) bool { return f.Attempts+f.Open == 0 }},
}

// choices returns the filters that a page offers.
func choices() (names []string) {
	for _, s := range shows {
		names = append(names, s.Name)
	}

	for _, o := range envs.Outcomes() {
		names = append(names, o.String())
	}
	return names
}

// matches reports whether a question with these facts is listed, regardless of its texts.
func (f filter) matches(known facts) bool {
	if f.Show == "" {
		return true
	}

	for _, s := range shows {
		if s.Name == f.Show && s.has(known) {
			return true
		}
	}

	return known.outcomes[f.Show] > 0
}

// found is a place in a text of a turn.
type found struct {
	At                   place
	Before, Text, Behind string
}

// finds reports whether the text is found, in upper or lower case, and in which turn; nil if it is
// in the question.
func (f filter) finds(ctx context.Context, r *Run, q trajectories.Question) (*found, bool, error) {
	if f.Text == "" {
		return nil, true, nil
	}

	text := strings.ToLower(f.Text)
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }

	if has(q.ID) || has(q.Text) {
		return nil, true, nil
	}

	// Searching turns reads every attempt of the run, so it is asked for separately.
	if !f.Turns {
		return nil, false, nil
	}

	attempts, err := r.Source.Attempts(ctx, q)
	if err != nil {
		return nil, false, err
	}

	// The first hit is enough: the list shows one, and links to its turn.
	for i, a := range attempts {
		for j := range a.Tree.Nodes {
			for _, said := range []string{a.Tree.Nodes[j].Action, a.Tree.Nodes[j].Observation} {
				if has(said) {
					return around(place{r.Name, q.ID, i, j}, said, text), true, nil
				}
			}
		}
	}

	return nil, false, nil
}

// around returns where a text is found in another one, with the words around it.
func around(at place, in, text string) *found {
	const words = 60 // letters of them, on each side

	// Lowering a letter may change how many bytes it takes.
	first := max(0, strings.Index(strings.ToLower(in), text))
	i := loweredTo(in, first)
	end := i + loweredTo(in[i:], len(text))
	return &found{
		At: at, Before: display.Line(strings.ToValidUTF8(in[max(0, i-words):i], ""), 0),
		Text:   in[i:end],
		Behind: display.Line(strings.ToValidUTF8(in[end:min(len(in), end+words)], ""), 0),
	}
}

// loweredTo returns where the first letters of a text end that take n bytes in lower case.
func loweredTo(text string, n int) int {
	for i, r := range text {
		if n <= 0 {
			return i
		}

		n -= utf8.RuneLen(unicode.ToLower(r))
	}
	return len(text)
}

// sortedColumns returns the columns of some facts, by policy and then version.
func sortedColumns(all []facts) (columns []column) {
	for _, f := range all {
		for c := range f.columns {
			if !slices.Contains(columns, c) {
				columns = append(columns, c)
			}
		}
	}

	slices.SortFunc(columns, func(a, b column) int {
		return cmp.Or(strings.Compare(a.Policy, b.Policy), strings.Compare(a.API, b.API))
	})
	return columns
}

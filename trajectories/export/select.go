package export

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/names"
	"toolevo/mcts"
	"toolevo/trajectories"
)

// Strategy says which trajectories of a question are kept when there are more than wanted.
type Strategy string

// The strategies.
const (
	// at random, as in the paper (4 per question), but different sequences of tools first
	Random   Strategy = "random"
	Shortest Strategy = "shortest" // the fewest turns, then the fewest bytes of action text
	Diverse  Strategy = "diverse"  // the shortest, then repeatedly the one least like those chosen: [Distance]
)

// Strategies lists every strategy.
func Strategies() []Strategy { return []Strategy{Random, Shortest, Diverse} }

// ParseStrategy returns the strategy of a name; the error of an unknown one names the valid ones.
func ParseStrategy(name string) (Strategy, error) { return names.Parse("strategy", name, Strategies()) }

// Score says which verdict a trajectory must have.
type Score string

// The scores.
const (
	Strict   Score = "strict"   // right by the strict matcher
	Official Score = "official" // right by the benchmark's own
	Any      Score = "any"      // any verdict, or none
)

// Scores lists every score.
func Scores() []Score { return []Score{Strict, Official, Any} }

// ParseScore returns the score of a name; the error of an unknown one names the valid ones.
func ParseScore(name string) (Score, error) {
	return names.Parse("score", name, Scores())
}

// TrainSplit is the split that is exported unless another one is named.
const TrainSplit = "train"

// Selection chooses among the trajectories of each question. The zero value keeps every distinct
// trajectory of the train split that is strictly right.
type Selection struct {
	PerQuestion     int      `json:"per_question"`             // the most distinct trajectories of a question; 0: all
	Strategy        Strategy `json:"strategy"`                 // which; "" means Random
	Seed            uint64   `json:"seed"`                     // of Random, Dev and Mix
	Score           Score    `json:"score"`                    // "" means Strict
	Split           string   `json:"split"`                    // only questions of this split; "" means TrainSplit
	RequireRecovery bool     `json:"require_recovery"`         // only trajectories that met deprecations and recovered from each
	RequireUpdate   bool     `json:"require_update,omitempty"` // only those that told UpdateTool of an API they used

	// only those on questions that a policy gets wrong if it trusts every answer
	RequireDetection bool `json:"require_detection,omitempty"`

	// the most turns that no model should learn: unreadable ones, and errors made before; any
	// number if it is missing
	MaxFaulty *int `json:"max_faulty,omitempty"`
	// whether such turns are not trained: SFTStep leaves their samples out, OpenAI gives them no
	// weight
	SkipFaulty bool `json:"skip_faulty,omitempty"`

	Dev float64 `json:"dev,omitempty"` // share of the questions, 0 to 1, held out in files of their own
	Mix Mix     `json:"mix,omitzero"`  // the proportions of runs, suites or API versions

	// Blind reports whether a trajectory made a call whose meaning had silently changed, and
	// nothing in it reveals that: a model would learn to guess, so it is never taken. nil means
	// that no version does that.
	Blind func(*trajectories.Row) bool `json:"-"`
	// Misled reports whether a policy that trusts every answer gets the question of a trajectory
	// wrong under its version; needed for RequireDetection.
	Misled func(*trajectories.Row) bool `json:"-"`
	// Failed returns what kept Blind or Misled from an answer: what they said is then worth
	// nothing, and nothing is written. nil means that they always know.
	Failed func() error `json:"-"`

	// Elsewhere has the questions of the other splits, none of which is taken; nil means that they
	// are not known.
	Elsewhere *Elsewhere `json:"-"`
}

// withDefaults returns the selection with its defaults named.
func (s Selection) withDefaults() Selection {
	s.Strategy = cmp.Or(s.Strategy, Random)
	s.Score = cmp.Or(s.Score, Strict)
	s.Split = cmp.Or(s.Split, TrainSplit)
	return s
}

func (s Selection) validate() error {
	s = s.withDefaults()
	if _, err := ParseStrategy(string(s.Strategy)); err != nil {
		return err
	}

	if _, err := ParseScore(string(s.Score)); err != nil {
		return err
	}

	switch {
	case s.PerQuestion < 0:
		return fmt.Errorf("export: %d trajectories of a question: want 0 (all) or more", s.PerQuestion)
	case s.MaxFaulty != nil && *s.MaxFaulty < 0:
		return fmt.Errorf("export: %d faulty turns: want 0 or more", *s.MaxFaulty)
	case s.Dev < 0 || s.Dev >= 1:
		return fmt.Errorf("export: a share of %v of the questions held out: want 0 (none) to less than 1", s.Dev)
	}

	return s.Mix.validate()
}

// SelectionReport says what became of the rows. Rows is the sum of Kept and everything Dropped.
type SelectionReport struct {
	Rows          int     `json:"rows"`                    // trajectories that the linter left
	Kept          int     `json:"kept"`                    // those of them that were chosen
	Questions     int     `json:"questions"`               // with at least one row
	QuestionsKept int     `json:"questions_kept"`          // with at least one row kept
	Dropped       Dropped `json:"dropped"`                 // the others, by reason
	SkippedSteps  int     `json:"skipped_steps,omitempty"` // actions in chosen ones that were left out as faulty

	WithoutIDs int `json:"steps_without_token_ids,omitempty"` // actions in chosen ones whose tokens are not known

	Repeated int `json:"repeated_samples,omitempty"` // samples of chosen ones that were there already

	Elsewhere ElsewhereReport `json:"elsewhere"` // the comparison with the questions of other splits
}

// Dropped counts the rows a selection dropped, each under the first reason that held.
type Dropped struct {
	Split       int `json:"split"`                  // of another split
	Elsewhere   int `json:"elsewhere"`              // of a question that another split asks, too
	Score       int `json:"score"`                  // not right by the score asked for
	NoRecovery  int `json:"no_recovery"`            // without the recovery asked for
	NoUpdate    int `json:"no_update,omitempty"`    // without the truthful UpdateTool asked for
	Blind       int `json:"blind,omitempty"`        // nothing in it reveals that a call meant something else
	NoDetection int `json:"no_detection,omitempty"` // trusting every answer is right there, too
	Faulty      int `json:"faulty,omitempty"`       // with more faulty turns than wanted
	Duplicate   int `json:"duplicate"`              // did what an earlier trajectory of the question did
	Surplus     int `json:"surplus"`                // more than were wanted of the question
	Weight      int `json:"weight,omitempty"`       // more than the weights allow
}

// Select streams the chosen rows. The input is in canonical order, as a file or
// [trajectories.Merge] gives it, and so is the output; one question is held in memory at a time.
// The report is complete when the sequence has ended. A question whose rows do not come together is
// an error. Select ignores weights.
func (s Selection) Select(
	rows iter.Seq2[trajectories.Row, error], report *SelectionReport,
) iter.Seq2[trajectories.Row, error] {
	return func(yield func(trajectories.Row, error) bool) {
		*report = s.report()

		s = s.withDefaults()
		if err := s.validate(); err != nil {
			yield(trajectories.Row{}, err)
			return
		}

		for group, err := range byQuestion(rows) {
			if err != nil {
				yield(trajectories.Row{}, err)
				return
			}

			chosen := s.selectFrom(group, report)
			if err := s.failed(); err != nil { // the choice rests on failed answers
				yield(trajectories.Row{}, err)
				return
			}

			for _, r := range chosen {
				if !yield(*r, nil) {
					return
				}
			}
		}
	}
}

// isBlind reports what Blind does.
func (s Selection) isBlind(r *trajectories.Row) bool { return s.Blind != nil && s.Blind(r) }

// failed returns what Failed does.
func (s Selection) failed() error {
	if s.Failed == nil {
		return nil
	}
	return s.Failed()
}

// report returns the report that a selection begins with.
func (s Selection) report() SelectionReport { return SelectionReport{Elsewhere: s.Elsewhere.report()} }

// byQuestion groups rows by question.
func byQuestion(rows iter.Seq2[trajectories.Row, error]) iter.Seq2[[]*trajectories.Row, error] {
	return func(yield func([]*trajectories.Row, error) bool) {
		var group []*trajectories.Row

		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}

			// Out of order, the rows of one question could come apart, and be chosen from twice.
			if len(group) > 0 {
				switch c := trajectories.CompareQuestions(group[0], &row); {
				case c > 0:
					yield(nil, fmt.Errorf("export: %s comes after %s, out of the canonical order", row.Name(),
						group[0].Name()))
					return
				case c < 0:
					if !yield(group, nil) {
						return
					}

					group = nil
				}
			}

			group = append(group, &row)
		}

		// No other question follows the last one.
		if len(group) > 0 {
			yield(group, nil)
		}
	}
}

// selectFrom chooses among the rows of one question.
func (s Selection) selectFrom(group []*trajectories.Row, report *SelectionReport) []*trajectories.Row {
	if len(group) == 0 {
		return nil
	}

	report.Rows += len(group)
	report.Questions++
	chosen := s.choose(s.filter(group, report), &report.Dropped)

	report.Kept += len(chosen)
	if len(chosen) > 0 {
		report.QuestionsKept++
	}
	return chosen
}

// filter returns the distinct rows that meet all conditions, in canonical order.
func (s Selection) filter(group []*trajectories.Row, report *SelectionReport) []*trajectories.Row {
	d, seen := &report.Dropped, map[string]bool{}
	var rest []*trajectories.Row

	// A question of another split is not exported anyway, so it is not listed as refused.
	also := s.Elsewhere.find(group[0].Question)
	if first := group[0]; also != "" && first.Split == s.Split {
		report.Elsewhere.Refused = append(report.Elsewhere.Refused, Refused{first.QuestionID, first.Split, also})
	}

	// Duplicates come last, so that a copy of a row that was dropped can still be taken.
	for _, r := range group {
		switch {
		case r.Split != s.Split:
			d.Split++
		case also != "":
			d.Elsewhere++
		case !s.accepts(r):
			d.Score++
		case s.RequireRecovery && !recovered(r.Deprecations, r.Recovered):
			d.NoRecovery++
		case s.RequireUpdate && !updatedTruthfully(r):
			d.NoUpdate++
		case s.isBlind(r):
			d.Blind++
		case s.RequireDetection && !s.Misled(r):
			d.NoDetection++
		case s.MaxFaulty != nil && countFaulty(r) > *s.MaxFaulty:
			d.Faulty++
		case seen[r.Key]:
			d.Duplicate++
		default:
			seen[r.Key] = true
			rest = append(rest, r)
		}
	}

	return rest
}

// accepts reports whether the matcher asked for takes the answer of a trajectory.
func (s Selection) accepts(r *trajectories.Row) bool {
	return s.Score == Any || s.Score == Official && r.Official || s.Score == Strict && r.Strict
}

// recovered reports whether a trajectory met deprecations and recovered from every one.
func recovered(deprecations, recovered int) bool { return recovered > 0 && recovered == deprecations }

// choose returns at most PerQuestion rows, in canonical order.
func (s Selection) choose(rows []*trajectories.Row, d *Dropped) []*trajectories.Row {
	n := s.PerQuestion
	if n <= 0 || len(rows) <= n {
		return rows
	}

	d.Surplus += len(rows) - n
	var chosen []*trajectories.Row

	switch s.Strategy {
	case Shortest:
		chosen = byLength(rows)[:n]
	case Diverse:
		chosen = diverse(byLength(rows), n)
	default:
		rng := questionRand(s.Seed, rows[0])
		for _, i := range rng.Perm(len(rows)) {
			chosen = append(chosen, rows[i])
		}

		chosen = variedFirst(chosen)[:n]
	}

	slices.SortFunc(chosen, trajectories.Compare)
	return chosen
}

// variedFirst moves the first row of each sequence of tools before the others, and otherwise keeps
// their order.
func variedFirst(rows []*trajectories.Row) []*trajectories.Row {
	seen := map[string]bool{}
	var first, rest []*trajectories.Row

	for _, r := range rows {
		tools := make([]string, len(r.Turns))
		for i, t := range r.Turns {
			tools[i] = t.API
		}

		if key := mcts.TrajectoryKey(tools); !seen[key] {
			seen[key] = true

			first = append(first, r)
			continue
		}

		rest = append(rest, r)
	}
	return append(first, rest...)
}

// questionRand returns the random source of a question, which depends on the seed and the question
// alone.
func questionRand(seed uint64, r *trajectories.Row) *rand.Rand {
	parts := []string{r.Labels[envs.LabelDataset], r.Labels[envs.LabelDifficulty], r.Split, r.QuestionID, r.Question}
	parts = append(parts, trajectories.LabelPairs(r.Labels)...)
	return envs.Random(seed, strings.Join(parts, "\x00")+"\x00")
}

// byLength sorts the rows by their number of turns, then by the bytes of their actions, then
// canonically.
func byLength(rows []*trajectories.Row) []*trajectories.Row {
	size := func(r *trajectories.Row) (n int) {
		for _, t := range r.Turns {
			n += len(t.Action)
		}
		return n
	}
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b *trajectories.Row) int {
		return cmp.Or(cmp.Compare(len(a.Turns), len(b.Turns)), cmp.Compare(size(a), size(b)),
			trajectories.Compare(a, b))
	})

	return sorted
}

package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolevo/envs/kept"
)

// Score is a figure that judges are asked for.
type Score string

// The scores.
const (
	SoPR Score = "sopr" // solvable pass rate
	FAC  Score = "fac"  // final answer completeness
	SoWR Score = "sowr" // solvable win rate
)

// Scores returns all scores.
func Scores() []Score { return []Score{SoPR, FAC, SoWR} }

// Passes is how often StableToolBench's judges look at an answer.
const Passes = 3

// Options say what is scored.
type Options struct {
	Scores    []Score
	Passes    int    // of SoPR, and rounds of SoWR; at least 1
	Workers   int    // judgements at a time, at least 1
	Reference string // the policy that the others are compared with in SoWR; "" is the first one

	// Done, which may be nil, is called with how many of all judgements are made. Calls do not
	// overlap.
	Done func(done, total int)
}

// Judgement is an answer and how it was judged.
type Judgement struct {
	*Answer
	Passes   []Status // of SoPR; nil if it was not asked for
	Complete *Status  // of FAC; likewise
}

// Match is the answers of two agents to a query and how they were compared.
type Match struct {
	Reference, Candidate *Judgement
	Rounds               []Preference // First is the reference
}

// Judged is all judgements.
type Judged struct {
	Judgements []*Judgement // of the answers, in their order
	Matches    []*Match     // in the order of the candidates
}

// Run has answers judged. An error is a failure of the infrastructure; all that was written until
// then is in the log.
func Run(ctx context.Context, judge Judge, all []Answer, o Options) (*Judged, error) {
	if o.Passes < 1 || o.Workers < 1 {
		return nil, fmt.Errorf("judge: %d passes and %d workers, want at least 1 of each",
			o.Passes, o.Workers)
	}

	done := &Judged{}
	for i := range all {
		done.Judgements = append(done.Judgements, &Judgement{Answer: &all[i]})
	}

	if slices.Contains(o.Scores, SoWR) {
		if err := done.pair(o.Reference); err != nil {
			return nil, err
		}
	}

	first, second := done.answerWork(judge, o), done.matchWork(judge, o)
	total := len(first) + len(second)

	if err := o.doAll(ctx, first, 0, total); err != nil {
		return nil, err
	}
	return done, o.doAll(ctx, second, len(first), total)
}

// work is one judgement.
type work func(context.Context) error

// doAll does some work, of a total of which some was done before.
func (o *Options) doAll(ctx context.Context, all []work, before, total int) error {
	report := func(done, _ int) {
		if o.Done != nil {
			o.Done(before+done, total)
		}
	}

	return kept.Each(ctx, len(all), o.Workers, report, func(ctx context.Context, i int) error {
		return all[i](ctx)
	})
}

// answerWork returns the judgements of single answers. SoWR needs those of SoPR.
func (d *Judged) answerWork(judge Judge, o Options) (all []work) {
	solved := slices.Contains(o.Scores, SoPR) || slices.Contains(o.Scores, SoWR)
	complete := slices.Contains(o.Scores, FAC)

	for _, j := range d.Judgements {
		// A failure of the infrastructure says nothing about the agent, so nobody is asked.
		if j.Lost {
			continue
		}

		if solved {
			j.Passes = make([]Status, o.Passes)
		}

		// Every pass is asked separately, also for the same answer: their spread is what SoPR
		// reports.
		for pass := range j.Passes {
			all = append(all, func(ctx context.Context) (err error) {
				if s, ok := j.withoutJudge(); ok {
					j.Passes[pass] = s
					return nil
				}

				j.Passes[pass], err = judge.Status(ctx, j.Answer, pass)
				return err
			})
		}

		if complete {
			j.Complete = new(Status)
			all = append(all, func(ctx context.Context) (err error) {
				// Without a final answer no judge is asked: it stays Unsolved, the zero value.
				if j.Said() == "" {
					return nil
				}

				*j.Complete, err = judge.Complete(ctx, j.Answer)
				return err
			})
		}
	}
	return all
}

// pair finds the answers to compare: to one query, under one API version, the reference's and
// another's.
func (d *Judged) pair(reference string) error {
	if reference == "" && len(d.Judgements) > 0 {
		reference = d.Judgements[0].Agent.Policy
	}

	type place struct{ api, group, id string }

	at := func(j *Judgement) place { return place{j.Agent.API, j.Group, j.ID} }
	references := map[place]*Judgement{}

	for _, j := range d.Judgements {
		if j.Agent.Policy == reference {
			references[at(j)] = j
		}
	}

	for _, j := range d.Judgements {
		ref := references[at(j)]
		if ref != nil && j.Agent.Policy != reference && !ref.Lost && !j.Lost {
			d.Matches = append(d.Matches, &Match{Reference: ref, Candidate: j})
		}
	}

	if len(d.Matches) == 0 {
		return fmt.Errorf("%w with %s: SoWR takes answers of another policy to the same queries "+
			"under the same API version", ErrNoMatch, reference)
	}
	return nil
}

// ErrNoMatch means that no answers can be compared.
var ErrNoMatch = errors.New("nothing can be compared")

// matchWork returns the rounds of all matches.
func (d *Judged) matchWork(judge Judge, o Options) (all []work) {
	for _, m := range d.Matches {
		m.Rounds = make([]Preference, o.Passes)

		for round := range m.Rounds {
			all = append(all, func(ctx context.Context) (err error) {
				m.Rounds[round], err = m.round(ctx, judge, round)
				return err
			})
		}
	}

	return all
}

// round returns who won a round. The only side that solved the query does, and so does the only one
// with an answer.
func (m *Match) round(ctx context.Context, judge Judge, round int) (Preference, error) {
	first, second := m.Reference.Passes[round], m.Candidate.Passes[round]

	switch {
	case first == Lost || second == Lost:
		return NoPreference, nil
	case first == Solved && second != Solved:
		return First, nil
	case second == Solved && first != Solved:
		return Second, nil
	case m.Reference.Given == nil && m.Candidate.Given == nil:
		return Neither, nil
	case m.Candidate.Given == nil:
		return First, nil
	case m.Reference.Given == nil:
		return Second, nil
	}

	return judge.Prefer(ctx, m.Reference.Answer, m.Candidate.Answer, round)
}

// Winner returns who won more rounds; NoPreference if all were lost.
func (m *Match) Winner() Preference {
	first, second, lost := m.Votes()

	switch {
	case lost == len(m.Rounds):
		return NoPreference
	case first > second:
		return First
	case second > first:
		return Second
	}

	return Neither
}

// Votes counts the rounds that each side won, and those that were lost.
func (m *Match) Votes() (reference, candidate, lost int) {
	for _, p := range m.Rounds {
		switch p {
		case First:
			reference++
		case Second:
			candidate++
		case NoPreference:
			lost++
		}
	}

	return reference, candidate, lost
}

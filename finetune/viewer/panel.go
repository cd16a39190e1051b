package viewer

import (
	"fmt"
	"math"
	"slices"
	"time"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/finetune/rundir"
	"toolevo/mcts/account"
	"toolevo/mcts/store"
)

// panel shows the settings of a run, what it took, and its results.
type panel struct {
	Config string         // the settings, as YAML
	Total  *account.Total // nil if nothing was counted
	Passes []pass
	Shares []share // of the turns, by their outcomes, the most frequent first
	Course []part

	Workers *rundir.Workers // of a run that workers do right now; nil without
	Doing   []worker        // those that are there
}

// worker is a worker of a run as its row shows it.
type worker struct{ Name, Units, Longest, Done, PerHour string }

// pass is what one process spent on the run.
type pass struct{ Started, Took, Calls, Rate, Tokens, Speed, Cost string }

// share is how many turns had an outcome.
type share struct {
	Outcome string
	Turns   int
	Percent float64
}

// part is some questions of the run that follow each other: their numbers, how many of them a
// collection tried, or how many episodes of them an evaluation has, what share of these went well,
// and how many calls of the model each took.
type part struct {
	From, To int
	Kind     string // of the run
	Tried    int
	Well     float64 // percent: questions with an accepted answer, episodes with a correct one
	Calls    float64
}

// The course of a run is shown in at most mostParts parts, of at least leastInPart questions: the
// share of one question says nothing.
const (
	mostParts   = 20
	leastInPart = 5
)

// panelOf sums up a run, of whose questions these are the facts. grows is whether a process works
// on it.
func panelOf(r *Run, kind string, grows bool, all []facts) (*panel, error) {
	config, err := store.ReadConfig(r.Dir)
	if err != nil {
		return nil, err
	}

	p := &panel{Config: config, Shares: sharesOf(all), Course: courseOf(kind, all)}

	// An account that cannot be read is as good as none: the page shows the rest.
	passes, _ := account.Read(r.Dir)

	if len(passes) > 0 {
		total := account.Sum(passes)
		p.Total = &total
	}

	for _, spent := range passes {
		took := spent.Ended.Sub(spent.Started)
		row := pass{
			Started: spent.Started.Local().Format("2006-01-02 15:04"), Took: display.Duration(took),
			Calls:  display.Count(float64(spent.Calls)),
			Tokens: display.Count(float64(spent.Tokens())),
		}

		// A pass that asked no server has no speed.
		if spent.Calls > 0 && took > 0 {
			row.Rate = display.Count(float64(spent.Calls) / took.Hours())
			row.Speed = display.Count(float64(spent.CompletionTokens) / took.Seconds())
		}

		// Without a single price the cost is unknown, not 0.
		if spent.Unpriced < spent.Calls {
			row.Cost = account.Money(spent.Cost)
		}

		p.Passes = append(p.Passes, row)
	}

	if grows {
		err = p.addWorkers(r.Dir)
	}
	return p, err
}

// addWorkers adds the workers that a growing run has noted.
func (p *panel) addWorkers(dir string) error {
	note, err := rundir.ReadNote(dir)
	if err != nil || note == nil || note.Workers == nil {
		return err
	}

	p.Workers = note.Workers

	for _, w := range note.Workers.There {
		p.Doing = append(p.Doing, worker{
			Name: w.Name, Units: fmt.Sprint(w.Units), Done: display.Count(float64(w.Done)),
			Longest: display.Duration(time.Duration(w.Longest * float64(time.Second))),
			PerHour: display.Count(w.PerHour),
		})
	}
	return nil
}

// sharesOf returns the outcomes of all turns.
func sharesOf(all []facts) (shares []share) {
	turns := 0

	for _, o := range envs.Outcomes() {
		s := share{Outcome: o.String()}
		for _, f := range all {
			s.Turns += f.outcomes[s.Outcome]
		}

		if turns += s.Turns; s.Turns > 0 {
			shares = append(shares, s)
		}
	}

	for i := range shares {
		shares[i].Percent = 100 * float64(shares[i].Turns) / float64(turns)
	}

	slices.SortStableFunc(shares, func(a, b share) int { return b.Turns - a.Turns })
	return shares
}

// courseOf is how the run went, from its first question to the last.
func courseOf(kind string, all []facts) (parts []part) {
	n := min(mostParts, len(all)/leastInPart)
	if len(all) > 0 {
		n = max(n, 1)
	}

	for i := range n {
		p := part{From: i*len(all)/n + 1, To: (i + 1) * len(all) / n, Kind: kind}

		// A question of an evaluation has an episode under each policy and version: that one of
		// them is right says nothing of the others.
		for _, f := range all[p.From-1 : p.To] {
			if kind == "eval" {
				p.Tried += f.Attempts
				p.Well += float64(f.Correct)
			} else {
				p.Tried += toInt(f.Attempts > 0)
				p.Well += float64(toInt(f.Accepted > 0))
			}
			p.Calls += float64(f.Calls)
		}

		if p.Tried > 0 {
			p.Well *= 100 / float64(p.Tried)
			p.Calls /= float64(p.Tried)
		}
		parts = append(parts, p)
	}
	return parts
}

// Told returns the part in words.
func (p part) Told() string {
	text := "questions %d to %d, %d of them tried: %.0f %% with an accepted answer, %.1f model calls each"
	if p.Kind == "eval" {
		text = "questions %d to %d, %d episodes: %.0f %% with a correct answer, %.1f model calls each"
	}
	return fmt.Sprintf(text, p.From, p.To, p.Tried, p.Well, p.Calls)
}

// Height is its bar's, in percent.
func (p part) Height() int { return int(math.Round(p.Well)) }

package judge

import (
	"iter"
	"strings"

	"toolevo/finetune/facts"
	"toolevo/trajectories"
)

// Verdicts returns what was said of the episodes of evaluations, by the folder of each: a row for
// each score and try.
func (d *Judged) Verdicts(judge trajectories.Maker) map[string][]facts.Verdict {
	all := map[string][]facts.Verdict{}

	for a, v := range d.eachVerdict(judge) {
		if a.Folder != "" {
			v.Key = a.Key
			all[a.Folder] = append(all[a.Folder], v)
		}
	}

	return all
}

// eachVerdict yields what was said of each answer, in all scores and tries.
func (d *Judged) eachVerdict(judge trajectories.Maker) iter.Seq2[*Answer, facts.Verdict] {
	// Verdicts of one model by other prompts are other verdicts, so the version is part of the
	// name.
	name := strings.TrimSpace(judge.Name + " " + judge.Version)
	verdict := func(score Score, try int, s Status) facts.Verdict {
		v := facts.Verdict{
			Judge: name, Score: string(score), Try: try, Text: s.String(), Read: s != Lost,
		}
		if v.Read {
			v.Value = s.value()
		}
		return v
	}
	return func(yield func(*Answer, facts.Verdict) bool) {
		for _, j := range d.Judgements {
			for pass, s := range j.Passes {
				if !yield(j.Answer, verdict(SoPR, pass, s)) {
					return
				}
			}

			if j.Complete != nil && !yield(j.Answer, verdict(FAC, 0, *j.Complete)) {
				return
			}
		}

		for _, m := range d.Matches {
			for round, p := range m.Rounds {
				// The reference's loss is the candidate's win.
				v := verdict(SoWR, round, map[Preference]Status{
					Neither: Unsure, First: Unsolved, Second: Solved, NoPreference: Lost,
				}[p])
				v.Text = [...]string{"tied", "lost", "won", "unread"}[p]
				v.Against = m.Reference.Agent.String()

				if !yield(m.Candidate.Answer, v) {
					return
				}
			}
		}
	}
}

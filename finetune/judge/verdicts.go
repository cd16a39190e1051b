package judge

import (
	"strings"

	"toolevo/finetune/facts"
	"toolevo/trajectories"
)

// Verdicts are what was said of the episodes of evaluations, by the folder of each: a row for each score and try.
func (d *Judged) Verdicts(judge trajectories.Maker) map[string][]facts.Verdict {
	all := map[string][]facts.Verdict{}
	name := strings.TrimSpace(judge.Name + " " + judge.Version)

	add := func(a *Answer, score Score, try int, against string, text string, value float64, read bool) {
		if a.Folder != "" {
			all[a.Folder] = append(all[a.Folder], facts.Verdict{
				Key: a.Key, Judge: name, Score: string(score), Try: try, Against: against,
				Text: text, Value: value, Read: read,
			})
		}
	}
	status := func(a *Answer, score Score, try int, s Status) {
		if s == Lost {
			add(a, score, try, "", s.String(), 0, false)
		} else {
			add(a, score, try, "", s.String(), s.value(), true)
		}
	}

	for _, j := range d.Judgements {
		for pass, s := range j.Passes {
			status(j.Answer, SoPR, pass, s)
		}

		if j.Complete != nil {
			status(j.Answer, FAC, 0, *j.Complete)
		}
	}

	for _, m := range d.Matches {
		for round, p := range m.Rounds {
			text, value := "tied", 0.5

			switch p {
			case First:
				text, value = "lost", 0
			case Second:
				text, value = "won", 1
			case NoPreference:
				text, value = "unread", 0
			}

			add(m.Candidate.Answer, SoWR, round, m.Reference.Agent.String(), text, value, p != NoPreference)
		}
	}

	return all
}

package judge

import (
	"toolevo/envs"
	"toolevo/envs/toolapi"
	"toolevo/finetune/failure"
	"toolevo/trajectories"
)

// Conduct is what agents did, counted without a judge.
type Conduct struct {
	Calls      int     `json:"calls"`       // of functions, Finish and UpdateTool not among them
	Valid      int     `json:"valid"`       // of those, the ones that the deployed version took
	ValidShare float64 `json:"valid_share"` // of the calls

	Met            int     `json:"met"`             // functions that refused a call, each once an episode
	Recovered      int     `json:"recovered"`       // of those, the ones called with success afterwards
	RecoveredShare float64 `json:"recovered_share"` // of those that refused one

	Refusals []failure.RefusalCount `json:"refusals"` // refused calls, by what the deployed version did not take

	refused failure.RefusalTally
}

// ConductOf counts what was done in an episode that met a version.
func ConductOf(e *trajectories.Episode, deployed *toolapi.Version) *Conduct {
	c, met := &Conduct{}, map[string]bool{}

	for i := range e.Turns {
		t := &e.Turns[i]
		if t.Unreadable() || t.Tool == envs.FinishTool || t.Tool == envs.UpdateTool {
			continue
		}

		c.Calls++

		if t.Outcome == envs.OK || t.Outcome == envs.ToolError {
			c.Valid++
			continue
		}

		if t.Tool == "" || met[t.Tool] {
			continue
		}

		met[t.Tool] = true
		c.Met++

		if _, ok := trajectories.Recovery(e.Turns, i); ok {
			c.Recovered++
		}
	}

	c.refused.Add(e.Turns, deployed)
	c.share()

	return c
}

// add counts what was done in another one, too.
func (c *Conduct) add(other *Conduct) {
	c.Calls, c.Valid = c.Calls+other.Calls, c.Valid+other.Valid
	c.Met, c.Recovered = c.Met+other.Met, c.Recovered+other.Recovered
	c.refused.Merge(other.refused)
}

// share completes the counts by what they add up to.
func (c *Conduct) share() {
	c.ValidShare = float64(c.Valid) / float64(max(c.Calls, 1))
	c.RecoveredShare = float64(c.Recovered) / float64(max(c.Met, 1))
	c.Refusals = c.refused.Counts()
}

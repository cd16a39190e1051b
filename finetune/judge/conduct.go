package judge

import (
	"toolevo/envs/toolapi"
	"toolevo/finetune/facts"
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

	Refusals []facts.RefusalCount `json:"refusals"` // refused calls, by what the deployed version did not take

	refused map[failure.Refusal]int
}

// ConductOf counts what was done in an episode that met a version.
func ConductOf(e *trajectories.Episode, deployed *toolapi.Version) *Conduct {
	var b facts.Board

	b.Add(e, e.DeployedAPI, deployed)

	f := b.Facts[0]
	c := &Conduct{
		Calls: f.Calls, Valid: f.Valid, Met: f.ToolsRefused, Recovered: f.ToolsRecovered,
		refused: map[failure.Refusal]int{},
	}

	for _, call := range b.Calls {
		if call.Refused {
			c.refused[failure.Refusal(call.Refusal)]++
		}
	}

	c.share()

	return c
}

// add counts what was done in another one, too.
func (c *Conduct) add(other *Conduct) {
	c.Calls, c.Valid = c.Calls+other.Calls, c.Valid+other.Valid
	c.Met, c.Recovered = c.Met+other.Met, c.Recovered+other.Recovered

	if c.refused == nil {
		c.refused = map[failure.Refusal]int{}
	}

	for refusal, n := range other.refused {
		c.refused[refusal] += n
	}
}

// share completes the counts by what they add up to.
func (c *Conduct) share() {
	c.ValidShare = float64(c.Valid) / float64(max(c.Calls, 1))
	c.RecoveredShare = float64(c.Recovered) / float64(max(c.Met, 1))
	c.Refusals = nil

	total := 0
	for _, n := range c.refused {
		total += n
	}

	for _, r := range failure.Refusals() {
		n := c.refused[r]
		c.Refusals = append(c.Refusals, facts.RefusalCount{
			Refusal: r, Calls: n, Share: float64(n) / float64(max(total, 1)),
		})
	}
}

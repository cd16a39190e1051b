package judge

import (
	"toolevo/envs/toolapi"
	"toolevo/finetune/facts"
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
}

// ConductOf counts what was done in an episode that met a version.
func ConductOf(e *trajectories.Episode, deployed *toolapi.Version) *Conduct {
	var b facts.Board

	b.Add(e, e.DeployedAPI, deployed)

	f := b.Facts[0]
	c := &Conduct{Calls: f.Calls, Valid: f.Valid, Met: f.ToolsRefused, Recovered: f.ToolsRecovered}

	for _, row := range b.Errors().Rows {
		c.Refusals = row.Refusals
	}
	return c
}

package app

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/finetune/rundir"
	"toolevo/mcts/account"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/serving"
)

// ServedPass is one pass of a run, from its start to its end or to an interruption: what its calls
// took, and what each policy on servers has counted. A list of them is the file account.File of a
// run.
type ServedPass struct {
	account.Pass
	Policies map[string]server.Snapshot `json:"policies,omitempty"`
}

// openAccount opens the account of the run that a configuration is for, with what earlier passes
// spent.
func (j *RunJob) openAccount(c *configs.Resolved) error {
	prices, err := account.ParsePrices(c.Server.Prices)
	if err != nil {
		return err
	}

	servers := *j.Servers
	servers.Account = servers.Account.Open(prices)
	j.Servers = &servers

	if err := servers.Account.Ready(); err != nil {
		return console.AsUsage(err)
	}

	if j.Resume {
		j.earlier = j.earlierPasses(filepath.Join(j.Out, account.File))

		passes := make([]account.Pass, len(j.earlier))
		for i, p := range j.earlier {
			passes[i] = p.Pass
		}

		servers.Account.Resume(passes)
	}
	return nil
}

// checkLimits rejects limits on what servers take if none is asked: nothing would ever stop the
// run. A part of another command has that command's limits, which may count what other parts take.
func (j *RunJob) checkLimits(servers bool) error {
	if !servers && !j.Part && j.Servers.Account.Counts() {
		return console.Usage("‹max-cost› and ‹max-total-tokens› count what models on servers "+
			"take, and %s asks none: leave them out, or use ‹stop-after›", j.command)
	}
	return nil
}

// tally writes down in a run directory what servers are asked and answer, beside what earlier
// passes counted. The function it returns does so for the last time, and says what it came to.
func (j *RunJob) tally(dir string, b *Bench) (finish func() error) {
	keep := rundir.Keep(filepath.Join(dir, account.File), func() any {
		passes := j.Servers.Account.Passes()
		all := make([]ServedPass, len(passes))

		for i, p := range passes {
			all[i] = ServedPass{p, b.Snapshots()}
			if i < len(j.earlier) {
				all[i].Policies = j.earlier[i].Policies
			}
		}

		return all
	})
	return func() error {
		err := keep()

		if j.Coordinate == nil { // its workers say what theirs did
			j.sayServed(b)
		}
		return console.GaveUp(err)
	}
}

// sayServed says what servers were asked and answered.
func (j *RunJob) sayServed(b *Bench) {
	policies := b.Snapshots()
	for _, name := range slices.Sorted(maps.Keys(policies)) {
		j.Say("%s", strings.Join(serving.TallyLines(name, policies[name]), "\n  "))
		j.sayOtherNames(name, j.earlier, policies[name].Names())
	}
}

// sayOtherNames says that replies bore other names than in the pass before: a gateway may have
// switched to another model in between, which no server of this pass could show.
func (h *Host) sayOtherNames(policy string, earlier []ServedPass, names []string) {
	for _, pass := range slices.Backward(earlier) {
		before := pass.Policies[policy].Names()
		if len(before) == 0 {
			continue
		}

		if len(names) > 0 && !slices.Equal(names, before) {
			h.Say("  Its replies are of %s, and were of %s when the run was interrupted.",
				strings.Join(names, ", "), strings.Join(before, ", "))
		}
		return
	}
}

// earlierPasses reads what earlier passes of a run counted.
func (h *Host) earlierPasses(path string) []ServedPass {
	var passes []ServedPass

	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &passes)
	}

	if err != nil && !errors.Is(err, fs.ErrNotExist) { // counts are not worth a run
		h.Say("%s cannot be read; starting over.", path)
		return nil
	}
	return passes
}

// load returns the line about servers below the progress: what they took, and how they are doing.
func (j *RunJob) load(b *Bench) func() string {
	load := b.Load()
	return func() string {
		text, spent := load(), j.Servers.Account.Total()
		if spent.Calls == 0 {
			return text
		}

		if spent.Unpriced < spent.Calls {
			text = "cost " + account.Money(spent.Cost) + ", " + text
		}
		return display.Count(float64(spent.Tokens())) + " tokens, " + text
	}
}

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
	"time"

	"toolevo/envs/console"
	"toolevo/finetune/rundir"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/serving"
)

// ServersFile is the file of a run directory that says what came of the requests to servers.
const ServersFile = "servers.json"

// ServedPass is one pass of a run, from its start to its end or to an interruption: what each policy on servers has
// counted. That of a process that was killed ends with the last second before.
type ServedPass struct {
	Software string                     `json:"software"`
	Started  time.Time                  `json:"started"`
	Ended    time.Time                  `json:"ended"`
	Policies map[string]server.Snapshot `json:"policies"`
}

// tally writes down what servers are asked and answer, in a run directory, beside what earlier passes
// have counted. The function it returns does so for the last time, and says what came of it.
func (h *Host) tally(dir string, b *Bench) (finish func() error) {
	if len(b.Snapshots()) == 0 {
		return func() error { return nil }
	}

	path := filepath.Join(dir, ServersFile)
	started, earlier := time.Now(), h.earlierPasses(path)
	keep := rundir.Keep(path, func() any {
		pass := ServedPass{
			Software: Software(),
			Started:  started.UTC(),
			Ended:    time.Now().UTC(),
			Policies: b.Snapshots(),
		}

		return append(slices.Clip(earlier), pass)
	})

	return func() error {
		err := keep()

		policies := b.Snapshots()
		for _, name := range slices.Sorted(maps.Keys(policies)) {
			h.Say("%s", strings.Join(serving.TallyLines(name, policies[name]), "\n  "))
			h.sayOtherNames(name, earlier, policies[name].Names())
		}

		return console.GaveUp(err)
	}
}

// sayOtherNames says that replies bore other names than in the pass before: a gateway may have gone
// over to another model between them, which no server of this pass could show.
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

// earlierPasses reads what earlier passes of a run have counted.
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

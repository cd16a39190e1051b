package app

import (
	"context"
	"errors"
	"strings"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/finetune/stored"
	"toolevo/mcts/collect"
)

// ReplayJob searches under other settings of the search, with the answers of a run's log.
type ReplayJob struct {
	Host
	Run     string   // the run directory of a collection
	Data    string   // the data folder; "" is the run's own
	Workers int      // questions searched at the same time; 0 is one
	Under   []string // each KEY=VALUE, or several separated by spaces: settings to search under beside the run's own
}

// Replays is what searches under some settings found.
type Replays struct {
	Run     string   `json:"run_id"`  // of the run whose log answered
	Dir     string   `json:"dir"`     // its directory
	Replays []Replay `json:"replays"` // under the run's own settings first
}

// Replay is what a search under some settings found.
type Replay struct {
	Set string `json:"set"` // what differs from the run's settings; "" if nothing does
	collect.Replayed
}

// ReplayLog searches under the settings of the run and under each of the job's.
func ReplayLog(ctx context.Context, job ReplayJob) (r Replays, err error) {
	if len(job.Under) == 0 {
		return r, console.Usage("say under which settings to search: ‹set› " +
			"search.trees=5, for example")
	}

	v, err := OpenCollection(ctx, job.Run, "can be replayed")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()

	// The run's own settings come first: others are compared with what they find, not the store.
	searches := []*configs.Resolved{v.Config}

	// All settings are read before the corpora are, so that a typing error costs nothing.
	for _, set := range job.Under {
		c, err := searchedUnder(v, set)
		if err != nil {
			return r, err
		}

		searches = append(searches, c)
	}

	b, err := job.RecordedBench(ctx, v, job.DataOf(job.Data, &v.Manifest, v.Dir))
	if err != nil {
		return r, err
	}
	defer b.Close()
	defer job.Step("Searching the log")()

	found := Replays{Run: v.Manifest.ID, Dir: v.Dir}

	for i, set := range append([]string{""}, job.Under...) {
		replayed, err := job.replay(ctx, b, v, searches[i])
		if err != nil {
			return r, err
		}

		found.Replays = append(found.Replays, Replay{set, replayed})
	}
	return found, nil
}

// replay searches with the search of a configuration, and everything else as the run had it.
func (j *ReplayJob) replay(ctx context.Context, b *Bench, v *stored.Run, search *configs.Resolved) (
	r collect.Replayed, err error) {
	config := *b.Config
	config.Search = search.Search

	searched := *b
	searched.Models = b.Under(&config)

	o, err := LogOptions(&searched, v.Run)
	if err != nil {
		return r, err
	}

	o.Workers = j.Workers
	r, err = collect.Replay(ctx, o)
	return r, console.GaveUp(err)
}

// searchedUnder is a run's configuration with settings of its search changed.
func searchedUnder(v *stored.Run, set string) (*configs.Resolved, error) {
	var layers []configs.Layer

	settings := splitSettings(set)
	if len(settings) == 0 {
		settings = []string{set} // which is rejected
	}

	for _, kv := range settings {
		layer, err := ParseSetting("flag ‹set›", kv)
		if err != nil {
			return nil, err
		}

		if !strings.HasPrefix(kv, "search.") {
			return nil, console.Usage("‹set› %s: replay changes settings of the search alone "+
				"(search.cpuct, search.trees, …): under any other the model would have been asked "+
				"something else", kv)
		}

		layers = append(layers, layer)
	}
	return stored.Config(v.Run, layers...)
}

// splitSettings splits several settings. A word without "=" belongs to the value before it.
func splitSettings(set string) []string {
	var all []string

	for _, word := range strings.Fields(set) {
		if last := len(all) - 1; last >= 0 && !strings.Contains(word, "=") {
			all[last] += " " + word
			continue
		}

		all = append(all, word)
	}
	return all
}

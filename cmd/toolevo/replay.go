package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/finetune/stored"
	"toolevo/mcts/collect"
)

func (a *app) replayCommand() *cobra.Command {
	cmd := a.command("replay RUN --set KEY=VALUE")
	data := new(string)
	a.runDataFlag(cmd, data)
	workers := cmd.Flags().Int("workers", runtime.NumCPU(), "`N` questions searched at the same time")
	sets := cmd.Flags().StringArray("set", nil, "search under `KEY=VALUE`, e.g. search.cpuct=2, or several of them "+
		"(repeatable)")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if *workers < 1 {
			return console.Usage("--workers %d: want at least 1", *workers)
		}

		if len(*sets) == 0 {
			return console.Usage("say under which settings to search: --set search.trees=5, for example")
		}

		v, err := toolevo.OpenCollection(cmd.Context(), args[0], "can be replayed")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, v.Close()) }()

		configurations, err := replayConfigs(v, *sets)
		if err != nil {
			return err
		}

		host := a.host(console.ProgressAuto)

		b, err := host.RecordedBench(cmd.Context(), v, host.DataOf(*data, &v.Manifest, v.Dir))
		if err != nil {
			return err
		}
		defer b.Close()

		result, err := a.searchLog(cmd.Context(), b, v, configurations, *workers)
		if err != nil {
			return err
		}

		return a.Show(result, func() { a.printReplayed(result) })
	}

	return cmd
}

// replayConfig is a configuration to search under, and what it changes in the run's.
type replayConfig struct {
	sets   string
	config *configs.Resolved
}

// replayConfigs are the run's own configuration and one for each --set.
func replayConfigs(run *stored.Run, sets []string) ([]replayConfig, error) {
	all := []replayConfig{{config: run.Config}}

	for _, set := range sets {
		var layers []configs.Layer

		settings := splitSettings(set)
		if len(settings) == 0 {
			settings = []string{set} // which is refused
		}

		for _, kv := range settings {
			layer, key, err := setLayer(kv)
			if err != nil {
				return nil, err
			}

			if !strings.HasPrefix(key, "search.") {
				return nil, console.Usage("--set %s: replay changes settings of the search alone (search.cpuct, "+
					"search.trees, …): under any other the model would have been asked something else", kv)
			}

			layers = append(layers, layer)
		}

		c, err := stored.Config(run.Run, layers...)
		if err != nil {
			return nil, err
		}

		all = append(all, replayConfig{set, c})
	}

	return all, nil
}

// splitSettings splits a --set of several settings. A word without "=" belongs to the value before it.
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

// replayed is the result of a replay.
type replayed struct {
	Run     string      `json:"run_id"`  // of the run whose log answered
	Dir     string      `json:"dir"`     // its directory
	Replays []replayRow `json:"replays"` // under the run's own settings first
}

// replayRow is what a search under some settings found.
type replayRow struct {
	Set string `json:"set"` // what differs from the run's settings; "" is nothing
	collect.Replayed
}

// searchLog replays a run under each of the configurations.
func (a *app) searchLog(ctx context.Context, b *toolevo.Bench, run *stored.Run, configurations []replayConfig,
	workers int) (replayed, error) {
	defer a.starting(console.ProgressAuto).Step("Searching the log")()

	result := replayed{Run: run.Manifest.ID, Dir: run.Dir}

	for _, r := range configurations {
		config := *b.Config
		config.Search = r.config.Search

		searched := *b
		searched.Models = b.Under(&config)

		o, err := toolevo.LogOptions(&searched, run.Run)
		if err != nil {
			return result, err
		}

		o.Workers = workers

		found, err := collect.Replay(ctx, o)
		if err != nil {
			return result, console.GaveUp(err)
		}

		result.Replays = append(result.Replays, replayRow{r.sets, found})
	}

	return result, nil
}

func (a *app) printReplayed(r replayed) {
	fmt.Fprintf(a.Out, "run %s: %d questions\n\n", display.Line(r.Run, 0), r.Replays[0].Questions)

	t := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SETTINGS\tSOLVED\tACCEPTED\tCORRECT\tTREES\tNODES\tCALLS\tLACKING")

	for _, row := range r.Replays {
		solved := fmt.Sprint(row.Solved)
		if row.SolvedAtMost > row.Solved {
			solved += fmt.Sprintf("-%d", row.SolvedAtMost)
		}

		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d (%.1f %%)\n", row.name(), solved, row.Accepted, row.Correct,
			row.Trees, row.Nodes, row.Calls, len(row.Lacking), 100*row.LackedShare)
	}

	t.Flush()

	for i, row := range r.Replays {
		if len(row.Lacking) == 0 {
			continue
		}

		first := row.Lacking[0]
		a.Say("%s: %d trees of %d questions end where the log does, the first of them tree %d of %s, after %d "+
			"simulations; a fresh run finds the same or more.", row.name(), len(row.Lacking), row.Questions-row.Whole,
			first.Tree, display.Line(first.Question, 0), first.Simulations)

		if i == 0 {
			a.Say("The run itself is unfinished, has given trees up, or was made by a version that differs from "+
				"this one: toolevo %s", console.Shell("check", r.Dir))
		}
	}
}

// name is how a row is called.
func (r *replayRow) name() string {
	if r.Set == "" {
		return "as it was run"
	}

	return display.Line(r.Set, 0)
}

package toolbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench/bench"
	"toolevo/envs/toolbench/serve"
	"toolevo/envs/toolbench/virtual"
	"toolevo/envs/wire"
)

// The variables that hold keys.
const (
	ownKeyVariable     = "TOOLBENCH_KEY"      // what clients of our server send
	backendKeyVariable = "TOOLBENCH_REAL_KEY" // what the real backend is sent
)

// toolService says what is served, and how.
type toolService struct {
	wire.Door
	data, task, backend string
	stdio               bool
	calls               int
}

func toolsCommand() suite.Command {
	o := toolService{
		Door: wire.Door{Listen: "127.0.0.1:8081",
			Variable: ownKeyVariable}, calls: serve.DefaultMaxCalls,
	}
	return suite.Command{
		Use: "serve tools", Help: helpTexts, Document: ServedTools{},
		Configured: &suite.Configured{
			Models: true, Flags: []string{"split", "api", "feedback", "prompts"},
			Own:      settingFlags(),
			Defaults: map[string]string{"suite": "toolbench", "split": "test", "api": "[p_c]"},
		},
		Options: append(suite.DoorOptions(&o.Door), suite.DataOption(&o.data),
			suite.StdioOption(&o.stdio),
			suite.Option{Name: "question", Value: &o.task,
				Usage: "only the functions that the question of an `ID` offers (default: all)"},
			suite.Option{Name: "real", Value: &o.backend,
				Usage: "`URL` of a server of the real APIs, which is asked " +
					"first; its key is that in " + backendKeyVariable},
			suite.Option{Name: "max-calls", Value: &o.calls, Least: 1,
				Usage: "`N` calls run at the same time, the others wait"}),
		Run: o.run,
	}
}

// settingFlags are the flags for what stands in for the APIs.
func settingFlags() []suite.SettingFlag {
	return []suite.SettingFlag{
		{
			Flag: "simulator", Key: "toolbench.simulator", Usage: "`NAME` of what stands in for ToolBench's APIs: " +
				"scripted, or the policy KIND:NAME of a language model",
		},
		{
			Flag: "mode", Key: "toolbench.mode", Names: names.Texts(virtual.Modes),
			Usage: "`NAME` of how a language model is asked to: sft, cot, few-shot, " +
				"mirrorapi-sft or mirrorapi-cot",
		},
		{Flag: "cache", Key: "toolbench.cache",
			Usage: "keep its answers in the cache `FILE`, and take them from there"},
	}
}

// run serves the versions of a configuration until the process is asked to end.
func (o *toolService) run(ctx context.Context, c *suite.Call) (err error) {
	options, err := o.options(c)
	if err != nil {
		return err
	}

	chosen, err := c.Choose(o.data)
	if err != nil {
		return err
	}

	opened, err := chosen.Benchmark.Open(ctx, chosen.Choice)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()

	// All versions are deployed before the address is open: no client finds one missing.
	all, err := o.deploy(ctx, c, opened, chosen.Deployed)
	if err != nil {
		return err
	}

	for i, version := range chosen.Deployed {
		options.Versions[version] = all[i]
	}

	// Clients that name no version get the first.
	options.Default = chosen.Deployed[0]

	server, err := serve.New(options)
	if err != nil {
		return err
	}

	// A client that started the server talks to it by pipes, which the counts would spoil.
	if o.stdio {
		return wire.Pipe(ctx, c.Program, server)
	}

	address, err := o.Serve(ctx, c.Program, server, func(address string) {
		o.introduce(c, address, chosen.Deployed)
	})

	// All versions are of one suite, so any of them has the counts.
	served := newServed(address, server, chosen.Deployed, all[0])
	return c.Result(served, served.print, err)
}

// options returns the options of the server, which has no version yet.
func (o *toolService) options(c *suite.Call) (serve.Options, error) {
	key, err := o.Key(c.Program)
	return serve.Options{
		Key: key, MaxCalls: o.calls, Software: c.Version, Versions: map[string]serve.Version{},
	}, err
}

// deploy deploys versions, after making sure that a model can be asked.
func (o *toolService) deploy(ctx context.Context, c *suite.Call, opened suite.Suite, versions []string) (
	[]*bench.Deployed, error) {
	// A model that cannot be asked is found now, and not by the first client.
	if p, ok := opened.(suite.Preparer); ok {
		if err := p.Prepare(ctx); err != nil {
			return nil, err
		}
	}

	var backend *virtual.Backend

	if o.backend != "" {
		var err error
		if backend, err = virtual.NewBackend(o.backend, c.Lookup(backendKeyVariable)); err != nil {
			return nil, console.Option("real", "%w", err)
		}
	}

	var all []*bench.Deployed

	for _, version := range versions {
		d, err := bench.Deploy(opened, version, o.task, backend)
		if err != nil {
			return nil, err
		}

		all = append(all, d)
	}
	return all, nil
}

// introduce says where the server is and what to try with it.
func (o *toolService) introduce(c *suite.Call, address string, versions []string) {
	c.Say("ToolBench's functions under %s at %s/virtual, and over MCP at %s/mcp", versions[0],
		address, address)

	for _, version := range versions[1:] {
		c.Say("Under %s: the same, with \"version\": %q, and %s/mcp/%s", version, version, address,
			version)
	}

	o.SayKey(c.Program)
	c.Say("Ctrl-C ends it and tells how it was used.")
}

// ServedTools is how a server of functions was used.
type ServedTools struct {
	Address   string           `json:"address"`   // of the server
	Versions  []string         `json:"versions"`  // that it served, the default first
	Functions int              `json:"functions"` // of a version
	Requests  map[string]int64 `json:"requests"`  // by outcome; refused: not calls; failed: the fault was ours
	Answers   virtual.Tally    `json:"answers"`   // to calls that fit

	// requests whose arguments are named as StableToolBench's client does, by outcome
	Standardised map[string]int64 `json:"standardised"`
}

func newServed(address string, s *serve.Server, versions []string, d *bench.Deployed) *ServedTools {
	return &ServedTools{
		Address: address, Versions: versions, Functions: len(d.Functions()), Requests: s.Counts(),
		Answers: d.Tally(), Standardised: s.Standardised(),
	}
}

func (s *ServedTools) print(w io.Writer) {
	for _, outcome := range slices.Sorted(maps.Keys(s.Requests)) {
		fmt.Fprintf(w, "%-17s %d\n", outcome, s.Requests[outcome])
	}

	for _, outcome := range slices.Sorted(maps.Keys(s.Standardised)) {
		fmt.Fprintf(w, "%d of the calls that are %s name arguments as StableToolBench's "+
			"client does.\n", s.Standardised[outcome], outcome)
	}

	n := s.Answers
	fmt.Fprintf(w, "Answers: %d from the cache, %d real, %d by a model, %d scripted; %d were not "+
		"worth keeping.\n",
		n.Replayed, n.Real, n.Simulated, n.Scripted, n.Unkept)
	fmt.Fprintf(w, "Failures: %d. Of the model's replies, %d could not be read.\n", n.Failed,
		n.Spoilt)
}

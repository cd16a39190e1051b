package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/action"
	"toolevo/envs/console"
	"toolevo/envs/suite"
	"toolevo/envs/wire"
	"toolevo/mcts/policy/scripted"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/policy/simserver"
)

func (a *app) benchCommand() *cobra.Command {
	cmd := newCommand("bench")
	cmd.AddCommand(a.benchServeCommand())
	return cmdline.Group(cmd)
}

// serveFlags are the flags of bench serve. Those with a matching option are read straight into it.
type serveFlags struct {
	simserver.Options
	*wire.Door
	protocol, policy, suite, codec string
	data                           *string
	faults, wrong                  []string
}

func (a *app) benchServeCommand() *cobra.Command {
	cmd := a.command("serve")
	f := &serveFlags{Door: a.doorFlags(cmd, "127.0.0.1:8000", "OPENAI_API_KEY")}
	cmd.Long = strings.Replace(cmd.Long, "MISCONFIGURATIONS", indented(simserver.Misconfigurations()), 1)
	f.add(a, cmd)
	return does(a, cmd, func(ctx context.Context, _ []string) (r *serveReport, err error) {
		key, err := f.Key(&a.Program)
		if err != nil {
			return nil, err
		}

		plans, err := readPlans(ctx, f.suite, *f.data)
		if err != nil {
			return nil, console.Usage("%w", err)
		}

		o, err := f.options(key, plans)
		if err != nil {
			return nil, console.Usage("%w", err)
		}
		return a.benchServe(ctx, f, o)
	}, func(r *serveReport) { fmt.Fprint(a.Out, r.text()) })
}

func (f *serveFlags) add(a *app, cmd *cobra.Command) {
	// By default the server answers at once and never fails: a rehearsal asks for the rest.
	latency, faults := &f.Latency, &f.Faults
	f.data = cmdline.DataFlag(&a.Program, cmd)
	f.protocol = string(simserver.VLLM)
	f.Model = "sim"
	f.policy = "scripted:noisy"
	f.suite = suite.Names()[0]
	f.codec = action.ReAct{}.String()
	f.MaxModelLen, f.Speed, f.Seed = 32768, 1, 1
	// These only say how long a fault lasts once --faults asks for it.
	faults.DownFor = time.Minute
	faults.RetryAfter = time.Second
	faults.DripEvery = 100 * time.Millisecond
	addFlags(cmd, "serve", into{
		"protocol":        &f.protocol,
		"model":           &f.Model,
		"policy":          &f.policy,
		"suite":           &f.suite,
		"codec":           &f.codec,
		"thoughts":        (*string)(&f.Thoughts),
		"slots":           &f.Slots,
		"prompt-per-slot": &f.PromptPerSlot,
		"window":          &f.MaxModelLen,
		"kv-tokens":       &f.KVTokens,
		"max-waiting":     &f.MaxWaiting,
		"latency":         &latency.PerCompletion,
		"prefill":         &latency.PrefillPerSecond,
		"decode":          &latency.DecodePerSecond,
		"crowding":        &latency.Crowding,
		"speed":           &f.Speed,
		"seed":            &f.Seed,
		"faults":          &f.faults,
		"down-for":        &faults.DownFor,
		"retry-after":     &faults.RetryAfter,
		"drip-every":      &faults.DripEvery,
		"wrong":           &f.wrong,
	})
}

// options returns what the flags ask for.
func (f *serveFlags) options(key string, plans solutions) (simserver.Options, error) {
	// The server stands in for a model, so a policy that needs one is of no use.
	kind, name, _ := strings.Cut(f.policy, ":")
	if kind != serving.Scripted {
		return simserver.Options{}, fmt.Errorf("--policy %s: want scripted:reader, scripted:stale, scripted:noisy or "+
			"scripted:weak for a simulated server", f.policy)
	}

	profile, err := scripted.ParseProfile(name)
	if err != nil {
		return simserver.Options{}, err
	}

	// A real model is not told what is deployed, so neither is this one.
	if profile.Knowing {
		return simserver.Options{}, fmt.Errorf("--policy %s: a server is not told which version is deployed: want "+
			"scripted:reader, scripted:stale, scripted:noisy or scripted:weak", f.policy)
	}

	if profile.Codec, err = action.ParseCodec(f.codec); err != nil {
		return simserver.Options{}, err
	}

	rates, err := parseRates(f.faults)
	if err != nil {
		return simserver.Options{}, err
	}

	if err := f.check(); err != nil {
		return simserver.Options{}, err
	}

	o := f.Options
	o.Address, o.APIKey = f.Listen, key
	o.Policy, o.Codec, o.Kind = scripted.New(profile, plans), profile.Codec, simserver.Kind(f.protocol)
	o.Faults.Rates, o.Faults.Seed = rates, f.Seed

	for _, w := range f.wrong {
		o.Wrong = append(o.Wrong, simserver.Misconfiguration(w))
	}
	return o, nil
}

// check refuses figures that make no sense, and those that the server would take for a default
// other than the flag's.
func (f *serveFlags) check() error {
	// Speed is compared this way round so that NaN is refused, too.
	switch {
	case f.MaxModelLen < 1:
		return fmt.Errorf("--window %d: want at least 1", f.MaxModelLen)
	case !(f.Speed > 0):
		return fmt.Errorf("--speed %v: want more than 0", f.Speed)
	case f.PromptPerSlot && f.KVTokens > 0:
		return fmt.Errorf("--kv-tokens %d: want 0 with --prompt-per-slot, where each slot has a window of its own",
			f.KVTokens)
	}

	// In each of these 0 means the default or no limit, so only negative figures are refused.
	for _, n := range []struct {
		flag  string
		value int
	}{{"slots", f.Slots}, {"kv-tokens", f.KVTokens}, {"max-waiting", f.MaxWaiting}} {
		if n.value < 0 {
			return fmt.Errorf("--%s %d: want at least 0", n.flag, n.value)
		}
	}

	for _, d := range []struct {
		flag  string
		value time.Duration
	}{
		{"latency", f.Latency.PerCompletion}, {"down-for", f.Faults.DownFor},
		{"retry-after", f.Faults.RetryAfter}, {"drip-every", f.Faults.DripEvery},
	} {
		if d.value < 0 {
			return fmt.Errorf("--%s %v: want at least 0s", d.flag, d.value)
		}
	}

	return nil
}

// parseRates reads --faults: the rates of kinds, or a single one for all of them together.
func parseRates(words []string) (map[simserver.Fault]float64, error) {
	if len(words) == 1 && !strings.Contains(words[0], "=") {
		total, err := strconv.ParseFloat(words[0], 64)
		if err != nil || !(total >= 0 && total <= 1) {
			return nil, fmt.Errorf("--faults %s: want KIND=RATE,… or one rate from 0 to 1", words[0])
		}
		return simserver.EvenRates(total), nil
	}

	rates := map[simserver.Fault]float64{}

	for _, word := range words {
		kind, text, ok := strings.Cut(word, "=")

		rate, err := strconv.ParseFloat(text, 64)
		if !ok || err != nil {
			return nil, fmt.Errorf("--faults %s: want KIND=RATE, e.g. hang=0.01", word)
		}

		if _, twice := rates[simserver.Fault(kind)]; twice {
			return nil, fmt.Errorf("--faults names %s twice", kind)
		}

		rates[simserver.Fault(kind)] = rate
	}
	return rates, nil
}

// benchServe serves until the process is told to end.
func (a *app) benchServe(ctx context.Context, f *serveFlags, o simserver.Options) (*serveReport, error) {
	s, err := simserver.Start(o)
	if err != nil {
		if isAddress(err) {
			return nil, console.GaveUp(fmt.Errorf("%w: name another with --listen", err))
		}
		return nil, console.Usage("%w", err)
	}
	defer s.Close()

	a.introduce(f, s.URL())
	report := newServeReport(f, s)
	report.watch(ctx)
	return report.end(), nil
}

// introduce says where the server listens and what to try with it.
func (a *app) introduce(f *serveFlags, url string) {
	kind := serving.Speaking(f.protocol)
	name, address := kind.Name+":"+f.Model, url
	if _, path, _ := strings.Cut(kind.Hosting.Address, "%s"); path != "" {
		address += path
	}

	server := f.protocol
	if f.PromptPerSlot && f.protocol == string(simserver.VLLM) {
		server = "llama.cpp server"
	}

	a.Say("A simulated %s with the model %q (%s) listens on %s", server, f.Model, f.policy, url)

	f.SayKey(&a.Program)
	a.Say("\nTry, in another terminal:")

	for _, words := range [][]string{
		{"doctor", "--policy", name, "--server", address},
		{"collect", "--policy", name, "--server", address, "--limit", "20", "--out", "runs/rehearsal"},
		{"eval", "--policy", name, "--server", address, "--limit", "20"},
	} {
		a.Say("  %s", console.Shell(append([]string{os.Args[0]}, words...)...))
	}

	a.Say("\nCtrl-C ends it and tells how it was used.")
}

// isAddress reports whether an error comes from the address to listen on.
func isAddress(err error) bool {
	var call *os.SyscallError
	return errors.As(err, &call)
}

// indented lists names in lines of up to four.
func indented[S ~string](names []S) string {
	var lines []string

	for row := range slices.Chunk(names, 4) {
		line := " "
		for _, n := range row {
			line += fmt.Sprintf(" %-18s", n)
		}

		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

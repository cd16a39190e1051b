package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"toolevo/envs/console"
	"toolevo/finetune/rundir"
	"toolevo/mcts/policy/server"
)

// serversFile is the file of a run directory that says what came of the requests to servers.
const serversFile = "servers.json"

// servedPass is one pass of a run, from its start to its end or to an interruption: what each policy on servers has
// counted. That of a process that was killed ends with the last second before.
type servedPass struct {
	Software string                     `json:"software"`
	Started  time.Time                  `json:"started"`
	Ended    time.Time                  `json:"ended"`
	Policies map[string]server.Snapshot `json:"policies"`
}

// snapshots are the counts of the policies on servers, by their names.
func (b *bench) snapshots() map[string]server.Snapshot {
	all := map[string]server.Snapshot{}
	for name, p := range b.servers {
		all[name] = p.Snapshot()
	}

	return all
}

// tally writes down what servers are asked and answer, in a run directory, beside what earlier passes
// have counted. The function it returns does so for the last time, and says what came of it.
func (a *app) tally(dir string, b *bench) (finish func() error) {
	if len(b.servers) == 0 {
		return func() error { return nil }
	}

	path := filepath.Join(dir, serversFile)
	started, earlier := time.Now(), a.earlierPasses(path)
	keep := rundir.Keep(path, func() ([]byte, error) {
		pass := servedPass{
			Software: software(),
			Started:  started.UTC(),
			Ended:    time.Now().UTC(),
			Policies: b.snapshots(),
		}

		text, err := json.MarshalIndent(append(slices.Clip(earlier), pass), "", "  ")

		return append(text, '\n'), err
	})

	return func() error {
		err := keep()

		policies := b.snapshots()
		for _, name := range slices.Sorted(maps.Keys(policies)) {
			a.Say("%s", strings.Join(tallyLines(name, policies[name]), "\n  "))
		}

		return console.GaveUp(err)
	}
}

// earlierPasses reads what earlier passes of a run have counted.
func (a *app) earlierPasses(path string) []servedPass {
	var passes []servedPass

	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &passes)
	}

	if err != nil && !errors.Is(err, fs.ErrNotExist) { // counts are not worth a run
		a.Say("%s cannot be read; starting over.", path)
		return nil
	}

	return passes
}

// tallyLines are a policy's counts for people: what was asked, then what went wrong on the way, what cost samples, and
// how that is spread over several servers.
func tallyLines(name string, s server.Snapshot) []string {
	faults := s.Transient + s.TooLong + s.Refused + s.BadRequests

	lines := []string{fmt.Sprintf("%s: %d requests, %d answered, %d failed, %d given up by us", name, s.Requests,
		s.Answered, faults, s.Cancelled)}
	if faults > 0 {
		lines = append(lines, "failures, none of them scored: "+causes(s.Faults))
	}
	var odd []string

	for _, c := range []struct {
		n    int64
		what string
	}{
		{s.Truncated, "cut by max_tokens"}, {s.Empty, "empty and asked for again"}, {s.Silent, "empty to the end"},
		{s.Unscored - s.Empty, "without log-probabilities"},
	} {
		if c.n > 0 {
			odd = append(odd, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}

	if len(odd) > 0 {
		lines = append(lines, fmt.Sprintf("of %d completions: %s", s.Completions, strings.Join(odd, ", ")))
	}

	if s.Short > 0 {
		lines = append(lines, fmt.Sprintf("replies with too few samples: %d, each sample asked for again by itself",
			s.Short))
	}

	if s.TooLong > 0 {
		lines = append(lines, fmt.Sprintf("prompts beyond the context window: %d, each a dead end", s.TooLong))
	}

	if s.BadRequests > 0 {
		lines = append(lines, fmt.Sprintf("requests that the server did not take: %d, their trees left unresolved",
			s.BadRequests))
	}

	if len(s.Servers) > 1 {
		for _, one := range s.Servers {
			lines = append(lines, fmt.Sprintf("%s: %d requests, %d answered", one.Address, one.Requests, one.Answered))
		}
	}

	return lines
}

// causes lists what was seen, the most frequent first.
func causes(faults map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(faults), func(x, y string) int {
		return cmp.Or(cmp.Compare(faults[y], faults[x]), cmp.Compare(x, y))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d × %s", faults[name], name)
	}

	return strings.Join(names, ", ")
}

// arguments are the flags about servers that a resumed run needs again, credentials left out.
func (s *serving) arguments() []string {
	var args []string

	if s.servers != "" {
		list := strings.Split(s.servers, ",")
		for i, server := range list {
			list[i] = withoutCredentials(strings.TrimSpace(server))
		}

		args = append(args, "--server", strings.Join(list, ","))
	}

	if s.parallel != "auto" {
		args = append(args, "--parallel", s.parallel)
	}

	if s.patience != server.DefaultPatience {
		args = append(args, "--patience", s.patience.String())
	}

	if s.timeout != server.DefaultTimeout {
		args = append(args, "--timeout", s.timeout.String())
	}

	return args
}

// withoutCredentials puts USER:PASSWORD where a server's address has some.
func withoutCredentials(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if ok {
		scheme += "://"
	} else {
		scheme, rest = "", address
	}

	u, err := url.Parse("http://" + rest)
	if err != nil {
		return "ADDRESS"
	}

	if u.User == nil {
		return address
	}

	authority, _, _ := strings.Cut(rest, "/")

	return scheme + "USER:PASSWORD@" + rest[strings.LastIndex(authority, "@")+1:]
}

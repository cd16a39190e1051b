package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/guard"
	sessionserver "toolevo/envs/stategen/session/serve"
)

// serviceKeyVariable holds the key that clients of the services of generated tasks send.
const serviceKeyVariable = "TOOLEVO_SERVICE_KEY"

// servedSessions is how a session service was used.
type servedSessions struct {
	Address string         `json:"address"` // of the server
	Version string         `json:"version"` // that it served
	Calls   map[string]int `json:"calls"`   // by tool, also those that the service refused
}

// text is the report for people.
func (s *servedSessions) text() string {
	var b strings.Builder
	for _, tool := range slices.Sorted(maps.Keys(s.Calls)) {
		fmt.Fprintf(&b, "%-17s %d\n", tool, s.Calls[tool])
	}

	return b.String()
}

func (a *app) serveSessionsCommand() *cobra.Command {
	cmd := newCommand("sessions")
	d := doorFlags(cmd, "127.0.0.1:8082", serviceKeyVariable)
	s := a.addSettings(cmd, map[string]string{"suite": "stategen", "api": "[p_c]"}, "api")
	asJSON := console.JSONFlag(cmd)

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := s.resolve(cmd.Flags())
		if err != nil {
			return err
		}

		served, err := a.serveSessions(cmd.Context(), c, d)
		if err != nil {
			return err
		}

		return a.Show(*asJSON, served, func() { fmt.Fprint(a.Out, served.text()) })
	}

	return cmd
}

// serveSessions serves the session service under the version of a configuration until the process is told to end.
func (a *app) serveSessions(ctx context.Context, c *configs.Resolved, d *door) (*servedSessions, error) {
	key, err := d.key(a)
	if err != nil {
		return nil, err
	}

	b, err := toolevo.NewBench("", c, nil, nil)
	if err != nil {
		return nil, err
	}

	names := b.Deployed.All().Versions
	if len(names) != 1 {
		return nil, console.Usage("--api names %d versions, want one", len(names))
	}

	base, err := b.Versions.Version(c.Prompt)
	if err != nil {
		return nil, err
	}

	deployed, err := b.Versions.Version(names[0])
	if err != nil {
		return nil, err
	}

	server, err := sessionserver.New(base, deployed, &guard.Guard{Key: key})
	if err != nil {
		return nil, err
	}

	address, err := a.serveHTTP(ctx, server, d.listen, func(address string) {
		a.Say("The session service under %s at %s", deployed.Name, address)

		if deployed == base {
			a.Say("Try: curl %s/api/sessions/harbor_lab/group", address)
		} else {
			a.Say("What changed is at /api/NAME: toolevo versions show %s --suite stategen", deployed.Name)
		}

		d.sayKey(a)
		a.Say("Ctrl-C ends it and tells how it was used. Nothing is kept.")
	})

	return &servedSessions{Address: address, Version: deployed.Name, Calls: server.Calls()}, err
}

package stategen

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"toolevo/envs/console"
	sessionserver "toolevo/envs/stategen/session/serve"
	"toolevo/envs/suite"
	"toolevo/envs/wire"
)

// serviceKeyVariable holds the key that clients of the services of generated tasks send.
const serviceKeyVariable = "TOOLEVO_SERVICE_KEY"

// ServedSessions is how a session service was used.
type ServedSessions struct {
	Address string         `json:"address"` // of the server
	Version string         `json:"version"` // that it served
	Calls   map[string]int `json:"calls"`   // by tool, also those that the service refused
}

func (s *ServedSessions) print(w io.Writer) {
	for _, tool := range slices.Sorted(maps.Keys(s.Calls)) {
		fmt.Fprintf(w, "%-17s %d\n", tool, s.Calls[tool])
	}
}

func sessionsCommand() suite.Command {
	d := wire.Door{Listen: "127.0.0.1:8082", Variable: serviceKeyVariable}
	return suite.Command{
		Use: "serve sessions", Help: helpTexts, Document: ServedSessions{}, Options: suite.DoorOptions(&d),
		Configured: &suite.Configured{
			Flags: []string{"api"}, Defaults: map[string]string{"suite": "stategen",
				"api": "[p_c]"},
		},
		Run: func(ctx context.Context, c *suite.Call) error {
			served, err := serveSessions(ctx, c, &d)
			return c.Result(served, served.print, err)
		},
	}
}

// serveSessions serves the session service under the version of a configuration until the process
// is asked to end.
func serveSessions(ctx context.Context, c *suite.Call, d *wire.Door) (*ServedSessions, error) {
	// Without a key nothing is opened: a server that other machines can reach must have one.
	key, err := d.Key(c.Program)
	if err != nil {
		return nil, err
	}

	chosen, err := c.Choose("")
	if err != nil {
		return nil, err
	}

	if len(chosen.Deployed) != 1 {
		return nil, console.Option("api", "it names %d versions, want one", len(chosen.Deployed))
	}

	base, err := chosen.Versions.Version(chosen.Prompt)
	if err != nil {
		return nil, err
	}

	deployed, err := chosen.Versions.Version(chosen.Deployed[0])
	if err != nil {
		return nil, err
	}

	server, err := sessionserver.New(base, deployed, &wire.Guard{Key: key})
	if err != nil {
		return nil, err
	}

	// Clients find what a drifted version changed at an address of its own.
	address, err := d.Serve(ctx, c.Program, server, func(address string) {
		c.Say("The session service under %s at %s", deployed.Name, address)

		if deployed == base {
			c.Say("Try: curl %s/api/sessions/harbor_lab/group", address)
		} else {
			c.Say("What changed is at /api/NAME: toolevo versions show %s --suite stategen",
				deployed.Name)
		}

		d.SayKey(c.Program)
		c.Say("Ctrl-C ends it and tells how it was used. Nothing is kept.")
	})
	return &ServedSessions{Address: address, Version: deployed.Name, Calls: server.Calls()}, err
}

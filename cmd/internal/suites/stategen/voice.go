package stategen

import (
	"context"
	"fmt"
	"io"

	voiceserver "toolevo/envs/stategen/voice/serve"
	"toolevo/envs/suite"
	"toolevo/envs/wire"
)

// ServedVoice is how a server of the voice service was used.
type ServedVoice struct {
	Address string `json:"address"` // of the server
	voiceserver.Counts
}

func voiceCommand() suite.Command {
	var stdio bool

	d, seed := wire.Door{Listen: "127.0.0.1:8082", Variable: serviceKeyVariable}, uint64(1)
	return suite.Command{
		Use: "serve voice", Help: helpTexts, Document: ServedVoice{},
		Options: append(suite.DoorOptions(&d), suite.StdioOption(&stdio), suite.SeedOption(&seed)),
		Run: func(ctx context.Context, c *suite.Call) error {
			key, err := d.Key(c.Program)
			if err != nil {
				return err
			}

			server, err := voiceserver.New(seed, c.Version, &wire.Guard{Key: key})
			if err != nil {
				return err
			}

			// A client that started the server talks to it by pipes, which the counts would spoil.
			if stdio {
				return wire.Pipe(ctx, c.Program, server)
			}

			address, err := d.Serve(ctx, c.Program, server, func(address string) {
				c.Say("A mocked voice service over MCP at %s/mcp", address)
				d.SayKey(c.Program)
				c.Say("Ctrl-C ends it and tells how it was used.")
			})

			// How it was used is shown however the server ended.
			served := ServedVoice{address, server.Counts()}

			return c.Result(served, func(w io.Writer) {
				fmt.Fprintf(w, "%d calls were answered, %d refused.\n", served.Calls,
					served.Refused)
			}, err)
		},
	}
}

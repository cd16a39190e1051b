package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/guard"
	voiceserver "toolevo/envs/stategen/voice/serve"
)

// serveVoiceOptions are the flags of serve voice.
type serveVoiceOptions struct {
	*door
	stdio  bool
	seed   uint64
	asJSON *bool
}

// servedVoice is how a server of the voice service was used.
type servedVoice struct {
	Address string `json:"address"` // of the server
	voiceserver.Counts
}

func (a *app) serveVoiceCommand() *cobra.Command {
	cmd := newCommand("voice")
	o := &serveVoiceOptions{door: doorFlags(cmd, "127.0.0.1:8082", serviceKeyVariable)}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.serveVoice(cmd.Context(), o) }

	o.asJSON = console.JSONFlag(cmd)
	cmd.Flags().BoolVar(&o.stdio, "stdio", false, stdioWords)
	cmd.Flags().Uint64Var(&o.seed, "seed", 1, "`N` is the seed of the library of voices")

	return cmd
}

// serveVoice serves the voice service until the process is told to end.
func (a *app) serveVoice(ctx context.Context, o *serveVoiceOptions) error {
	key, err := o.key(a)
	if err != nil {
		return err
	}

	server, err := voiceserver.New(o.seed, toolevo.Software(), &guard.Guard{Key: key})
	if err != nil {
		return err
	}

	if o.stdio {
		return console.GaveUp(server.Stdio(ctx, io.NopCloser(a.In), unclosed{a.raw}))
	}

	address, err := a.serveHTTP(ctx, server, o.listen, func(address string) {
		a.Say("A mocked voice service over MCP at %s/mcp", address)
		o.sayKey(a)
		a.Say("Ctrl-C ends it and tells how it was used.")
	})
	if err != nil {
		return err
	}

	served := servedVoice{address, server.Counts()}

	return a.Show(*o.asJSON, served, func() {
		fmt.Fprintf(a.Out, "%d calls were answered, %d refused.\n", served.Calls, served.Refused)
	})
}

package main

import (
	"errors"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/wire"
)

// door is where a server listens, and whether clients need a key.
type door struct {
	listen     string
	requireKey bool
	variable   string // that holds the key
}

// doorFlags adds the flags of a door.
func doorFlags(cmd *cobra.Command, listen, variable string) *door {
	d := &door{variable: variable}
	cmd.Flags().StringVar(&d.listen, "listen", listen, "listen on `HOST:PORT`; port 0 is any free one")
	cmd.Flags().BoolVar(&d.requireKey, "require-key", false, "ask clients for the key in "+variable)

	return d
}

// key returns the key that clients have to send, "" for none. A server that other machines can
// reach has one.
func (d *door) key(a *app) (string, error) {
	key, open := a.Lookup(d.variable), wire.CheckAddress(d.listen)

	switch {
	case open != nil && !errors.Is(open, wire.ErrOpen):
		return "", console.Usage("--listen: %w", open)
	case open != nil && key == "":
		return "", console.Usage("--listen %s: %w: set %s, which clients then have to send",
			d.listen, open, d.variable)
	case open == nil && !d.requireKey:
		return "", nil
	case key == "":
		return "", console.Usage("--require-key: %s is not set", d.variable)
	}

	d.requireKey = true

	return key, nil
}

// sayKey says that the server asks for a key, where it does.
func (d *door) sayKey(a *app) {
	if d.requireKey {
		a.Say("It asks for the key in %s.", d.variable)
	}
}

package serving

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/keeper"
)

// source is where a list of servers is read that changes while a run is on.
type source struct {
	name  string // what it is called with, before the colon
	what  string // the text after the colon
	every time.Duration
	read  func(ctx context.Context, what string) (list string, err error)
}

// sourceCommand is the source that runs what it is told, so that no file may hold it.
const sourceCommand = "command"

// sources are the kinds of them. A file costs nothing to read; names and commands are asked as
// often as whoever starts servers changes them.
var sources = []source{
	{name: "file", every: 2 * time.Second, read: readList},
	{name: "dns", every: 30 * time.Second, read: resolve},
	{name: sourceCommand, every: 30 * time.Second, read: run},
}

// sourceTime is how long a source may take.
const sourceTime = 30 * time.Second

// sourceOf returns the source that addresses name, nil where they are the servers themselves.
func sourceOf(addresses string) *source {
	name, what, _ := strings.Cut(addresses, ":")
	for _, s := range sources {
		if s.name == name && !strings.HasPrefix(what, "//") {
			s.what = what
			return &s
		}
	}
	return nil
}

// list reads the servers: a line each, with # before what is no server. It is never empty.
func (s *source) list(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, sourceTime)
	defer cancel()

	text, err := s.read(ctx, s.what)
	if err != nil {
		return nil, console.Option("server", "%s: %w", s, err)
	}

	var all []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}

	if len(all) == 0 {
		return nil, console.Option("server", "%s lists no server: want the address of one in each line, such as "+
			"http://127.0.0.1:8000/v1", s)
	}

	slices.Sort(all)
	return slices.Compact(all), nil
}

// String is the source as it may be shown: without credentials, and so without what a command may
// hold.
func (s *source) String() string {
	switch s.name {
	case "dns":
		return s.name + ":" + withoutCredentials(s.what)
	case sourceCommand:
		return "the command of --server"
	}
	return s.name + ":" + s.what
}

// readList reads a list from a file, and from nothing that could keep its reader waiting.
func readList(_ context.Context, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}

	if !info.Mode().IsRegular() {
		return "", errors.New("it is not a regular file")
	}

	text, err := os.ReadFile(path)
	return string(text), err
}

// resolve lists one server for each address of the host in a URL.
func resolve(ctx context.Context, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return "", errors.New("want a URL whose host has an address for each server, such as dns:http://vllm:8000/v1")
	}

	// A certificate is for the name, and the servers are asked by their addresses.
	if u.Scheme == "https" {
		return "", errors.New("servers with certificates are not found by name: list them in a file")
	}

	hosts, err := net.DefaultResolver.LookupHost(ctx, u.Hostname())
	if err != nil {
		return "", err
	}

	var list strings.Builder
	for _, host := range hosts {
		one := *u
		if one.Host = host; u.Port() != "" {
			one.Host = net.JoinHostPort(host, u.Port())
		} else if strings.Contains(host, ":") {
			one.Host = "[" + host + "]"
		}
		fmt.Fprintln(&list, &one)
	}
	return list.String(), nil
}

// run lists what a command prints, which the shell runs. What it says on stderr is in the error.
func run(ctx context.Context, command string) (string, error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", command)

	keeper.Bound(cmd)

	var said strings.Builder
	cmd.Stderr = &said

	text, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("no list within %v: %w", sourceTime, ctx.Err())
	case err != nil:
		return "", fmt.Errorf("%w %s", err, display.Line(said.String(), 400))
	}
	return string(text), nil
}

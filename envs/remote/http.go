package remote

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"toolevo/envs/remote/openapi"
)

// HTTP calls a service by the operations of an OpenAPI document. It starts instances of the
// service, or speaks to a running one.
type HTTP struct {
	// Server is the base URL in place of the document's. {address} and {port} in it are those of
	// the instance. Without Server, an instance is asked under the document's paths.
	Server string `yaml:"server,omitempty"`

	// Command starts an instance, in this process's folder. In commands and in values of
	// Environment, {address} is where the instance is to listen, HOST:PORT, {port} the port of it,
	// and {dir} a fresh folder for what it writes.
	Command []string `yaml:"command,omitempty,flow"`

	// Ready is a path that answers with any status below 500 once the service can be asked.
	Ready string `yaml:"ready,omitempty"`

	// Reset is a request, such as "POST /reset", that brings a service to the state in which every
	// task begins. Without a command, there can be only one instance at a time.
	Reset string `yaml:"reset,omitempty"`

	// ResetCommand does the same in place of a request, or fills the folder before an instance
	// starts.
	ResetCommand []string `yaml:"reset_command,omitempty,flow"`

	// Environment has the variables of commands, besides PATH and HOME and those of Secrets.
	Environment map[string]string `yaml:"environment,omitempty"`

	// Secrets are variables of this process's environment, by the names of the document's security
	// schemes. They are read when a request is made. Without Secrets, requests have none.
	Secrets map[string]string `yaml:"secrets,omitempty"`

	// Hosts are those that a service may redirect to, besides those that are asked.
	Hosts []string `yaml:"hosts,omitempty,flow"`

	// Rate is how many requests a second a host gets, and Concurrent how many at the same time, of
	// all instances together; 0 is no limit.
	Rate       float64 `yaml:"rate,omitempty"`
	Concurrent int     `yaml:"concurrent,omitempty"`

	MostBytes int64 `yaml:"most_bytes,omitempty"` // of an answer; 0 is 1 MiB

	Transport http.RoundTripper `yaml:"-"` // nil is the usual one
}

const defaultMostBytes = 1 << 20

// Resettable reports whether an instance begins in the state in which every task begins. Of any
// other service, only tools that read can be used.
func (h *HTTP) Resettable() bool { return len(h.Command) > 0 || h.resets() }

func (h *HTTP) resets() bool { return h.Reset != "" || len(h.ResetCommand) > 0 }

// Most is how many instances there can be at the same time; 0 is any number.
func (h *HTTP) Most() int {
	if len(h.Command) == 0 && h.resets() {
		return 1
	}
	return 0
}

// hasPlace reports whether any of the texts says where an instance listens.
func hasPlace(texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool {
		return strings.Contains(s, addressWord) || strings.Contains(s, portWord)
	})
}

// Validate returns what makes no sense.
func (h *HTTP) Validate() error {
	starts := len(h.Command) > 0
	places := slices.Concat(h.Command, slices.Collect(maps.Values(h.Environment)))
	method, path, _ := strings.Cut(h.Reset, " ")

	switch {
	case starts && !hasPlace(places...):
		return errors.New("http: neither command nor environment has {address} or {port}: " +
			"an instance has to be told where to listen")
	case starts && h.Server != "" && !hasPlace(h.Server):
		return fmt.Errorf("http: server is %s and there is a command: "+
			"want {address} or {port} in it, or no server", h.Server)
	case !starts && hasPlace(h.Server):
		return fmt.Errorf("http: server is %s, and no command starts an instance with an address",
			h.Server)
	case h.Reset != "" && (strings.ToUpper(method) != method || !strings.HasPrefix(path, "/")):
		return fmt.Errorf("http: reset is %q, want a method and a path, such as POST /reset", h.Reset)
	case h.Ready != "" && !strings.HasPrefix(h.Ready, "/"):
		return fmt.Errorf("http: ready is %q, want a path, such as /health", h.Ready)
	case h.Rate < 0 || h.Concurrent < 0 || h.MostBytes < 0:
		return errors.New("http: rate, concurrent and most_bytes are 0 or more")
	}

	return nil
}

// Source returns the source of the instances. operations has the operation of each tool.
func (h *HTTP) Source(operations map[string]openapi.Operation) (Source, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}

	s := &httpSource{HTTP: *h, operations: maps.Clone(operations), limits: limits{
		rate: h.Rate, concurrent: h.Concurrent, hosts: map[string]*limit{},
	}}
	s.MostBytes = cmp.Or(h.MostBytes, defaultMostBytes)

	if s.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost = t.MaxIdleConns // most are of one host
		s.Transport = t
	}

	if err := s.findHome(); err != nil {
		return nil, err
	}
	return s, nil
}

// httpSource starts instances of one service.
type httpSource struct {
	HTTP

	operations map[string]openapi.Operation
	home       openapi.Operation // of the server that is asked whether it is ready, and reset
	limits     limits
	inUse      inUse // by the one instance that there can be

	// An *atomic.Int32 of 500s in a row, by the call that an instance must not make again.
	broken sync.Map
}

// exampleAddress stands for an instance's where only the form of a URL matters.
const exampleAddress = "127.0.0.1:1"

// findHome checks that every operation has a host, and finds the one that is asked whether it is
// ready and is reset: then all must have the same.
func (s *httpSource) findHome() error {
	var all []string // hosts

	// Only the form of the URLs is checked: an instance gets its address when it starts.
	example := httpInstance{httpSource: s}
	if len(s.Command) > 0 {
		example.address = exampleAddress
	}

	for _, tool := range slices.Sorted(maps.Keys(s.operations)) {
		o := s.operations[tool]

		at, err := url.Parse(example.base(o.Server))

		switch {
		case err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https":
			return fmt.Errorf("http: the tool %s has no server: give one", tool)
		case at.User != nil:
			return fmt.Errorf("http: the server of %s has a user: name a secret in its place", tool)
		case len(all) > 0 && at.Host != all[0] && (s.Ready != "" || s.Reset != ""):
			return fmt.Errorf("http: the tools are at %s and %s, and only one server is asked "+
				"whether it is ready, or reset: choose tools of one", all[0], at.Host)
		}

		all = append(all, at.Host)

		// A reset may need a secret, so the first tool that has any counts.
		if len(all) == 1 || len(s.home.Secrets) == 0 {
			s.home.Server, s.home.Secrets = o.Server, o.Secrets
		}
	}

	if len(all) == 0 {
		return errors.New("http: there are no operations")
	}

	// Redirections may lead to these. A started instance has an address of its own in their place.
	if len(s.Command) == 0 {
		s.Hosts = append(all, s.Hosts...)
	}
	return nil
}

// base returns the base URL of the instance in place of the documented one.
func (i *httpInstance) base(documented string) string {
	switch {
	case i.Server != "":
		_, port, _ := strings.Cut(i.address, ":")
		own := strings.NewReplacer(addressWord, i.address, portWord, port)
		return strings.TrimRight(own.Replace(i.Server), "/")
	case i.address == "":
		return documented
	}

	at, err := url.Parse(documented)
	if err != nil {
		return documented
	}
	return "http://" + i.address + at.EscapedPath()
}

package serving

import (
	"cmp"
	"context"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolevo/envs/console"
	"toolevo/envs/suite"
	"toolevo/mcts/account"
	"toolevo/mcts/policy/server"
)

// Servers says where models are and how hard to drive them. It changes no result, so it is not
// among the settings of a run.
type Servers struct {
	// Addresses are base URLs, separated by commas, or where a list of them is read again and
	// again: file:PATH, dns:URL or command:COMMAND; "" means those of the environment.
	Addresses string
	Parallel  string           // "auto", or sequences in flight at each server
	Patience  time.Duration    // how long to wait for one that is down
	Timeout   time.Duration    // of one request
	ProbeTime time.Duration    // of a look at servers before a run begins; 0 is suite.ProbeTime
	backoff   time.Duration    // before a server is asked again, at first; 0 is the default
	Account   *account.Account // of what replies take; nil keeps none
	Log       *slog.Logger
	// shows what servers are asked for before a run starts; nil shows nothing
	Watch func(read func() console.Status) (stop func())

	lookup func(variable string) string // in the environment

	// the servers are of a version that gives log-probabilities, if not all do; set by the probe
	scored bool
}

func (s *Servers) probeTime() time.Duration { return cmp.Or(s.ProbeTime, suite.ProbeTime) }

// FromEnvironment returns what the environment of a program says about servers. backoff is the time
// before a server is asked again, at first; 0 is the default.
func FromEnvironment(p *console.Program, backoff time.Duration) *Servers {
	return &Servers{
		Parallel: "auto",
		Patience: server.DefaultPatience,
		Timeout:  server.DefaultTimeout,
		backoff:  backoff,
		lookup:   p.Lookup,
		Log:      slog.New(slog.NewTextHandler(p.Err, nil)),
		Watch:    func(read func() console.Status) (stop func()) { return p.Report(console.ProgressPlain, read) },
	}
}

// key returns the key that is sent to servers of a kind, and to no others.
func (s *Servers) key(kind *Kind) string { return s.variable(kind.KeyVariable) }

// variable returns a variable of the environment, "" without an environment.
func (s *Servers) variable(name string) string {
	if s.lookup == nil {
		return ""
	}
	return s.lookup(name)
}

// Running returns where a server of a registered kind runs already, as far as the environment says.
func Running(kind string, lookup func(variable string) string) string {
	k := server.FindKind(kind)
	return cmp.Or(lookup(k.AddressVariable), k.DefaultAddress)
}

// addresses are those of a kind: of the command line, of the configuration, of the environment, or
// the default.
func (m *Models) addresses(kind *Kind) string {
	return cmp.Or(m.Servers.Addresses, strings.Join(m.Config.Server.URLs, ","),
		Running(kind.Name, m.Servers.variable))
}

// urls are the servers of a kind, as they are listed now.
func (m *Models) urls(kind *Kind) ([]string, error) { return listed(m.addresses(kind)) }

// listed are the servers that addresses name.
func listed(addresses string) ([]string, error) {
	if s := sourceOf(addresses); s != nil {
		return s.list(context.Background())
	}

	urls := strings.Split(addresses, ",")
	for i := range urls {
		urls[i] = strings.TrimSpace(urls[i])
	}
	return urls, nil
}

// Check rejects flags that make no sense.
func (s *Servers) Check() error {
	if s.Timeout <= 0 {
		return console.Option("timeout", "it is %v, want how long a request may take, such as 10m", s.Timeout)
	}

	if s.Patience < 0 {
		return console.Option("patience", "it is %v, want how long to wait, or 0 not to wait", s.Patience)
	}

	_, err := s.limit()
	return err
}

// Exposed reports whether credentials are on the command line, where every user of the machine can
// read them.
func (s *Servers) Exposed() bool {
	if s := sourceOf(s.Addresses); s != nil && s.name != "dns" {
		return false
	}

	return slices.ContainsFunc(strings.Split(s.Addresses, ","), func(address string) bool {
		shown := withoutCredentials(address)
		return shown == unreadable && strings.Contains(address, "@") ||
			strings.Contains(shown, hiddenUser) || strings.Contains(shown, secret)
	})
}

// retry returns how long servers are waited for.
func (s *Servers) retry() server.Retry {
	r := server.Retry{Base: s.backoff, Patience: s.Patience}
	if s.Patience == 0 {
		r.Patience = -1 // its 0 is the default
	}
	return r
}

func (s *Servers) limit() (server.Limit, error) {
	if s.Parallel == "auto" {
		return server.Limit{}, nil
	}

	n, err := strconv.Atoi(s.Parallel)
	if err != nil || n < 1 {
		return server.Limit{}, console.Option("parallel", "it is %s, want auto, or a number of at least 1", s.Parallel)
	}
	return server.Limit{Sequences: n}, nil
}

// Arguments returns the flags about servers that a resumed run needs again, without credentials.
func (s *Servers) Arguments() []string {
	var args []string

	switch {
	case sourceOf(s.Addresses) != nil:
		// Of a command only its user knows what in it is secret, and without it nothing resumes.
		list := s.Addresses
		if source := sourceOf(list); source.name == "dns" {
			list = source.String()
		}
		args = append(args, "--server", list)
	case s.Addresses != "":
		list := strings.Split(s.Addresses, ",")
		for i, server := range list {
			list[i] = withoutCredentials(strings.TrimSpace(server))
		}

		args = append(args, "--server", strings.Join(list, ","))
	}

	if s.Parallel != "auto" {
		args = append(args, "--parallel", s.Parallel)
	}

	if s.Patience != server.DefaultPatience {
		args = append(args, "--patience", s.Patience.String())
	}

	if s.Timeout != server.DefaultTimeout {
		args = append(args, "--timeout", s.Timeout.String())
	}
	return args
}

// What replaces credentials in an address, possible keys in its query, and the whole of one that
// cannot be read.
const (
	hiddenUser = "USER:PASSWORD@"
	secret     = "SECRET"
	unreadable = "ADDRESS"
)

// withoutCredentials returns a server's address as it may be shown.
func withoutCredentials(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if ok {
		scheme += "://"
	} else {
		scheme, rest = "", address
	}

	u, err := url.Parse("http://" + rest)
	if err != nil {
		return unreadable
	}

	if bare, query, found := strings.Cut(rest, "?"); found {
		rest = bare + "?" + withoutSecrets(query)
	}

	if u.User == nil {
		return scheme + rest
	}

	authority, _, _ := strings.Cut(rest, "/")
	return scheme + hiddenUser + rest[strings.LastIndex(authority, "@")+1:]
}

func withoutSecrets(query string) string {
	values, err := url.ParseQuery(query)
	if err != nil {
		return secret
	}

	for name := range values {
		if server.IsSecretParameter(name) {
			values[name] = []string{secret}
		}
	}

	return values.Encode()
}

package serving

import (
	"cmp"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"toolevo/envs/console"
	"toolevo/mcts/policy/server"
)

// Servers says where models are and how hard to drive them. It changes no result, so it is not a setting of a run.
type Servers struct {
	Addresses string // base URLs, separated by commas; "" means those of the environment
	Parallel  string // "auto", or sequences in flight at each server
	patience  time.Duration
	Timeout   time.Duration // of one request
	backoff   time.Duration // before a server is asked again, at first; 0 is the default
	Log       *slog.Logger
	// shows what servers are asked for before a run starts; nil shows nothing
	Watch func(read func() console.Status) (stop func())

	lookup func(variable string) string // in the environment

	scored bool // the servers are of a version that gives log-probabilities, where not all do; found out by the probe
}

// FromEnvironment is what the environment of a program says about servers. backoff is the time before a server is asked
// again, at first; 0 is the default.
func FromEnvironment(p *console.Program, backoff time.Duration) *Servers {
	return &Servers{
		Parallel: "auto",
		patience: server.DefaultPatience,
		Timeout:  server.DefaultTimeout,
		backoff:  backoff,
		lookup:   p.Lookup,
		Log:      slog.New(slog.NewTextHandler(p.Err, nil)),
		Watch:    func(read func() console.Status) (stop func()) { return p.Report(console.ProgressPlain, read) },
	}
}

// AddressFlag adds --server.
func (s *Servers) AddressFlag(flags *pflag.FlagSet) {
	flags.StringVar(&s.Addresses, "server", "", "base `URLS` of the model's servers, separated by commas (default "+
		strings.Join(AddressVariables(), " or ")+")")
}

// Flags adds the flags about servers.
func (s *Servers) Flags(flags *pflag.FlagSet) {
	s.AddressFlag(flags)
	flags.StringVar(&s.Parallel, "parallel", s.Parallel, "sequences in flight at each server: auto or `N`")
	flags.DurationVar(&s.patience, "patience", s.patience, "how long to wait for a server that is down")
	flags.DurationVar(&s.Timeout, "timeout", s.Timeout, "how long one request to a server may take, including "+
		"its queue")
}

// AddressVariables are those of the environment that hold addresses of servers.
func AddressVariables() []string {
	return variables(func(k *Kind) string { return k.AddressVariable })
}

// KeyVariables are those of the environment that hold keys of servers.
func KeyVariables() []string { return variables(func(k *Kind) string { return k.KeyVariable }) }

func variables(of func(*Kind) string) (all []string) {
	for _, k := range server.Kinds() {
		all = append(all, of(k))
	}

	return all
}

// key is what servers of a kind are shown, and no others.
func (s *Servers) key(kind *Kind) string { return s.variable(kind.KeyVariable) }

// variable is one of the environment, "" where nobody told of one.
func (s *Servers) variable(name string) string {
	if s.lookup == nil {
		return ""
	}

	return s.lookup(name)
}

// Running is where a server of a kind runs already, as far as the environment says. The kind is a registered one.
func Running(kind string, lookup func(variable string) string) string {
	k := server.FindKind(kind)
	return cmp.Or(lookup(k.AddressVariable), k.DefaultAddress)
}

// urls are the servers of a kind: those of the command line, of the configuration, of the
// environment, or the default.
func (m *Models) urls(kind *Kind) []string {
	if configured := m.Config.Server.URLs; m.Servers.Addresses == "" && len(configured) > 0 {
		return configured
	}

	return m.Servers.urls(kind)
}

// urls are the servers of a kind, without those of a configuration.
func (s *Servers) urls(kind *Kind) []string {
	urls := strings.Split(cmp.Or(s.Addresses, Running(kind.Name, s.variable)), ",")
	for i := range urls {
		urls[i] = strings.TrimSpace(urls[i])
	}

	return urls
}

// Check refuses flags that make no sense.
func (s *Servers) Check() error {
	if s.Timeout <= 0 {
		return console.Usage("--timeout %v: want how long a request may take, such as 10m", s.Timeout)
	}

	if s.patience < 0 {
		return console.Usage("--patience %v: want how long to wait, or 0 not to wait", s.patience)
	}

	_, err := s.limit()

	return err
}

// Exposed reports whether credentials stand on the command line, where every user of the machine can read them.
func (s *Servers) Exposed() bool {
	return slices.ContainsFunc(strings.Split(s.Addresses, ","), func(address string) bool {
		_, rest, _ := strings.Cut(address, "://")
		authority, _, _ := strings.Cut(rest, "/")
		_, query, _ := strings.Cut(rest, "?")
		_, hidden := withoutSecrets(query)

		return strings.Contains(authority, "@") || hidden
	})
}

// retry is how long servers are waited for.
func (s *Servers) retry() server.Retry {
	r := server.Retry{Base: s.backoff, Patience: s.patience}
	if s.patience == 0 {
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
		return server.Limit{}, console.Usage("--parallel %s: want auto, or a number of at least 1", s.Parallel)
	}

	return server.Limit{Sequences: n}, nil
}

// Arguments are the flags about servers that a resumed run needs again, credentials left out.
func (s *Servers) Arguments() []string {
	var args []string

	if s.Addresses != "" {
		list := strings.Split(s.Addresses, ",")
		for i, server := range list {
			list[i] = withoutCredentials(strings.TrimSpace(server))
		}

		args = append(args, "--server", strings.Join(list, ","))
	}

	if s.Parallel != "auto" {
		args = append(args, "--parallel", s.Parallel)
	}

	if s.patience != server.DefaultPatience {
		args = append(args, "--patience", s.patience.String())
	}

	if s.Timeout != server.DefaultTimeout {
		args = append(args, "--timeout", s.Timeout.String())
	}

	return args
}

// withoutSecrets puts SECRET where a query has what may be a key.
func withoutSecrets(query string) (shown string, hidden bool) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return "SECRET", true
	}

	for name := range values {
		if server.IsSecretParameter(name) {
			values[name], hidden = []string{"SECRET"}, true
		}
	}

	return values.Encode(), hidden
}

// withoutCredentials puts USER:PASSWORD, and SECRET in the query, where a server's address has any.
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

	if bare, query, found := strings.Cut(rest, "?"); found {
		query, _ = withoutSecrets(query)
		rest = bare + "?" + query
	}

	if u.User == nil {
		return scheme + rest
	}

	authority, _, _ := strings.Cut(rest, "/")

	return scheme + "USER:PASSWORD@" + rest[strings.LastIndex(authority, "@")+1:]
}

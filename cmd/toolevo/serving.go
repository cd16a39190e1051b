package main

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/mcts"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/prompt"
	"toolevo/mcts/policy/scripted"
	"toolevo/mcts/policy/server"
)

// The kinds of policies.
const (
	kindScripted = "scripted"
	kindOpenAI   = "openai"
	kindOllama   = "ollama"
)

// defaultServer is where vLLM listens when nobody says otherwise. It is this machine: nothing calls home by itself.
const defaultServer = "http://127.0.0.1:8000/v1"

// serving says where models are and how hard to drive them. It changes no result, so it is not a setting of a run.
type serving struct {
	servers   string // base URLs, separated by commas; "" means OPENAI_BASE_URL or OLLAMA_HOST
	parallel  string // "auto", or sequences in flight at each server
	patience  time.Duration
	timeout   time.Duration // of one request
	backoff   time.Duration // before a server is asked again, at first; 0 is the default
	apiKey    string
	ollamaKey string
	log       *slog.Logger
	// shows what servers are asked for before a run starts; nil shows nothing
	watch func(read func() console.Status) (stop func())

	openAIURL, ollamaHost string // from the environment

	scored bool // the Ollama servers are of a version that gives log-probabilities; found out by the probe
}

// servingFlags adds the flags about servers.
func (a *app) servingFlags(cmd *cobra.Command) *serving {
	s := a.serving()
	flags := cmd.Flags()
	flags.StringVar(&s.servers, "server", "", "base `URLS` of the model's servers, separated by commas (default "+
		"OPENAI_BASE_URL or OLLAMA_HOST)")
	flags.StringVar(&s.parallel, "parallel", s.parallel, "sequences in flight at each server: auto or `N`")
	flags.DurationVar(&s.patience, "patience", s.patience, "how long to wait for a server that is down")
	flags.DurationVar(&s.timeout, "timeout", s.timeout, "how long one request to a server may take, including "+
		"its queue")

	return s
}

// serving is what the environment says about servers.
func (a *app) serving() *serving {
	return &serving{
		parallel:   "auto",
		patience:   server.DefaultPatience,
		timeout:    server.DefaultTimeout,
		apiKey:     a.Lookup("OPENAI_API_KEY"),
		ollamaKey:  a.Lookup("OLLAMA_API_KEY"),
		openAIURL:  a.Lookup("OPENAI_BASE_URL"),
		ollamaHost: a.Lookup("OLLAMA_HOST"),
		backoff:    a.backoff,
		log:        slog.New(slog.NewTextHandler(a.Err, nil)),
		watch:      func(read func() console.Status) (stop func()) { return a.Report(console.ProgressPlain, read) },
	}
}

// key is what servers of a kind are shown; OpenAI's is shown to no other kind.
func (s *serving) key(kind string) string {
	if kind == kindOllama {
		return s.ollamaKey
	}

	return s.apiKey
}

// urls are the servers of a kind.
func (s *serving) urls(kind string) []string {
	list := s.servers
	switch {
	case list != "":
	case kind == kindOllama:
		return []string{s.ollamaHost} // the backend knows Ollama's own default
	case s.openAIURL != "":
		list = s.openAIURL
	default:
		list = defaultServer
	}

	urls := strings.Split(list, ",")
	for i := range urls {
		urls[i] = strings.TrimSpace(urls[i])
	}

	return urls
}

// check refuses flags that make no sense.
func (s *serving) check() error {
	if s.timeout <= 0 {
		return console.Usage("--timeout %v: want how long a request may take, such as 10m", s.timeout)
	}

	if s.patience < 0 {
		return console.Usage("--patience %v: want how long to wait, or 0 not to wait", s.patience)
	}

	_, err := s.limit()

	return err
}

// warnExposed warns about credentials on the command line, where every user of the machine can read them.
func (a *app) warnExposed(s *serving) {
	exposed := func(address string) bool {
		_, rest, _ := strings.Cut(address, "://")
		authority, _, _ := strings.Cut(rest, "/")
		return strings.Contains(authority, "@")
	}
	if slices.ContainsFunc(strings.Split(s.servers, ","), exposed) {
		a.Say("Every user of this machine can read the credentials in --server in the list of processes:\n" +
			"give the address in OPENAI_BASE_URL or OLLAMA_HOST, or a key in OPENAI_API_KEY or OLLAMA_API_KEY.")
	}
}

// retry is how long servers are waited for.
func (s *serving) retry() server.Retry {
	r := server.Retry{Base: s.backoff, Patience: s.patience}
	if s.patience == 0 {
		r.Patience = -1 // its 0 is the default
	}

	return r
}

func (s *serving) limit() (server.Limit, error) {
	if s.parallel == "auto" {
		return server.Limit{}, nil
	}

	n, err := strconv.Atoi(s.parallel)
	if err != nil || n < 1 {
		return server.Limit{}, console.Usage("--parallel %s: want auto, or a number of at least 1", s.parallel)
	}

	return server.Limit{Sequences: n}, nil
}

// checkPolicy refuses a policy's name that means nothing, and a form of asking that its server does not have.
func checkPolicy(c *configs.Resolved, name string) error {
	kind, which, _ := strings.Cut(name, ":")
	switch kind {
	case kindScripted:
		_, err := scripted.ParseProfile(which)
		return err
	case kindOpenAI, kindOllama:
		if which == "" {
			return fmt.Errorf("policy %q names no model: want %s:MODEL", name, kind)
		}

		return checkForm(c.Server, kind)
	}

	if kind == "vllm" {
		return fmt.Errorf("unknown policy %q, did you mean %s:%s? vLLM speaks its protocol", name, kindOpenAI,
			cmp.Or(which, "MODEL"))
	}

	return names.Unknown("policy", name, policyNames())
}

// policyNames lists what policies are called.
func policyNames() []string {
	all := []string{kindOpenAI + ":MODEL", kindOllama + ":MODEL"}
	for _, p := range scripted.Profiles() {
		all = append(all, kindScripted+":"+p.Name)
	}

	return all
}

func checkForm(c configs.Server, kind string) error {
	switch c.Form {
	case configs.FormFewShot:
		_, err := prompt.ParseLayout(c.Layout)
		return err
	case configs.FormChat:
		if kind == kindOllama {
			return fmt.Errorf("server.form chat: Ollama gets raw text, so that it cuts no prompt silently: want " +
				"few-shot or a chat template")
		}

		return nil
	}

	if _, err := chat.ParseTemplate(c.Form); err != nil {
		return fmt.Errorf("server.form: %w, few-shot, chat", err)
	}

	return nil
}

// policy returns the policy of a name. What it opens, b.close closes.
func (b *bench) policy(name string) (mcts.Policy, error) {
	kind, which, _ := strings.Cut(name, ":")
	if kind == kindScripted {
		profile, err := scripted.ParseProfile(which)
		if err != nil {
			return nil, err
		}

		profile.NoUpdateTool, profile.Codec = !b.config.Environment.UpdateTool, b.config.Codec()

		return scripted.New(profile, plan(b.benchmark)), nil
	}

	if p, ok := b.servers[name]; ok {
		return p, nil
	}

	options, err := b.serverOptions(kind, which)
	if err != nil {
		return nil, err
	}

	p, err := server.New(options)
	if err != nil {
		return nil, err
	}

	b.servers[name] = p

	return p, nil
}

// serverOptions says what to ask and how.
func (b *bench) serverOptions(kind, model string) (server.Options, error) {
	c := b.config.Server

	sent, err := b.sent(kind)
	if err != nil {
		return server.Options{}, err
	}

	o := server.Options{
		Render: sent.render, Messages: sent.messages,
		Sampling: c.Sampling, LogProbs: c.LogProbs && (kind == kindOpenAI || b.serving.scored),
		Single: kind == kindOllama, Retry: b.serving.retry(), Timeout: b.serving.timeout, Log: b.serving.log,
	}

	o.Sampling.Stop = slices.Concat(sent.stops, b.config.Codec().Stop(), c.Sampling.Stop)
	if o.Limit, err = b.serving.limit(); err != nil {
		return server.Options{}, err
	}

	o.Backends, err = b.backends(kind, model, sent.addSpecial)

	return o, err
}

// onServers reports whether a policy of the configuration is a model on a server.
func (b *bench) onServers() bool {
	return slices.ContainsFunc(b.config.Policy,
		func(name string) bool { return !strings.HasPrefix(name, kindScripted+":") })
}

func (b *bench) backends(kind, model string, addSpecial bool) ([]server.Backend, error) {
	c := b.config.Server
	var all []server.Backend

	for _, url := range b.serving.urls(kind) {
		var backend server.Backend

		var err error
		if kind == kindOllama {
			backend, err = ollama.New(ollama.Options{
				Host:      url,
				APIKey:    b.serving.key(kind),
				Model:     model,
				Window:    c.Window,
				KeepAlive: -1,
				Timeout:   b.serving.timeout,
				Ends:      c.Ends,
			})
		} else {
			o := openai.Options{
				BaseURL:      url,
				APIKey:       b.serving.key(kind),
				Model:        model,
				Chat:         c.Form == configs.FormChat,
				Extensions:   c.Extensions,
				OmitLogProbs: !c.LogProbs,
				Timeout:      b.serving.timeout,
				Ends:         c.Ends,
			}
			if c.Extensions && c.Form != configs.FormChat {
				o.AddSpecialTokens = &addSpecial
			}

			backend, err = openai.New(o)
		}

		if err != nil {
			return nil, err
		}

		all = append(all, backend)
	}

	return all, nil
}

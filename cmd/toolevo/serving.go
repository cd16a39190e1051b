package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/policy"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
	"toolevo/toolqa/questions"
)

// The kinds of policies.
const (
	kindScripted = "scripted"
	kindOpenAI   = "openai"
	kindOllama   = "ollama"
)

// defaultServer is where vLLM listens when nobody says otherwise. It is this machine: nothing calls home by itself.
const defaultServer = "http://127.0.0.1:8000/v1"

// probeTime bounds the look at a server before a run starts.
const probeTime = 5 * time.Second

// serving says where models are and how hard to drive them. It changes no result, so it is no setting of a run.
type serving struct {
	servers  string // base URLs, separated by commas; "" means OPENAI_BASE_URL or OLLAMA_HOST
	parallel string // "auto", or sequences in flight at each server
	patience time.Duration
	apiKey   string
	log      *slog.Logger

	openAIURL, ollamaHost string // from the environment
}

// servingFlags adds the flags about servers.
func (a *app) servingFlags(cmd *cobra.Command) *serving {
	s := a.serving()
	flags := cmd.Flags()
	flags.StringVar(&s.servers, "server", "", "base `URLS` of the model's servers, separated by commas (default OPENAI_BASE_URL or OLLAMA_HOST)")
	flags.StringVar(&s.parallel, "parallel", s.parallel, "sequences in flight at each server: auto or `N`")
	flags.DurationVar(&s.patience, "patience", s.patience, "how long to wait for a server that went away")
	return s
}

// serving is what the environment says about servers.
func (a *app) serving() *serving {
	return &serving{
		parallel: "auto", patience: 15 * time.Minute, apiKey: a.lookup("OPENAI_API_KEY"),
		openAIURL: a.lookup("OPENAI_BASE_URL"), ollamaHost: a.lookup("OLLAMA_HOST"),
		log: slog.New(slog.NewTextHandler(a.err, nil)),
	}
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

func (s *serving) limit() (server.Limit, error) {
	if s.parallel == "auto" {
		return server.Limit{}, nil
	}
	n, err := strconv.Atoi(s.parallel)
	if err != nil || n < 1 {
		return server.Limit{}, usage("--parallel %s: want auto, or a number from 1", s.parallel)
	}
	return server.Limit{Sequences: n}, nil
}

// checkPolicy refuses a policy's name that means nothing, and a form of asking that its server does not have.
func checkPolicy(c *configs.Resolved, name string) error {
	kind, which, _ := strings.Cut(name, ":")
	switch kind {
	case kindScripted:
		_, err := policy.ParseProfile(which)
		return err
	case kindOpenAI, kindOllama:
		if which == "" {
			return fmt.Errorf("policy %q names no model: want %s:MODEL", name, kind)
		}
		return checkForm(c.Server, kind)
	}
	return fmt.Errorf("unknown policy %q: valid are openai:MODEL, ollama:MODEL, scripted:reader, scripted:stale, scripted:noisy", name)
}

func checkForm(c configs.Server, kind string) error {
	switch c.Form {
	case configs.FormFewShot:
		_, err := policy.ParseLayout(c.Layout)
		return err
	case configs.FormChat:
		if kind == kindOllama {
			return fmt.Errorf("server.form chat: Ollama is asked in raw text, so that no prompt is cut in silence: want few-shot or a chat template")
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
		profile, err := policy.ParseProfile(which)
		if err != nil {
			return nil, err
		}
		profile.NoUpdateTool = !b.config.Environment.UpdateTool
		return policy.NewScripted(profile, questions.Plan), nil
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

// serverOptions says what to ask and how: the form decides what a history becomes.
func (b *bench) serverOptions(kind, model string) (server.Options, error) {
	c := b.config.Server
	prompt, err := b.prompt()
	if err != nil {
		return server.Options{}, err
	}
	prompt.Shots = c.Shots
	if prompt.Layout, err = policy.ParseLayout(c.Layout); err != nil {
		return server.Options{}, err
	}
	clean, err := chat.NewSanitizer()
	if err != nil {
		return server.Options{}, err
	}
	o := server.Options{
		Sampling: c.Sampling, LogProbs: c.LogProbs && kind == kindOpenAI, Retry: server.Retry{Patience: b.serving.patience}, Log: b.serving.log,
	}
	prompt.Clean = clean.Clean
	o.Sampling.Stop = append([]string{policy.StopMarker}, c.Sampling.Stop...)
	if o.Limit, err = b.serving.limit(); err != nil {
		return server.Options{}, err
	}
	addSpecial := true // a plain prompt has no beginning-of-text token of its own
	switch c.Form {
	case configs.FormFewShot:
		o.Render = prompt.Render
	case configs.FormChat:
		o.Messages = func(h envs.History) []server.Message { return messages(chat.Messages(prompt.System(), h, clean)) }
	default:
		template, err := chat.ParseTemplate(c.Form)
		if err != nil {
			return server.Options{}, err
		}
		system := prompt.System()
		addSpecial = template.AddSpecialTokens()
		o.Sampling.Stop = append(template.Stops(), c.Sampling.Stop...)
		o.Render = func(h envs.History) string {
			text := template.Render(system, h, clean)
			if kind == kindOllama {
				text = strings.TrimPrefix(text, template.BOS()) // Ollama puts it there itself
			}
			return text
		}
	}
	o.Backends, err = b.backends(kind, model, addSpecial)
	return o, err
}

// onServers reports whether a policy of the configuration is a model on a server.
func (b *bench) onServers() bool {
	return slices.ContainsFunc(b.config.Policy, func(name string) bool { return !strings.HasPrefix(name, kindScripted+":") })
}

func messages(from []chat.Message) []server.Message {
	to := make([]server.Message, len(from))
	for i, m := range from {
		to[i] = server.Message{Role: m.Role, Content: m.Content}
	}
	return to
}

func (b *bench) backends(kind, model string, addSpecial bool) ([]server.Backend, error) {
	c := b.config.Server
	var all []server.Backend
	for _, url := range b.serving.urls(kind) {
		var backend server.Backend
		var err error
		if kind == kindOllama {
			backend, err = ollama.New(ollama.Options{Host: url, APIKey: b.serving.apiKey, Model: model, Window: c.Window, KeepAlive: -1})
		} else {
			o := openai.Options{
				BaseURL: url, APIKey: b.serving.apiKey, Model: model, Chat: c.Form == configs.FormChat, Extensions: c.Extensions, OmitLogProbs: !c.LogProbs,
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

// probe looks at every server of the configuration before a run starts: one that does not answer, refuses the key, or
// does not have the model would only be found after the run directory was made.
func (b *bench) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	for _, name := range b.config.Policy {
		kind, model, _ := strings.Cut(name, ":")
		if kind == kindScripted {
			continue
		}
		backends, err := b.backends(kind, model, true)
		if err != nil {
			return err
		}
		for _, backend := range backends {
			if err := probe(ctx, backend, model); err != nil {
				return gaveUp(err)
			}
		}
	}
	return nil
}

func probe(ctx context.Context, backend server.Backend, model string) error {
	var have []string
	var err error
	switch s := backend.(type) {
	case *openai.Backend:
		var models []openai.Model
		models, err = s.Models(ctx)
		for _, m := range models {
			have = append(have, m.ID)
		}
	case *ollama.Backend:
		have, err = s.Models(ctx)
	}
	var fault *server.Fault
	switch {
	case errors.As(err, &fault) && fault.Status == 404:
		return nil // a server that does not list its models may still have this one
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s does not answer within %v: start the server, or name another with --server", backend.Address(), probeTime)
	case err != nil:
		return fmt.Errorf("%w: start the server, or name another with --server; a key is taken from OPENAI_API_KEY", err)
	}
	if !slices.Contains(have, model) && !slices.Contains(have, model+":latest") {
		return fmt.Errorf("%s does not serve %q; it serves %s", backend.Address(), model, orNone(strings.Join(have, ", ")))
	}
	return nil
}

// load is the part of the progress line about servers, "" without any.
func (b *bench) load() func() string {
	var before server.Counts
	last := time.Now()
	text := ""
	return func() string {
		if len(b.servers) == 0 {
			return ""
		}
		if since := time.Since(last).Seconds(); since >= 1 {
			var now server.Counts
			var load server.Load
			for _, p := range b.servers {
				s := p.Snapshot()
				now.CompletionTokens += s.CompletionTokens
				now.PromptTokens += s.PromptTokens
				now.CachedTokens += s.CachedTokens
				load.InFlight += s.InFlight
				load.Waiting += s.Waiting
				load.Busy += s.Busy
				load.Idle += s.Idle
			}
			cached := 0.0
			if now.PromptTokens > 0 {
				cached = 100 * float64(now.CachedTokens) / float64(now.PromptTokens)
			}
			text = fmt.Sprintf("; tok/s %.0f in %.0f out, %d seq +%d waiting, %.0f%% cached, server idle %.0f%%",
				float64(now.PromptTokens-before.PromptTokens)/since, float64(now.CompletionTokens-before.CompletionTokens)/since,
				load.InFlight, load.Waiting, cached, 100*(1-load.Utilization()))
			before, last = now, time.Now()
		}
		return text
	}
}

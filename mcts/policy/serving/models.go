package serving

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/mcts"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/prompt"
	"toolevo/mcts/policy/scripted"
	"toolevo/mcts/policy/server"
)

// Scripted is the kind of the policies that need no server.
const Scripted = mcts.Scripted

// Models are the policies that a configuration names. They are not safe for concurrent use; the
// policies are.
type Models struct {
	Config    *configs.Resolved
	Benchmark suite.Benchmark
	Data      string           // the folder whose demonstrations prompts show; may be ""
	Versions  *toolapi.Catalog // that prompts may show
	Servers   *Servers

	// Plans has the solutions that scripted policies follow; see [suite.Planner].
	Plans func(question string) (envs.Plan, bool)

	// NoPriors says that the run does not use log-probabilities: servers may have none.
	NoPriors bool

	open map[string]opened // on servers, by name
}

// New returns the models of a configuration. It opens none yet, and has no Plans until they are
// set.
func New(c *configs.Resolved, b suite.Benchmark, versions *toolapi.Catalog, s *Servers) *Models {
	return &Models{
		Config: c, Benchmark: b, Versions: versions, Servers: s, Plans: suite.Plans(nil),
		open: map[string]opened{},
	}
}

// Under returns the models of another configuration, on the same servers.
func (m *Models) Under(c *configs.Resolved) *Models {
	other := *m
	other.Config = c
	return &other
}

// Close closes the policies that were opened.
func (m *Models) Close() (err error) {
	for _, p := range m.open {
		err = errors.Join(err, p.Close())
	}
	return err
}

// Snapshots returns the counts of the policies on servers, by their names.
func (m *Models) Snapshots() map[string]server.Snapshot {
	all := map[string]server.Snapshot{}
	for name, p := range m.open {
		all[name] = p.Snapshot()
	}
	return all
}

// CheckPolicy rejects a policy's name without a meaning, and a form of asking that its server does
// not have.
func CheckPolicy(c *configs.Resolved, name string) error {
	// Scripts and external policies come first: they have no server whose kind could be looked up.
	kind, which := splitName(name)
	switch kind {
	case Scripted:
		if b := BaselineOf(name); b == Documents || b == Rules {
			return fmt.Errorf("policy %q: a script reads no prompt, so that %s are nothing to it", name, b)
		}

		_, err := scripted.ParseProfile(which)
		return err
	case configs.External:
		if which == "" {
			return fmt.Errorf("policy %q has no name: want %s:NAME", name, kind)
		}
		return nil
	}

	if k := server.FindKind(kind); k != nil {
		if which == "" {
			return fmt.Errorf("policy %q names no model: want %s:MODEL", name, kind)
		}
		return checkForm(c, k)
	}

	// Users name the server they run, which may speak the protocol of another kind.
	if k := Speaking(kind); k != nil {
		return fmt.Errorf("unknown policy %q, did you mean %s:%s? %s speaks its protocol", name, k.Name,
			cmp.Or(which, "MODEL"), kind)
	}

	return names.Unknown("policy", name, PolicyNames())
}

// kindOf returns the kind of a model on servers.
func kindOf(name string) (*Kind, error) {
	if k := server.FindKind(name); k != nil {
		return k, nil
	}
	return nil, names.Unknown("kind of servers", name, server.KindNames())
}

// IsKnowing reports whether the policy of a name knows what no agent may; see [scripted.Profile].
func IsKnowing(name string) bool {
	kind, which := splitName(name)
	profile, err := scripted.ParseProfile(which)
	return kind == Scripted && err == nil && profile.Knowing
}

// PolicyNames lists what policies are called.
func PolicyNames() []string {
	all := server.Models()
	for _, p := range scripted.Profiles() {
		all = append(all, Scripted+":"+p.Name)
	}
	return all
}

func checkForm(c *configs.Resolved, kind *Kind) error {
	form := c.Server.Form
	native := action.IsNative(c.Environment.ActionCodec())

	if c.Server.TokenIDs && !(kind.TokenIDs && c.Server.LogProbs && c.Server.Extensions) {
		return errors.New("server.token_ids: only vLLM reports token ids: want a policy openai:MODEL, " +
			"server.logprobs and server.extensions")
	}

	if c.Server.Tools.Ask == server.AskTokens && form != configs.FormChat {
		return fmt.Errorf("server.tools.ask: %s are made of messages: want server.form %s", server.AskTokens,
			configs.FormChat)
	}

	switch form {
	case configs.FormFewShot:
		if native {
			return fmt.Errorf("server.form: %s shows no tools as templates do (environment.codec): want %s, qwen "+
				"or qwen3_nothink", form, configs.FormChat)
		}

		// The only form with a layout, which no other has to get right.
		_, err := prompt.ParseLayout(c.Server.Layout)
		return err
	case configs.FormChat:
		// The template is the server's own here, so whether it holds tools is not checked.
		if kind.NoMessages != "" {
			return fmt.Errorf("server.form chat: %s: want few-shot or a chat template", kind.NoMessages)
		}
		return nil
	}

	template, err := chat.ParseTemplate(form)
	if err != nil {
		return fmt.Errorf("server.form: %w, few-shot, chat", err)
	}

	// A server looks for calls only in replies to messages, not in those to a raw text.
	if native && (!template.ShowsTools() || c.Server.Tools.Calls == server.CallsOfServer) {
		return fmt.Errorf("server.form: %s has no place for tools, or the server finds no calls in it "+
			"(environment.codec, server.tools.calls): want %s, or qwen or qwen3_nothink with one of our parsers", form,
			configs.FormChat)
	}

	if c.Environment.ActionCodec() == (action.FunctionCall{}) && !template.HoldsCalls() {
		return fmt.Errorf("server.form: %s has no form for function calls (environment.codec)", form)
	}
	return nil
}

// Policy returns the policy of a name, without its baseline: one for all, whose prompts say what a
// history says of its agent. Close closes what it opens.
func (m *Models) Policy(name string) (mcts.Policy, error) {
	name, _ = cutBaseline(name)
	kind, which := splitName(name)

	// A script is given what a model reads from its prompt.
	if kind == Scripted {
		profile, err := scripted.ParseProfile(which)
		if err != nil {
			return nil, err
		}

		profile.NoUpdateTool, profile.Codec = !m.Config.Environment.UpdateTool, m.Config.Environment.ActionCodec()
		return scripted.New(profile, m.Plans), nil
	}

	if configs.IsExternal(name) {
		return nil, fmt.Errorf("the policy %s plays by itself, against `toolevo serve env`", name)
	}

	// Shared by agents of all baselines: a server has one limit, and is down for all of them.
	if p, ok := m.open[name]; ok {
		return p.Policy, nil
	}

	k, err := kindOf(kind)
	if err != nil {
		return nil, err
	}

	options, err := m.Options(kind, which)
	if err != nil {
		return nil, err
	}

	p, err := server.New(options)
	if err != nil {
		return nil, err
	}

	f, err := m.follower(p, k, which)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}

	m.open[name] = opened{p, f.start()}
	return p, nil
}

// PolicyIn returns the policy of a name, with its baseline, for episodes in an environment; see
// [scripted.Policy.In]. version is the one that a question meets there.
func (m *Models) PolicyIn(name string, env envs.Environment, version func(question string) string) (
	mcts.Policy, error) {
	p, err := m.Policy(name)
	if script, ok := p.(*scripted.Policy); ok {
		p = script.In(env)
	}

	if BaselineOf(name) == "" || err != nil {
		return p, err
	}
	return &baselined{p, m, name, version}, nil
}

// Options says what to ask and how.
func (m *Models) Options(kind, model string) (server.Options, error) {
	c := m.Config.Server

	k, err := kindOf(kind)
	if err != nil {
		return server.Options{}, err
	}

	sent, err := m.Sent()
	if err != nil {
		return server.Options{}, err
	}

	// Log-probabilities count as promised only if all servers are of a version that gives them,
	// which the probe finds out: a reply without them is a fault then.
	o := server.Options{
		Render: sent.Render, Lead: sent.lead, Messages: sent.Messages, Tools: sent.Tools(),
		MostCalls: m.Config.Environment.ParallelCalls,
		ReadCalls: sent.readCalls(c), ServerCalls: sent.callsOfServer(c), Break: sent.clean,
		Reasoning: m.Config.Reasoning(),
		Sampling:  c.Sampling, LogProbs: c.LogProbs && (k.ScoredSince == "" || m.Servers.scored),
		TokenIDs: c.TokenIDs,
		Unneeded: m.NoPriors, LeaveOut: c.LeaveOut, Single: k.Single, AllTaken: k.AllTaken, Slots: c.Slots,
		Retry: m.Servers.retry(), Timeout: m.Servers.Timeout, Log: m.Servers.Log,
		Account: m.Servers.Account.Of(kind + ":" + model),
	}

	// The stops of a template end a message, wherever they occur. Those of a few-shot prompt are
	// about its content, and end nothing in reasoning.
	if c.Form != configs.FormFewShot {
		o.Closing = sent.stops
	}

	o.Sampling.Stop = slices.Concat(sent.stops, m.Config.Environment.ActionCodec().Stop(), c.Sampling.Stop)
	if o.Limit, err = m.Servers.limit(); err != nil {
		return server.Options{}, err
	}

	o.Backends, err = m.backends(k, model, sent.addSpecial)
	return o, err
}

// OnServers reports whether a policy of the configuration is a model on a server.
func (m *Models) OnServers() bool {
	return slices.ContainsFunc(m.Config.Policy,
		func(name string) bool { return !mcts.IsScripted(name) })
}

// endpoint returns a model on servers of a kind, as a run reaches it, without their addresses.
func (m *Models) endpoint(kind *Kind, model string) (server.Endpoint, error) {
	headers, err := m.Config.Server.Headers.Expand(m.Servers.variable)
	return server.Endpoint{
		APIKey:  m.Servers.key(kind),
		Headers: headers,
		Session: m.Config.Server.Session,
		Model:   model,
		Names:   m.Config.Server.Names,
		Ends:    m.Config.Server.Ends,
		Timeout: m.Servers.Timeout,
		Account: m.Servers.Account.Of(kind.Name + ":" + model),
	}, err
}

// manner returns how requests to servers are written.
func (m *Models) manner(addSpecial bool) server.Manner {
	c := m.Config.Server
	manner := server.Manner{
		Chat: c.Form == configs.FormChat, Tools: c.Tools, Template: c.Template,
		Extensions: c.Extensions, LogProbs: c.LogProbs, TokenIDs: c.TokenIDs, Window: c.Window,
	}

	if c.Extensions && !manner.Chat {
		manner.AddSpecialTokens = &addSpecial
	}
	return manner
}

// opener opens backends of a kind for a model, which they do not ask yet.
func (m *Models) opener(kind *Kind, model string, addSpecial bool) (
	open func(url string) (server.Backend, error), err error) {
	endpoint, err := m.endpoint(kind, model)
	manner := m.manner(addSpecial)

	return func(url string) (server.Backend, error) {
		endpoint := endpoint
		endpoint.URL = url
		return kind.Open(endpoint, manner)
	}, err
}

func (m *Models) backends(kind *Kind, model string, addSpecial bool) ([]server.Backend, error) {
	open, err := m.opener(kind, model, addSpecial)
	if err != nil {
		return nil, err
	}

	urls, err := m.urls(kind)
	if err != nil {
		return nil, err
	}

	var all []server.Backend
	for _, url := range urls {
		backend, err := open(url)
		if err != nil {
			return nil, err
		}
		all = append(all, backend)
	}
	return all, nil
}

package serving

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/envtest/suitetest"
	"toolevo/envs/suite"
	"toolevo/finetune/host"
	"toolevo/mcts"
	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// toy is a kind of server as CONTRIBUTING's recipe makes one. Its protocol: GET /models lists
// names, POST /write completes a text, PUT /models/NAME adds a model.
var toy = &Kind{
	Name: "toy", Title: "Toy", Speak: []string{"toyland"},
	AddressVariable: "TOY_HOST", KeyVariable: "TOY_KEY",
	DefaultAddress: "http://127.0.0.1:7", AddressExample: "http://HOST:7",
	Open: openToy,

	Single:      true,
	NoMessages:  "toys write texts",
	Findings:    []byte("version-old: {verdict: warning, seen: 'Toy %[1]s', run: copes, do: install another}\n"),
	VersionFlaw: func(string, server.Sampling) string { return "version-old" },

	Hosting: server.Hosting{Needs: []string{"{port}"}, Address: "http://127.0.0.1:%s", Publish: publishToy},
}

// toyClient is a model on one server.
type toyClient struct {
	*wire.Link
	base  *url.URL
	model string
}

func openToy(e server.Endpoint, _ server.Manner) (server.Client, error) {
	address, err := wire.ParseAddress(e.URL)
	if err != nil {
		return nil, err
	}

	link, err := wire.NewLink(address, e)
	return toyClient{link, address.URL, e.Model}, err
}

// toyText is what is asked for, and what is written.
type toyText struct {
	Model, Text string
	Tokens      int
}

// call posts a body, or asks for a document where that is nil, and reads the reply.
func (t toyClient) call(ctx context.Context, path string, body, into any) error {
	return t.Do(ctx, wire.Call{
		URL: t.base.JoinPath(path), Body: body,
		Read: func(reply io.Reader) error { return wire.NewDocument(reply).Decode(into) },
		Refused: func(a wire.Answer) *server.Fault {
			return t.StatusFault(a, server.KindOfStatus(a.Status), string(a.Body))
		},
	})
}

func (t toyClient) Complete(ctx context.Context, c server.Completion) (server.Reply, error) {
	var written toyText

	err := t.call(ctx, "write", toyText{t.model, c.Prompt, c.Sampling.MaxTokens}, &written)
	return server.Reply{
		Model: written.Model, PromptTokens: len(c.Prompt), Details: make([]server.Detail, 1),
		Choices: []server.Choice{{
			Text: written.Text, Finish: server.FinishStop, LogProbs: []float64{-1}, Tokens: written.Tokens,
		}},
	}, err
}

func (t toyClient) List(ctx context.Context) (l server.Listing, err error) {
	err = t.call(ctx, "models", nil, &l.Names)
	l.Listed = slices.Contains(l.Names, t.model)
	return l, err
}

func (t toyClient) Serves(_ context.Context, name string) (bool, error) { return name == t.model, nil }

func (t toyClient) Version(context.Context) (string, error) { return "1", nil }

// publishToy has a server take a checkpoint.
func publishToy(ctx context.Context, c server.Checkpoint, e server.Endpoint) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, e.URL+"/models/"+c.Name, http.NoBody)
	if err != nil {
		return err
	}

	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	return reply.Body.Close()
}

// serveToy starts a server with one model, and returns its address. Each of watch sees what is
// asked for.
func serveToy(t *testing.T, watch ...func(toyText)) string {
	t.Helper()

	models := []string{"m"}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			models = append(models, path.Base(r.URL.Path))
		}

		answer := any(models)
		if r.Method == http.MethodPost {
			var asked toyText
			if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
				t.Error(err)
			}

			for _, see := range watch {
				see(asked)
			}

			answer = toyText{asked.Model, "I look. Action: Look", 5}
		}

		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)

	return s.URL
}

// toyModels are the models of a run of the toy suite on a toy server.
func toyModels(t *testing.T, environ ...string) *Models {
	t.Helper()

	var layers []configs.Layer
	for key, value := range map[string]string{
		"suite": "shop", "prompt": "old", "api": "new", "policy": "toy:m", "environment.codec": "react",
	} {
		layers = append(layers, configs.SettingLayer("test", key, value))
	}

	c, err := configs.Load(layers...)
	if err != nil {
		t.Fatal(err)
	}

	versions, err := suitetest.Shop{}.Versions("")
	if err != nil {
		t.Fatal(err)
	}

	m := New(c, suitetest.Shop{}, versions, FromEnvironment(&console.Program{Environ: environ}, 1))

	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})

	return m
}

// A kind that is registered is probed, asked, examined, and hosts checkpoints, and nothing else
// knows its name.
func TestToyKind(t *testing.T) {
	address := serveToy(t)
	m := toyModels(t, "TOY_HOST="+address)

	if err := cmp.Or(CheckPolicy(m.Config, "toy:m"), m.Probe(t.Context()), m.Greet(t.Context(), 2)); err != nil {
		t.Fatal(err)
	}

	policy, err := m.Policy("toy:m")
	if err != nil {
		t.Fatal(err)
	}

	written, err := policy.Propose(t.Context(), mcts.Request{History: envs.NewHistory(envs.Task{Question: "?"}), N: 2})
	if err != nil || len(written) != 2 || !strings.HasSuffix(written[0].Text, "Action: Look") {
		t.Errorf("%+v, %v", written, err)
	}

	targets, err := m.Targets()
	if err != nil || len(targets) != 1 {
		t.Fatal(targets, err)
	}

	o := targets[0].Options
	o.Quick = true

	report, err := doctor.Examine(t.Context(), o)
	if c, _ := report.Check(doctor.Version); err != nil || c.Do != "install another" || report.Kind != "toy" {
		t.Errorf("%+v, %v", report, err)
	}

	served, err := host.Server{Kind: "toy", Wait: 5}.Serve(t.Context(), host.Checkpoint{Name: "mine"}, address, "")
	if err != nil || served.Policy != "toy:mine" {
		t.Errorf("%+v, %v", served, err)
	}
}

// A server that says nothing is given up after the time that was set, and the error says that time.
func TestProbeTime(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	}))
	defer silent.Close()

	m := toyModels(t, "TOY_HOST="+silent.URL)
	m.Servers.ProbeTime = 10 * time.Millisecond

	if err := m.Probe(t.Context()); err == nil || !strings.Contains(err.Error(), "within 10ms:") {
		t.Errorf("error %v", err)
	}
}

// What people write for a kind, and what its servers lack, is said by what the kind itself says.
func TestToyKindInMessages(t *testing.T) {
	m := toyModels(t, "TOY_HOST=http://127.0.0.1:1")
	_, other := m.Writer("toy:m", suite.WriterOptions{MaxTokens: 1})

	for want, err := range map[string]error{
		"did you mean toy:m":        CheckPolicy(m.Config, "toyland:m"),
		"names no model: want toy:": CheckPolicy(m.Config, "toy:"),
		"chat template alone":       other,
		"start the server":          m.Probe(t.Context()),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

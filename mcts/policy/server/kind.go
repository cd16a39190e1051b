package server

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Kind is a kind of model server: the protocol that it speaks, what sets it apart from others, and
// how it serves a checkpoint. The fields up to Open are needed.
type Kind struct {
	Name  string // of the protocol: policies on such servers are called NAME:MODEL
	Title string // of the server whose protocol it is, for people
	// Speak are names of servers that speak the protocol, which people may take for its own.
	Speak []string

	// AddressVariable and KeyVariable are the variables of the environment that hold the addresses
	// of such servers, separated by commas, and the key that is sent to them, and to no others.
	AddressVariable, KeyVariable string
	DefaultAddress               string // of a server on this machine, unless another is given
	AddressExample               string // what addresses look like, for people

	// Open returns a model on one server. It sends nothing.
	Open func(Endpoint, Manner) (Client, error)
	// Embed returns an embedding model on one server; nil if the protocol has none. It sends
	// nothing.
	Embed func(Endpoint, Retry) (Embedder, error)

	Single        bool   // a request draws one sample
	AllTaken      bool   // see Options.AllTaken
	NoMessages    string // why such servers are sent no messages, only text; "" where they may be
	TokenIDs      bool   // servers may tell the ids of tokens
	Unlisted      bool   // a server may have a model that it does not list
	ScoredSince   string // the first version that gives log-probabilities; "" is every one
	OwnDefaults   bool   // sampling parameters that are not sent are not neutral, and known not to be
	PromptPerSlot bool   // each slot keeps the prompt that it had last, and the server may not tell how many there are

	// Findings are the doctor's findings about such servers, in the form of its own; where both
	// have one, the fields here replace those of the doctor's. VersionFlaw names the finding about
	// a version, or ""; it may be nil.
	Findings    []byte
	VersionFlaw func(version string, s Sampling) string

	Hosting Hosting
}

// Manner is how requests to a server are written, as far as that concerns its kind.
type Manner struct {
	Chat             bool  // the server applies the chat template to messages
	Extensions       bool  // vLLM's own fields are sent
	TokenIDs         bool  // the ids of tokens are asked for
	LogProbs         bool  // log-probabilities are asked for
	AddSpecialTokens *bool // whether the server puts special tokens before a prompt; nil is its default
	Tools            ToolCalls
	Template         TemplateArguments
	Window           int // tokens with which the server should load the model, if it can be asked to
}

// Client is a backend that also reports on its server. It may be an [Observer], [Slotted], a
// [Describer] and a [Loader] besides.
type Client interface {
	Backend
	Namer
	Version(ctx context.Context) (string, error) // "" when the server does not say
	List(ctx context.Context) (Listing, error)   // the cheapest request there is that needs the key
	Close()
}

// Describer is a client whose server says more about the model than its list of models does.
type Describer interface {
	Describe(ctx context.Context, l *Listing) error
}

// Loader is a client whose server loads models for requests.
type Loader interface {
	// Loaded returns the window with which the model is loaded, 0 if it is not or the server does
	// not say, and until when it stays loaded without a request.
	Loaded(ctx context.Context) (window int, until time.Time, err error)
}

// Listing is what a server reports about its models. Zero values are what it does not report.
type Listing struct {
	Names     []string // of all models
	Listed    bool     // the model is among them
	MayServe  bool     // the server may have the model, although its list does not name it so
	Window    int      // tokens of the context window that requests have
	Trained   int      // tokens of the window that the model was trained with
	Remote    string   // the machine that the model really runs on
	Misplaced string   // the finding that says why another kind is the right one for the server

	Parameters int64 // of the model
	Bits       int   // of a parameter
}

// Embedder returns the vectors of texts, in their order.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	Model() string
	Address() string // of its server, without credentials
	Close()
}

// Checkpoint is a model in a folder that is to be served.
type Checkpoint struct {
	Folder   string // of the weights
	Name     string // by which the model is asked for
	Template string // the chat template it was trained with; "" is an unknown one

	NativeCalls bool // it was trained on native calls, which a server may have to be told to find
}

// Hosting is how servers of a kind serve a checkpoint.
type Hosting struct {
	// Needs are the places that a command which starts a server must hold, each in braces.
	Needs []string
	// Address is where a server is that was started on a port of this machine; %s is the port.
	Address string
	// Publish has a running server take a checkpoint as a model of its own; nil where a server
	// serves what it was started with. Of the endpoint only what leads to the server counts.
	Publish func(ctx context.Context, c Checkpoint, e Endpoint) error
	// Adapt has a running server load the adapter in a checkpoint's folder beside its base model;
	// nil where no such server can.
	Adapt func(ctx context.Context, c Checkpoint, e Endpoint) error
}

// kinds are the registered ones, in their order.
var kinds []*Kind

// Register adds a kind of server. Call it while a program starts: no lock guards it.
func Register(k *Kind) {
	if FindKind(k.Name) != nil {
		panic(fmt.Sprintf("server: the kind %s is registered twice", k.Name))
	}

	kinds = append(kinds, k)
}

// Kinds lists the registered kinds, in their order.
func Kinds() []*Kind { return slices.Clone(kinds) }

// AddressVariables are those of the environment that hold addresses of servers.
func AddressVariables() []string {
	return variables(func(k *Kind) string { return k.AddressVariable })
}

// KeyVariables are those of the environment that hold keys of servers.
func KeyVariables() []string { return variables(func(k *Kind) string { return k.KeyVariable }) }

func variables(variable func(*Kind) string) (all []string) {
	for _, k := range kinds {
		all = append(all, variable(k))
	}
	return all
}

// FindKind returns the kind of a name, or nil.
func FindKind(name string) *Kind {
	for _, k := range kinds {
		if k.Name == name {
			return k
		}
	}

	return nil
}

// KindNames lists the names of the kinds.
func KindNames() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Name
	}
	return names
}

// Models lists what policies on servers are called, e.g. "openai:MODEL".
func Models() []string {
	all := KindNames()
	for i := range all {
		all[i] += ":MODEL"
	}
	return all
}

// Scored reports whether servers of a version give log-probabilities. A version that is not a
// release does not promise them where not all do.
func (k *Kind) Scored(version string) bool {
	return k.ScoredSince == "" || isRelease(version) && !Before(version, k.ScoredSince)
}

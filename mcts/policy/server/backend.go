package server

import (
	"context"
	"net/http"
	"time"

	"toolevo/mcts/account"
	"toolevo/mcts/policy/chat"
)

// Backend is one inference server. Implementations are safe for concurrent use.
type Backend interface {
	// Complete draws c.N samples. The error is a *Fault, or the context's.
	Complete(ctx context.Context, c Completion) (Reply, error)
	// Address names the server in reports, without credentials.
	Address() string
}

// Endpoint is a model on a server, and how it is reached. URL and Model are needed.
type Endpoint struct {
	URL     string   // as the backend reads it; credentials in it are used when there is no APIKey
	APIKey  string   // sent as a bearer token; empty sends none
	Headers []Header // sent with every request
	Session SessionKeys
	Model   string // as the server names it

	// Account takes what an embedder's replies took; those of completions are noted by a [Policy].
	Account *account.Account

	// Names are those under which the server may answer for the model, beside its own and what is
	// plainly the same; see [Names].
	Names []string

	// Ends are the server's own words for the end of a whole sample, beside stop, eos and length;
	// "" is a reply without such a word. A sample of max_tokens tokens that ends by one of them
	// counts as cut.
	Ends []string

	// Timeout bounds one request, loading the model and waiting in the server's queue included; 0
	// is 10 minutes.
	Timeout     time.Duration
	DialTimeout time.Duration // of one connection; 0 is 10 seconds
	// Transport carries the requests; nil is one of the backend's own that keeps a connection for
	// each request in flight.
	Transport http.RoundTripper
}

// Namer is a backend that knows the names under which its server may answer.
type Namer interface {
	// Serves reports whether a reply that bears a name is of the model that was asked for. The
	// error is a *Fault, or the context's.
	Serves(ctx context.Context, name string) (bool, error)
}

// Completion is one request. Either Prompt or Messages is set.
type Completion struct {
	Prompt   string         // raw text, sent as it is
	Messages []chat.Message // for servers that apply the model's chat template themselves
	Tools    string         // a JSON list of functions, sent beside Messages; "" sends none
	N        int            // samples, at least 1
	Seed     uint64         // of the first sample; sample i has Seed+i
	Sampling Sampling
	Session  string // id of the tree; "" is of none
	// Details asks for what an examination wants beside the samples: [Reply].Details with the
	// tokens, and of the likeliest ones, if Likeliest is set, the first one's log-probability.
	Details, Likeliest bool
	Pieces             bool // asks for [Choice].Pieces

	Dialect Dialect

	unneeded bool // its log-probabilities are not needed
	try      int  // how often samples of it came back without text; below 0 when that says nothing

	begin func() (seed uint64) // is called before it is first sent and returns its seed; may be nil
}

// Sampling are the parameters of decoding. All of them are sent with every request, except those
// that the [Dialect] leaves out.
type Sampling struct {
	Temperature       float64  `yaml:"temperature"`        // 0 is greedy
	TopP              float64  `yaml:"top_p"`              // in (0,1]; 1 is off
	TopK              int      `yaml:"top_k"`              // 0 is off
	MinP              float64  `yaml:"min_p"`              // 0 is off
	FrequencyPenalty  float64  `yaml:"frequency_penalty"`  // -2..2; 0 is off
	PresencePenalty   float64  `yaml:"presence_penalty"`   // -2..2; 0 is off
	RepetitionPenalty float64  `yaml:"repetition_penalty"` // 1 is off
	MaxTokens         int      `yaml:"max_tokens"`         // of one completion
	Stop              []string `yaml:"stop,flow"`          // texts that end a completion, not part of it
}

// Greedy returns the parameters for decoding the most likely text: temperature 0, everything that
// reshapes the distribution off, the limits kept.
func (s Sampling) Greedy() Sampling {
	return Sampling{TopP: 1, RepetitionPenalty: 1, MaxTokens: s.MaxTokens, Stop: s.Stop}
}

// Reply is what a server answered.
type Reply struct {
	Choices          []Choice // as many as asked for, unless the server gives fewer
	PromptTokens     int      // 0 when the server does not say
	CachedTokens     int      // of the prompt, found in the prefix cache; 0 when the server does not say
	CachedKnown      bool     // the server tells CachedTokens
	CompletionTokens int      // of all choices; 0 when the server does not say
	Model            string   // the name the server answered with; "" when it does not say

	Reading time.Duration // of the prompt; 0 when the server does not say

	Details []Detail // one for each of Choices
}

// Choice is one sample.
type Choice struct {
	Text string // of a completion with tools an [action.Message], its calls in it
	// Reasoning is what the server sends of it apart from Text; "" if it sends none apart, so that
	// Text may hold it.
	Reasoning string
	LogProbs  []float64 // of each token as the server reports them; nil when it reports none
	Pieces    []string  // the texts of these tokens, where they are asked for and reported
	Finish    string    // why it ended: FinishStop or FinishLength
	Tokens    int       // 0 when the server does not say
	// IDs are those of all tokens that were sampled, PromptIDs those of all that were read; nil if
	// they were not asked for.
	IDs, PromptIDs []int

	Ended  bool // the text was ended here, and is not all that was sampled
	Unread bool // the server could not read a call in the text, and lost it; a reply's only choice
	// Reasoned says that tokens of the reply were reasoning, which the server may keep to itself.
	Reasoned bool
}

// Detail is what a server reports of one choice beyond its text. The durations are Ollama's, 0 when
// it does not say.
type Detail struct {
	Tokens       []string // as text, those of the stop text too where they are reported; nil when none are
	Finish       string   // the server's own word
	StopReason   string   // vLLM: the stop text, or the id of the token, that ended the text
	Likeliest    *float64 // log-probability of the likeliest first token; nil when it is not told
	PromptTokens int      // Ollama: of this sample's prompt

	Load, Prefill, Decode time.Duration // the model's loading for this request, and work on prompt and completion
}

// The ends of a completion.
const (
	FinishStop   = "stop"   // a stop text, or the end-of-text token
	FinishLength = "length" // MaxTokens, or the end of the context window
)

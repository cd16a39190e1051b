package simserver

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"toolevo/envs/action"
	"toolevo/envs/names"
	"toolevo/mcts"
)

// Kind is the server that is simulated.
type Kind string

// The kinds.
const (
	VLLM   Kind = "vllm"
	Ollama Kind = "ollama"
)

// Latency is how long the engine takes. The zero Latency takes no time.
type Latency struct {
	PerCompletion    time.Duration // of every sequence, whatever its length
	PrefillPerSecond float64       // prompt tokens read, cached ones not counted; 0 is at once
	DecodePerSecond  float64       // tokens written by a sequence that runs alone; 0 is at once
	Crowding         float64       // the share by which each other running sequence makes one slower
}

// Misconfiguration is something that is silently wrong with a server.
type Misconfiguration string

// The misconfigurations.
const (
	IgnoreN        Misconfiguration = "ignore-n"        // one choice comes back, whatever n says
	NoLogProbs     Misconfiguration = "no-logprobs"     // log-probabilities are not returned
	IgnoreStop     Misconfiguration = "ignore-stop"     // stop texts do not stop
	UnstableGreedy Misconfiguration = "unstable-greedy" // temperature 0 gives another text every other time
	// sampling parameters that are not sent take the model's values, not neutral ones
	LeakDefaults Misconfiguration = "leak-defaults"
	ShortContext Misconfiguration = "short-context" // the window is half of what the server states
	// the same, and what is too long loses its beginning instead of being refused
	SilentTruncation  Misconfiguration = "silent-truncation"
	MissingModel      Misconfiguration = "missing-model"      // the server has another model
	NoPrefixCache     Misconfiguration = "no-prefix-cache"    // every prompt is read from its beginning
	OneSlot           Misconfiguration = "one-slot"           // one sequence at a time, as Ollama does by default
	DropsObservations Misconfiguration = "drops-observations" // the chat template does not render observations
)

// The misconfigurations that only requests with tools meet.
const (
	// llama.cpp under a template without tools: nothing of them is rendered, and calls are content
	IgnoresTools Misconfiguration = "ignores-tools"
	// the model writes no tags: a JSON block, or bare objects up to an imagined Finish
	// (Qwen2.5-Coder anywhere)
	CallsAsText Misconfiguration = "calls-as-text"
	// the model makes the observation up and calls Finish, which vLLM takes for a parallel call
	ParallelCalls Misconfiguration = "parallel-calls"
	// vLLM: a cut reply with a call ended because of the call, and arguments may be cut
	FinishOverLength Misconfiguration = "finish-over-length"
	RewrittenNumbers Misconfiguration = "rewritten-numbers" // in arguments: 2.50 becomes 2.5 (vLLM)
	DroppedText      Misconfiguration = "dropped-text"      // beside a call (vLLM's parser for Llama 3)
	// vLLM: without parallel calls a grammar allows no other names than the listed ones
	ListedNamesOnly Misconfiguration = "listed-names-only"
	// Ollama: a call is one of the first listed tool whose name is part of the name that the model
	// wrote
	SubstringNames Misconfiguration = "substring-names"
	ToolsRefused   Misconfiguration = "tools-refused" // vLLM without --enable-auto-tool-choice
)

// Misconfigurations lists them all.
func Misconfigurations() []Misconfiguration {
	return []Misconfiguration{IgnoreN, NoLogProbs, IgnoreStop, UnstableGreedy, LeakDefaults, ShortContext,
		SilentTruncation, MissingModel, NoPrefixCache, OneSlot, DropsObservations, IgnoresTools, CallsAsText,
		ParallelCalls, FinishOverLength, RewrittenNumbers, DroppedText, ListedNamesOnly, SubstringNames,
		ToolsRefused}
}

// Options say what is simulated. Policy and Model are required.
type Options struct {
	// writes the completions; its histories have only the question, the turns and what they taught
	Policy mcts.Policy
	Codec  action.Codec // in which it writes, and prompts are read; nil is ReAct
	Model  string       // the name the model is served under
	Kind   Kind         // "" is VLLM

	Address     string // host:port to listen on; "" is a free port of 127.0.0.1
	Version     string // of the server; "" is a current one
	APIKey      string // what clients must send as a bearer token; "" asks for none (VLLM)
	MaxModelLen int    // the context window in tokens; 0 is 8192
	Parameters  int64  // how many the model says it has, of 16 bits each (Ollama); 0 says nothing
	// sequences that run at a time; 0 is 256 (VLLM), 4 (VLLM with PromptPerSlot) or 1 (Ollama)
	Slots int
	// PromptPerSlot makes every slot keep one prompt, the last that ran there, in place of a prefix
	// cache that all sequences share. An Ollama then chooses slots as Ollama 0.17 does, and a VLLM
	// is llama.cpp's server in all that concerns slots.
	PromptPerSlot bool
	MaxWaiting    int // sequences beyond which requests are refused with 503; 0 is without limit
	// tokens of all running sequences together; what does not fit waits; 0 is without limit, as
	// slots that keep prompts want it: each has a window of its own
	KVTokens    int
	CacheBlock  int                // tokens in a block of the prefix cache; 0 is 16
	CacheBlocks int                // blocks the prefix cache holds; 0 is as many as KVTokens fill, or 65,536
	NoDetails   bool               // leave usage.prompt_tokens_details out, as vLLM does unless asked
	Latency     Latency            // how long it takes
	Speed       float64            // how many times faster than that; 0 is 1
	Thoughts    Thoughts           // how the model reasons; "" is not at all
	Seed        uint64             // of samples that clients ask for without a seed
	Faults      Faults             // what goes wrong now and then
	Wrong       []Misconfiguration // what is wrong all the time
}

// withDefaults fills in what is not set and reports the first option that makes no sense.
func (o Options) withDefaults() (Options, error) {
	o.Kind = cmp.Or(o.Kind, VLLM)

	version := map[Kind]string{VLLM: "0.32.0", Ollama: "0.17.4"}[o.Kind]
	slots := map[Kind]int{VLLM: 256, Ollama: 1}[o.Kind]

	if o.llamaCpp() {
		version, slots = "b11549-unknown", 4
	}

	o.Version = cmp.Or(o.Version, version)
	o.Slots = cmp.Or(o.Slots, slots)
	o.MaxModelLen = cmp.Or(o.MaxModelLen, 8192)
	o.CacheBlock = cmp.Or(o.CacheBlock, 16)
	o.CacheBlocks = cmp.Or(o.CacheBlocks, o.KVTokens/max(o.CacheBlock, 1), 1<<16)
	o.Speed = cmp.Or(o.Speed, 1)
	o.Codec = action.OrDefault(o.Codec)

	if o.wrong(OneSlot) {
		o.Slots = 1
	}
	return o, o.check()
}

func (o Options) check() error {
	switch {
	case o.Policy == nil || o.Model == "":
		return errors.New("simserver: policy and model are required")
	case o.Kind != VLLM && o.Kind != Ollama:
		return fmt.Errorf("simserver: unknown kind %q: valid are %s, %s", o.Kind, VLLM, Ollama)
	case o.MaxModelLen < 1 || o.Slots < 1 || o.MaxWaiting < 0 || o.KVTokens < 0 || o.CacheBlock < 1 ||
		o.CacheBlocks < 0:
		return errors.New("simserver: a size is negative")
	case o.PromptPerSlot && o.KVTokens > 0:
		return errors.New("simserver: slots that keep prompts have a window each: want no limit on all tokens")
	// Not o.Speed <= 0, which a NaN would pass.
	case !(o.Speed > 0) || math.IsInf(o.Speed, 0):
		return fmt.Errorf("simserver: speed is %v, want more than 0", o.Speed)
	case o.Latency.PerCompletion < 0 || !(o.Latency.PrefillPerSecond >= 0) || !(o.Latency.DecodePerSecond >= 0) ||
		!(o.Latency.Crowding >= 0):
		return errors.New("simserver: a latency is negative")
	}

	// A word that means nothing would leave the server well, and a test of the mistake vacuous.
	for _, m := range o.Wrong {
		if !slices.Contains(Misconfigurations(), m) {
			return names.Unknown("misconfiguration", string(m), Misconfigurations())
		}
	}

	if o.Thoughts != NoThoughts && !slices.Contains(ThoughtsKinds(), o.Thoughts) {
		return names.Unknown("way to reason", string(o.Thoughts), ThoughtsKinds())
	}
	return o.Faults.check()
}

func (o *Options) wrong(m Misconfiguration) bool { return slices.Contains(o.Wrong, m) }

// llamaCpp reports whether the server is llama.cpp's.
func (o *Options) llamaCpp() bool { return o.PromptPerSlot && o.Kind == VLLM }

// scaled is a duration at the server's speed.
func (o *Options) scaled(d time.Duration) time.Duration { return time.Duration(float64(d) / o.Speed) }

// window is the real context window, which is not always what the server states.
func (o *Options) window() int {
	if o.wrong(ShortContext) || o.wrong(SilentTruncation) {
		return max(1, o.MaxModelLen/2)
	}
	return o.MaxModelLen
}

// served is the name of the model that the server has.
func (o *Options) served() string {
	if o.wrong(MissingModel) {
		return "another-model"
	}
	return o.Model
}

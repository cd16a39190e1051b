package simserver

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/policy/prompt"
)

// input is one prompt as it is sent, and what is read out of it.
type input struct {
	text    string
	tokens  tokens
	history envs.History
	chat    bool     // the model ends its turn after an action
	tools   *toolUse // nil without tools

	chain  []uint64 // blocks of the prefix cache
	seen   bool     // a sequence of it has started
	cached int      // tokens that were cached when the first one did
}

// first returns v for the first sequence of the prompt and 0 for the others: they share what was
// read.
func (p *input) first(v int) int {
	if p.seen {
		return 0
	}
	return v
}

// sampling is what a request says about its samples, as both protocols reduce it.
type sampling struct {
	n         int
	seed      uint64
	greedy    bool
	maxTokens int
	stop      []string
	unset     uint64 // bits: temperature, top_p, top_k and the repetition penalty were not sent
	placement
}

// placement is what a request says about slots that keep prompts.
type placement struct {
	wanted *int // the slot that it asks for; nil is any
	afresh bool // nothing of its prompt counts as read
}

// drawn is one completion.
type drawn struct {
	text     string
	tokens   []string  // of the text, of the stop text after it, and the end of text as ""
	logprobs []float64 // of each token
	inText   int       // how many tokens are the text's
	length   bool      // it ended by its length
	stop     string    // the stop text that ended it, "" if it ended by itself

	calls []openai.ToolCall // that the server took out of the text

	prefill, decode time.Duration // what the engine spent on it
}

// unstopped is how a model continues if nothing stops it after an action: it makes the observations
// up.
func (r reader) unstopped() string {
	return strings.Repeat(blank+prompt.ObservationText("The requested result is available.")+blank+
		r.codec.Format("I look at the result.", envs.Call{Name: "Look"}), 4)
}

// bits returns one bit for each value, the first the lowest.
func bits(values ...bool) (all uint64) {
	for i, value := range values {
		if value {
			all |= 1 << i
		}
	}

	return all
}

// draw returns the samples of a prompt, as the scripted policy proposes them.
func (s *Server) draw(ctx context.Context, p *input, a sampling) ([]drawn, error) {
	proposals, err := s.propose(ctx, p.history, a)
	if err != nil {
		return nil, err
	}

	samples := make([]drawn, len(proposals))
	for i, proposal := range proposals {
		samples[i] = s.write(proposal, p, a)
	}
	return samples, nil
}

// propose asks the policy, and changes its proposals as the misconfigurations want it.
func (s *Server) propose(ctx context.Context, h envs.History, a sampling) ([]mcts.Proposal, error) {
	leaks := s.o.wrong(LeakDefaults) && a.unset != 0
	if leaks {
		a.seed ^= a.unset * 0x9e3779b97f4a7c15
	}

	r := mcts.Request{History: h, N: a.n, Seed: a.seed, Greedy: a.greedy}

	proposals, err := s.o.Policy.Propose(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("simserver: %w", err)
	}

	if !a.greedy {
		return proposals, nil
	}

	if s.o.wrong(UnstableGreedy) && s.greedy.Add(1)%2 == 0 || leaks {
		return s.differing(ctx, h, proposals)
	}
	return proposals, nil
}

// differing returns samples whose texts differ from those of proposals.
func (s *Server) differing(
	ctx context.Context, h envs.History, proposals []mcts.Proposal,
) ([]mcts.Proposal, error) {
	for seed := range uint64(64) {
		tried, err := s.o.Policy.Propose(ctx, mcts.Request{History: h, N: 1, Seed: seed})
		if err != nil {
			return nil, fmt.Errorf("simserver: %w", err)
		}

		if tried[0].Text != proposals[0].Text {
			return tried, nil
		}
	}

	changed := proposals[0]
	opening := s.reader.opening()
	changed.Text = strings.Replace(changed.Text, opening, opening+" Well.", 1)
	return []mcts.Proposal{changed}, nil
}

// write ends a proposal where the request wants it to end and gives its tokens their
// log-probabilities.
func (s *Server) write(p mcts.Proposal, in *input, a sampling) drawn {
	full := s.thought(in.chat, s.reader.codec, "") + p.Text

	switch {
	case in.tools != nil:
		full = s.native(p.Text, in)
	// A model that continues plain text does not end its turn: only a stop text does.
	case !in.chat:
		full += s.reader.unstopped()
	}
	var d drawn

	d.text = full
	if !s.o.wrong(IgnoreStop) {
		d.text, d.stop = cutAt(full, a.stop)
	}

	d.tokens = tokenize(d.text).strings(d.text)

	d.inText = len(d.tokens)
	// What ended the text was written, too, and counts: the stop text, or a token without text.
	if d.stop != "" {
		d.tokens = append(d.tokens, tokenize(d.stop).strings(d.stop)...)
	} else {
		d.tokens = append(d.tokens, "")
	}

	if len(d.tokens) > a.maxTokens {
		d.tokens = d.tokens[:max(0, a.maxTokens)]
		d.inText = min(d.inText, len(d.tokens))
		d.text, d.stop, d.length = strings.Join(d.tokens[:d.inText], ""), "", true
	}

	d.logprobs = spread(p.LogProb, d.inText, len(d.tokens))
	return d
}

// cutAt cuts a text at the first stop text in it.
func cutAt(text string, stops []string) (before, stop string) {
	end := len(text)
	for _, s := range stops {
		if i := strings.Index(text, s); i >= 0 && i < end {
			end, stop = i, s
		}
	}

	return text[:end], stop
}

// spread makes log-probabilities whose mean is mean, over the first n and over all.
func spread(mean float64, n, all int) []float64 {
	list := make([]float64, all)
	for i := range list {
		list[i] = mean
		if i/2*2+1 < n { // pairs cancel
			list[i] += mean * 0.5 * float64(1-i%2*2)
		}
	}

	return list
}

// generate writes the samples of a prompt and spends the time they take.
func (s *Server) generate(ctx context.Context, p *input, a sampling) ([]drawn, error) {
	list, err := s.draw(ctx, p, a)
	if err != nil {
		return nil, err
	}

	sequences := make([]*sequence, len(list))

	for i, d := range list {
		q := &sequence{prompt: p, completion: make([]uint32, len(d.tokens)), placement: a.placement}
		for j, token := range d.tokens {
			q.completion[j] = tokenID(token)
		}

		sequences[i] = q
	}

	if err := s.engine.run(ctx, sequences); err != nil {
		return nil, err
	}

	for i, q := range sequences {
		list[i].prefill, list[i].decode = q.prefill, q.decode
	}
	return list, nil
}

// newPrompt reads a raw prompt.
func (s *Server) newPrompt(text string) *input {
	p := &input{text: text, tokens: tokenize(text)}
	p.history, p.chat = s.reader.text(text)

	if p.chat {
		p.tools = toolsIn(text)
	}
	return p
}

// chatPrompt renders and reads the messages of a chat.
func (s *Server) chatPrompt(messages []message, u *toolUse) *input {
	if s.o.wrong(DropsObservations) {
		messages = dropObservations(messages)
	}

	text := renderChat(u.shown(messages))
	return &input{text: text, tokens: tokenize(text), history: s.reader.chat(messages), chat: true, tools: u}
}

// keepEnd cuts off the beginning of a prompt that does not fit n tokens.
func (s *Server) keepEnd(p *input, n int) {
	if p.tokens.len() <= n {
		return
	}

	cut := p.tokens.ends[p.tokens.len()-n-1]
	*p = input{text: p.text[cut:], chat: p.chat, tools: p.tools}
	p.tokens = tokenize(p.text)
	p.history, _ = s.reader.text(p.text)
}

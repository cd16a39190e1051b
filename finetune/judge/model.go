package judge

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/zeebo/xxh3"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/trajectories"
)

// How models are asked, as StableToolBench and MirrorAPI ask theirs.
const (
	Temperature       = 0.2  // of a status and a preference
	MaxTokens         = 1000 // the same
	CompleteMaxTokens = 512  // of whether an answer is complete, which is asked greedily
	attempts          = 3    // until what was written can be read
)

//go:embed prompts
var promptFiles embed.FS

// The instructions of a judge.
var (
	statusPrompt   = kept.EmbeddedPrompt(promptFiles, "status")
	graphPrompt    = kept.EmbeddedPrompt(promptFiles, "graph")
	completePrompt = kept.EmbeddedPrompt(promptFiles, "complete")
	preferPrompt   = kept.EmbeddedPrompt(promptFiles, "prefer")
)

// PromptHash returns the first digits of the SHA-256 of all prompts, with a user's in place of the
// default ones: judgements by different prompts are not comparable.
func PromptHash(p kept.Prompts) string {
	return p.Hash(statusPrompt, graphPrompt, completePrompt, preferPrompt)
}

// Model is a language model that judges. To resume a run that was cut short, keep its texts, see
// package envs/kept.
type Model struct {
	Name       string      // of the policy, e.g. "openai:gpt-4o"
	Writer     kept.Writer // at [Temperature]
	Completing kept.Writer // greedy
	Prompts    kept.Prompts

	// CompletePrompt asks whether an answer is complete, in place of the default prompt: the whole
	// user's text, with {query} and {answer}. MirrorAPI's judge was trained on such a prompt.
	CompletePrompt string
}

// Maker returns what a record says of a judge.
func (m *Model) Maker() trajectories.Maker {
	return trajectories.Maker{
		Kind: makerKind, Name: m.Name, Version: "prompts " + m.promptVersion(),
		Limits: fmt.Sprintf("temperature %g, %d tokens; complete: greedy, %d tokens", Temperature, MaxTokens,
			CompleteMaxTokens),
	}
}

// promptVersion returns a hash of all prompts that the model is asked with.
func (m *Model) promptVersion() string {
	own := PromptHash(m.Prompts)
	if m.CompletePrompt == "" {
		return own
	}
	return own + ", complete " + envs.SHA256(m.CompletePrompt)[:12]
}

// makerKind is the kind of maker that a judge is.
const makerKind = "judge"

// Maker returns what a record says of the rule.
func (Rule) Maker() trajectories.Maker { return trajectories.Maker{Kind: makerKind, Name: "rule"} }

// Status implements [Judge].
func (m *Model) Status(ctx context.Context, a *Answer, pass int) (Status, error) {
	about := fmt.Sprintf("status of %s, pass %d", a, pass)
	request := section("Request", a.Given.Query) + section("Final answer", a.Said())

	status, err := ask(ctx, m.Writer, newAsking(m.Prompts.Asked(statusPrompt, request)), about, Lost,
		readStatus)
	if err != nil || status != Unsure {
		return status, err
	}

	graph, err := a.Given.Graph()
	if err != nil {
		return Lost, err
	}

	request += section("What was done", string(graph))
	return ask(ctx, m.Writer, newAsking(m.Prompts.Asked(graphPrompt, request)), about+", with calls",
		Lost, readStatus)
}

// Complete implements [Judge].
func (m *Model) Complete(ctx context.Context, a *Answer) (Status, error) {
	request := section("Request", a.Given.Query) + section("Final answer", a.Said())
	asking := newAsking(m.Prompts.Asked(completePrompt, request))

	if m.CompletePrompt != "" {
		asking = newAsking("",
			pytext.Format(m.CompletePrompt, "{query}", a.Given.Query, "{answer}", a.Said()))
	}
	return ask(ctx, m.Completing, asking, "complete: "+a.String(), Lost, ReadComplete)
}

// Prefer implements [Judge].
func (m *Model) Prefer(ctx context.Context, first, second *Answer, round int) (Preference, error) {
	about := fmt.Sprintf("preference of %s or %s, round %d", first, second.Agent, round)
	shown := [2]*Answer{first, second}

	turned := rand.New(rand.NewPCG(xxh3.HashString(about), 0)).IntN(2) == 1
	if turned {
		shown[0], shown[1] = second, first
	}

	request := section("Request", first.Given.Query)

	for i, a := range shown {
		steps, _ := a.Given.Steps()
		request += section(fmt.Sprintf("Assistant %d, calls", i), strings.Join(steps, "\n")) +
			section(fmt.Sprintf("Assistant %d, final answer", i), a.Said())
	}

	preferred, err := ask(ctx, m.Writer, newAsking(m.Prompts.Asked(preferPrompt, request)), about,
		NoPreference, readPreference)
	if turned {
		preferred = preferred.other()
	}

	return preferred, err
}

// ask asks until the reply can be read, up to a limit; then it is lost, like a request that the
// server fails at alone.
func ask[T any](ctx context.Context, w kept.Writer, a kept.Asking, about string, lost T,
	read func(string) (T, error)) (T, error) {
	a.Seed, a.Tries, a.Expendable = xxh3.HashString(about), attempts, true

	answer, refused, err := kept.Ask(ctx, w, a, read)
	if err != nil {
		return lost, fmt.Errorf("judge the %s: %w", about, err)
	}

	if refused != nil {
		return lost, nil
	}
	return answer, nil
}

// newAsking returns a request with instructions.
func newAsking(instructions, request string) kept.Asking {
	return kept.Asking{Instructions: instructions, Request: request}
}

// OwnCompletePrompt returns the default prompt for completeness as one text, with {query} and
// {answer}.
func OwnCompletePrompt(p kept.Prompts) string {
	return strings.TrimSpace(p.Text(completePrompt) + "\n\n" + section("Request", "{query}") +
		section("Final answer", "{answer}"))
}

// section returns a part of a request.
func section(title, text string) string { return title + ":\n" + text + "\n\n" }

// readStatus returns the status in what a judge wrote.
func readStatus(reply string) (Status, error) {
	said, err := kept.Decision(reply, "answer_status", statusNames[:Lost]...)
	if err != nil {
		return Lost, err
	}
	return parseStatus(said)
}

// ReadComplete returns the status in what a judge wrote: on the first line, as the prompt asks, or
// under the title that MirrorAPI's own judge writes.
func ReadComplete(reply string) (Status, error) {
	verdict, err := kept.Verdict(reply, "answer status", "solved", "unsolved", "not solved")

	switch {
	case err != nil:
		return Lost, err
	case verdict == "solved":
		return Solved, nil
	}

	return Unsolved, nil
}

// readPreference returns which of the two that were shown is better.
func readPreference(reply string) (Preference, error) {
	index, err := kept.Decision(reply, "index")
	if err != nil {
		return NoPreference, err
	}

	switch index {
	case "0", "0.0":
		return First, nil
	case "1", "1.0":
		return Second, nil
	}

	return NoPreference, errors.New("its index is neither 0 nor 1")
}

var (
	_ Judge = Rule{}
	_ Judge = (*Model)(nil)
)

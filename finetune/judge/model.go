package judge

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"

	"github.com/zeebo/xxh3"

	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/trajectories"
)

// How models are asked, as StableToolBench and MirrorAPI ask theirs.
const (
	Temperature        = 0.2  // of a status and a preference
	MaxTokens          = 1000 // the same
	CompleteMaxTokens  = 512  // of whether an answer is complete, which is asked greedily
	attempts           = 3    // until what was written can be read
	extension          = ".txt"
	promptOfStatus     = "status"
	promptOfGraph      = "graph"
	promptOfComplete   = "complete"
	promptOfPreference = "prefer"
	promptAgain        = "again"
)

//go:embed prompts
var promptFiles embed.FS

// prompt returns what a judge is told.
func prompt(name string) string {
	text, err := promptFiles.ReadFile("prompts/" + name + extension)
	if err != nil {
		panic(err) // it is embedded
	}

	return string(text)
}

// PromptHash returns the first digits of the SHA-256 of all prompts: judgements by others are not comparable.
func PromptHash() string {
	sum := sha256.New()

	files, err := fs.Glob(promptFiles, "prompts/*"+extension)
	if err != nil {
		panic(err) // the pattern is right
	}

	for _, file := range files {
		text, _ := promptFiles.ReadFile(file)
		fmt.Fprintf(sum, "%s %d\n%s", file, len(text), text)
	}

	return hex.EncodeToString(sum.Sum(nil))[:12]
}

// Model is a language model that judges. Who wants to go on where a run was cut short has its texts kept, see package
// envs/kept.
type Model struct {
	Name       string      // of the policy, e.g. "openai:gpt-4o"
	Writer     kept.Writer // at [Temperature]
	Completing kept.Writer // greedy
}

// Maker returns what a record says of a judge.
func (m *Model) Maker() trajectories.Maker {
	return trajectories.Maker{
		Kind: makerKind, Name: m.Name, Version: "prompts " + PromptHash(),
		Limits: fmt.Sprintf("temperature %g, %d tokens; complete: greedy, %d tokens", Temperature, MaxTokens,
			CompleteMaxTokens),
	}
}

// makerKind is the kind of maker that a judge is.
const makerKind = "judge"

// Maker returns what a record says of the rule.
func (Rule) Maker() trajectories.Maker { return trajectories.Maker{Kind: makerKind, Name: "rule"} }

// Status implements [Judge].
func (m *Model) Status(ctx context.Context, a *Answer, pass int) (Status, error) {
	status := Lost
	read := func(text string) bool {
		var ok bool
		status, ok = readStatus(text)

		return ok
	}

	about := fmt.Sprintf("status of %s, pass %d", a, pass)
	request := section("Request", a.Given.Query) + section("Final answer", a.said())

	if err := m.ask(ctx, m.Writer, promptOfStatus, request, about, read); err != nil || status != Unsure {
		return status, err
	}

	graph, err := a.Given.Graph()
	if err != nil {
		return Lost, err
	}

	request += section("What was done", string(graph))
	err = m.ask(ctx, m.Writer, promptOfGraph, request, about+", with calls", read)

	return status, err
}

// Complete implements [Judge].
func (m *Model) Complete(ctx context.Context, a *Answer) (Status, error) {
	status := Lost
	request := section("Request", a.Given.Query) + section("Final answer", a.said())

	err := m.ask(ctx, m.Completing, promptOfComplete, request, "complete: "+a.String(), func(text string) bool {
		text = strings.ToLower(text)

		switch {
		case strings.Contains(text, "unsolved"):
			status = Unsolved
		case strings.Contains(text, "solved"):
			status = Solved
		}

		return status != Lost
	})

	return status, err
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
			section(fmt.Sprintf("Assistant %d, final answer", i), a.said())
	}

	preferred := NoPreference

	err := m.ask(ctx, m.Writer, promptOfPreference, request, about, func(text string) bool {
		switch readField(text, "index") {
		case "0":
			preferred = First
		case "1":
			preferred = Second
		}

		return preferred != NoPreference
	})
	if turned {
		preferred = preferred.other()
	}

	return preferred, err
}

// ask asks until what was written can be read, some times at most.
func (m *Model) ask(ctx context.Context, w kept.Writer, instructions, request, about string,
	read func(string) bool) error {
	for attempt := range attempts {
		if attempt == 1 {
			request += prompt(promptAgain)
		}

		seed := xxh3.HashString(fmt.Sprint(about, attempt)) >> 1 // servers take no more than 63 bits

		text, err := w.Write(ctx, prompt(instructions), request, seed)
		if err != nil {
			return fmt.Errorf("judge the %s: %w", about, err)
		}

		if read(text) {
			return nil
		}
	}

	return nil
}

// section returns a part of a request.
func section(title, text string) string { return title + ":\n" + text + "\n\n" }

// readStatus returns the status in what a judge wrote.
func readStatus(text string) (Status, bool) { return parseStatus(readField(text, "answer_status")) }

// readField returns a field of the last JSON object in a text that has it, as text. Reasoning models think in braces,
// too, before they answer.
func readField(text, name string) (value string) {
	for i := strings.IndexByte(text, '{'); i >= 0; {
		object, rest, err := pytext.DecodeObject(text[i:])
		if v, ok := object.Get(name); ok {
			value = pytext.Str(v)
		}

		from := i + 1
		if err == nil {
			from = len(text) - len(rest)
		}

		next := strings.IndexByte(text[from:], '{')
		if next < 0 {
			break
		}

		i = from + next
	}

	return value
}

var (
	_ Judge = Rule{}
	_ Judge = (*Model)(nil)
)

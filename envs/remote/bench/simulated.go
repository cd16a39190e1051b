package bench

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/envs/remote"
	"toolevo/envs/toolapi"
)

// How a model that stands in for tools is asked.
const (
	simulateTokens = 4096 // of an answer, with what the model thinks before it; it is asked greedily
	simulateTries  = 3    // until an answer can be read
)

//go:embed simulate.txt
var simulateInstructions string

var simulatePrompt = kept.NewPrompt("simulate", simulateInstructions)

// simulateRequest has the tools, the calls before, and the call.
const simulateRequest = "Tools, a line of JSON each:\n%s\nCalls so far, a line of JSON each:\n%s\n" +
	"The call to answer:\n%s\n"

// openSource returns the tools, or the model that stands in for them.
func (o *opened) openSource(tools *toolapi.Spec) remote.Source {
	m := o.toolset.Simulated
	if m == nil {
		return o.toolset.source
	}

	s := &simulation{model: m.Model, instructions: o.choice.Prompts.Text(simulatePrompt)}

	for i := range tools.APIs {
		a := &tools.APIs[i]

		// The environment answers calls of these itself.
		if envs.IsSystem(a.ToolName()) {
			continue
		}

		// Calls have the service's own names of the tools, so the documents need them, too.
		name, _ := o.toolset.wire(a.ToolName(), nil)
		document := envs.Object("name", name, "description", a.Description,
			"parameters", a.Parameters.Schema())

		if example, err := pytext.DecodeStrict(a.Answer); err == nil {
			document = document.With("example", example)
		}

		s.documents += pytext.JSON(document) + "\n"
	}

	// Made-up answers depend on the model and on how it is asked, so the lineage names both.
	o.lineage["simulated"] = m.identity(s.instructions, simulateRequest, fmt.Sprint(simulateTokens))
	o.standIn = o.lazy("simulated", m, simulateTokens)
	s.writer = o.standIn
	return s
}

// simulation is a language model in the place of tools. It implements [remote.Source].
type simulation struct {
	model        string
	instructions string
	documents    string // of the tools
	writer       kept.Writer
}

// Start implements [remote.Source].
func (s *simulation) Start(context.Context) (remote.Instance, error) {
	return &simulated{simulation: s}, nil
}

// simulated is an instance: what the model has made up on the way to a state. It implements
// [remote.Listener].
type simulated struct {
	*simulation

	before string // calls with their answers
}

// Tell implements [remote.Listener].
func (s *simulated) Tell(tool string, args envs.Args, result envs.Result) {
	s.before += pytext.JSON(envs.Object("tool", tool, "args", args,
		"refused", result.Outcome != envs.OK, "answer", result.Observation)) + "\n"
}

// Close implements [remote.Instance].
func (s *simulated) Close() error { return nil }

// Call implements [remote.Instance]. An answer follows from the calls that Tell was given; calls
// that only read change nothing for later ones.
func (s *simulated) Call(ctx context.Context, tool string, args envs.Args) (envs.Result, error) {
	call := pytext.JSON(envs.Object("tool", tool, "args", args))
	request := fmt.Sprintf(simulateRequest, s.documents, s.before, call)

	result, lost, err := kept.Ask(ctx, s.writer, kept.Asking{
		Instructions: s.instructions,
		Request:      request,
		Seed:         xxh3.HashString(request),
		Tries:        simulateTries,
	}, readSimulated)
	if err == nil && lost != nil {
		err = &kept.Lost{Reason: "the model made up no answer", Err: fmt.Errorf(
			"%s made up no answer in %d tries: %w", s.model, simulateTries, lost)}
	}

	result.Maker = s.model
	return result, err
}

// readSimulated reads the model's reply.
func readSimulated(reply string) (r envs.Result, err error) {
	object, err := kept.Object(reply, "refused", "answer")
	if err != nil {
		return r, err
	}

	answer, _ := object.Get("answer")

	refused, isBool := false, false
	if value, ok := object.Get("refused"); ok {
		refused, isBool = value.(bool)
	}

	if !isBool {
		return r, errors.New("its member refused is neither true nor false")
	}

	r = envs.Result{Observation: pytext.Str(answer), Outcome: envs.OK}
	if _, isText := answer.(string); !isText {
		r.Observation = pytext.JSON(answer)
	}

	if refused {
		r.Outcome = envs.ToolError
	}
	return r, nil
}

package virtual

import (
	"embed"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/names"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
)

// Mode is how a language model is asked to stand in for an API, and in which form it answers.
type Mode string

// The modes.
const (
	SFT     Mode = "sft"      // the document and the request; the mode of MirrorAPI's models
	CoT     Mode = "cot"      // the same, with how the API works before the answer
	FewShot Mode = "few-shot" // a short document and earlier answers of the API; for models that were not trained

	// MirrorSFT and MirrorCoT are sft and cot in the words of published prompts.
	MirrorSFT Mode = "mirrorapi-sft"
	MirrorCoT Mode = "mirrorapi-cot"
)

// Modes returns all modes.
func Modes() []Mode { return []Mode{SFT, CoT, FewShot, MirrorSFT, MirrorCoT} }

// IsPublished reports whether a mode takes prompts that were published.
func (m Mode) IsPublished() bool { return m == MirrorSFT || m == MirrorCoT }

// ParseMode returns the mode of a name; the error of an unknown name lists the valid ones.
func ParseMode(name string) (Mode, error) { return names.Parse("mode of a simulator", name, Modes()) }

//go:embed prompts
var promptFiles embed.FS

var (
	// The published texts are not part of this program: prompts.py of envs/toolbench/interop takes
	// them from a checkout of StableToolBench.
	prompts = map[Mode]kept.Prompt{
		SFT:       kept.EmbeddedPrompt(promptFiles, string(SFT)),
		CoT:       kept.EmbeddedPrompt(promptFiles, string(CoT)),
		FewShot:   kept.EmbeddedPrompt(promptFiles, string(FewShot)),
		MirrorSFT: kept.NewPrompt(string(MirrorSFT), ""),
		MirrorCoT: kept.NewPrompt(string(MirrorCoT), ""),
	}
	requestPrompt = kept.NewPrompt("mirrorapi-request", "")

	// CompletePrompt is what MirrorAPI's judge of completeness is asked, with {query} and {answer}.
	CompletePrompt = kept.NewPrompt("fac", "")
)

// Instructions returns the system text of a mode.
func (m Mode) Instructions(p kept.Prompts) string { return p.Text(prompts[m]) }

// Example is what an API answered to a call.
type Example struct {
	Args   envs.Args
	Answer toolbench.Answer
}

// The limits of the published code on what a few-shot request shows.
const (
	mostExamples     = 5
	mostExampleRunes = 2048 // of all examples together
)

// The headings of a request.
const (
	documentHeading = "API doc:\n"
	requestHeading  = "\n\nRequest:\n"
)

// Request returns the user's text: what an API is, and the arguments of a call. Only the mode
// few-shot shows examples: the first five, or as many of them as fit.
func (m Mode) Request(d *toolbench.Document, args envs.Args, examples []Example) string {
	if m != FewShot {
		return documentHeading + object(wholeDocument(d)) + requestHeading + object(args)
	}
	return documentHeading + shortDocument(d) + "\n\nExamples:\n" + fitting(examples) + "\nRequest:\n" + object(args)
}

// Reply returns what a model writes in a mode: an answer, preceded by the mechanism of the API in
// the mode cot.
func (m Mode) Reply(mechanism string, a toolbench.Answer) string {
	reply := envs.Object("error", a.Error, "response", a.Response)
	if m == CoT {
		reply = slices.Insert(reply, 0, envs.Arg{Name: mechanismMember, Value: mechanism})
	}
	return object(reply)
}

// mechanismMember is where a reply in the mode cot says how the API works.
const mechanismMember = "mechanism_of_the_api"

// wholeDocument returns a document with the members of MirrorAPI's, in their order.
func wholeDocument(d *toolbench.Document) envs.Args {
	return envs.Object(
		"api_name", d.API,
		"api_description", d.Description,
		"required_parameters", Parameters(d.Required),
		"optional_parameters", Parameters(d.Optional),
		"tool_description", d.ToolDescription,
		"tool_name", d.Tool,
		"tool_category", d.Category,
	)
}

func shortDocument(d *toolbench.Document) string {
	return object(envs.Object(
		"tool_description", d.ToolDescription,
		"api_name", d.API,
		"api_description", d.Description,
	))
}

// Parameters returns the parameters of a document as query files have them.
func Parameters(all []toolbench.Parameter) []any {
	shown := make([]any, len(all))
	for i, p := range all {
		value, err := pytext.Decode(string(p.Default))
		if err != nil { // it has none
			value = ""
		}

		shown[i] = envs.Object(
			"name", p.Name,
			"type", p.Type,
			"description", p.Description,
			"default", value,
		)
	}

	return shown
}

// fitting writes as many examples, each on two lines, as fit into the limit.
func fitting(examples []Example) string {
	var b strings.Builder

	room := mostExampleRunes

	for _, e := range examples[:min(len(examples), mostExamples)] {
		text := "Request: " + object(e.Args) + "\nAnswer: " + e.Answer.Text() + "\n"
		if room -= len([]rune(text)); room < 0 {
			break
		}

		b.WriteString(text)
	}
	return b.String()
}

// object writes an object as JSON.
func object(o envs.Args) string {
	if o == nil {
		o = envs.Args{}
	}
	return pytext.JSON(o)
}

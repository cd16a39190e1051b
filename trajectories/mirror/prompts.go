package mirror

import (
	"embed"

	"toolevo/envs/kept"
)

//go:embed prompts
var promptFiles embed.FS

// What models are told.
var (
	scenarioPrompt  = prompt("scenario")
	requestPrompt   = prompt("request")
	checkPrompt     = prompt("check")
	augmentPrompt   = prompt("augment")
	rationalePrompt = prompt("rationale")
	queryPrompt     = prompt("query", "{tools_json}")
	solvablePrompt  = prompt("solvable", "{task}")
	reachPrompt     = prompt("reach")
	workingPrompt   = prompt("working")
)

func prompt(name string, request ...string) kept.Prompt {
	text, err := promptFiles.ReadFile("prompts/" + name + ".txt")
	if err != nil {
		panic(err) // it is embedded
	}

	return kept.NewPrompt(name, string(text), request...)
}

// PromptHash returns a hash of all prompts, with a user's in place of ours.
func PromptHash(p kept.Prompts) string {
	return p.Hash(scenarioPrompt, requestPrompt, checkPrompt, augmentPrompt, rationalePrompt,
		queryPrompt, solvablePrompt, reachPrompt, workingPrompt)
}

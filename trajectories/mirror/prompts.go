package mirror

import (
	"embed"

	"toolevo/envs/kept"
)

//go:embed prompts
var promptFiles embed.FS

// What models are told.
var (
	scenarioPrompt  = kept.EmbeddedPrompt(promptFiles, "scenario")
	requestPrompt   = kept.EmbeddedPrompt(promptFiles, "request")
	checkPrompt     = kept.EmbeddedPrompt(promptFiles, "check")
	augmentPrompt   = kept.EmbeddedPrompt(promptFiles, "augment")
	rationalePrompt = kept.EmbeddedPrompt(promptFiles, "rationale")
	queryPrompt     = kept.EmbeddedPrompt(promptFiles, "query", "{tools_json}")
	solvablePrompt  = kept.EmbeddedPrompt(promptFiles, "solvable", "{task}")
	reachPrompt     = kept.EmbeddedPrompt(promptFiles, "reach")
	workingPrompt   = kept.EmbeddedPrompt(promptFiles, "working")
)

// PromptHash returns a hash of all prompts, with the user's in place of the embedded ones.
func PromptHash(p kept.Prompts) string {
	return p.Hash(scenarioPrompt, requestPrompt, checkPrompt, augmentPrompt, rationalePrompt,
		queryPrompt, solvablePrompt, reachPrompt, workingPrompt)
}

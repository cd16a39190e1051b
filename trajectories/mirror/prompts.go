package mirror

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"toolevo/envs/pytext"
)

//go:embed prompts
var promptFiles embed.FS

// The prompts, by the names of their files.
const (
	scenarioPrompt  = "scenario"
	requestPrompt   = "request"
	checkPrompt     = "check"
	augmentPrompt   = "augment"
	rationalePrompt = "rationale"
	queryPrompt     = "query"
	solvablePrompt  = "solvable"
	reachPrompt     = "reach"
	workingPrompt   = "working"
)

// wholeFields are what published prompts call the request that is filled in; others call it
// {request}.
var wholeFields = map[string]string{queryPrompt: "{tools_json}", solvablePrompt: "{task}"}

// Prompts are what models are told, by the name of the prompt.
type Prompts map[string]string

// ownPrompts returns the prompts of this program, which nobody changes.
var ownPrompts = sync.OnceValue(func() Prompts {
	files, err := promptFiles.ReadDir("prompts")
	if err != nil {
		panic(err) // they are embedded
	}

	own := Prompts{}

	for _, f := range files {
		text, _ := promptFiles.ReadFile("prompts/" + f.Name())
		own[strings.TrimSuffix(f.Name(), promptExtension)] = strings.TrimSpace(string(text))
	}

	return own
})

const promptExtension = ".txt"

// ReadPrompts returns our prompts with those of a folder, NAME.txt, in place of ours of the same
// name; it has to have one at least, but "" is no folder. A text with the field of its request
// (such as {task}) is all that a model is told, one without is told before the request.
func ReadPrompts(dir string) (Prompts, error) {
	all, found := maps.Clone(ownPrompts()), false

	for name := range all {
		if dir == "" {
			break
		}

		text, err := os.ReadFile(filepath.Join(dir, name+promptExtension))

		switch {
		case err == nil:
			all[name], found = string(text), true
		case !os.IsNotExist(err):
			return nil, err
		}
	}

	if !found && dir != "" {
		return nil, fmt.Errorf("%s has no prompt: want a text NAME.txt, of %s", dir,
			strings.Join(slices.Sorted(maps.Keys(all)), ", "))
	}

	return all, nil
}

// Hash returns the first digits of the SHA-256 of all prompts.
func (p Prompts) Hash() string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(p[name]), p[name])
	}

	return hex.EncodeToString(sum.Sum(nil))[:12]
}

// asked returns the system's and the user's text of a request.
func (p Prompts) asked(name, request string) (instructions, whole string) {
	field := cmp.Or(wholeFields[name], "{request}")
	if text := p[name]; !strings.Contains(text, field) {
		return text, request
	}

	return "", pytext.Format(p[name], field, request)
}

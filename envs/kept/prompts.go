package kept

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/envs/pytext"
	"toolevo/envs/yamltext"
)

// Prompt is the built-in text that a model is told for one purpose.
type Prompt struct {
	Name string // of the file NAME.txt that replaces it
	Text string // "" without a built-in one

	request string // the field of the request in others' texts, e.g. "{task}"
}

//go:embed prompts.yaml
var promptsFile embed.FS

// purposes say what each prompt is for, by its name.
var purposes = yamltext.Once[map[string]string](promptsFile, "prompts.yaml")

// NewPrompt returns a prompt of prompts.yaml. A published text in its place may use a name other
// than {request} for the field of the request.
func NewPrompt(name, text string, request ...string) Prompt {
	if _, ok := purposes()[name]; !ok {
		panic("kept: prompts.yaml has no prompt " + name)
	}
	return Prompt{name, strings.TrimSpace(text), append(request, "{request}")[0]}
}

// EmbeddedPrompt is NewPrompt for the text prompts/NAME.txt in a package's files.
func EmbeddedPrompt(files embed.FS, name string, request ...string) Prompt {
	text, err := files.ReadFile("prompts/" + name + ".txt")
	if err != nil {
		panic(err) // it is embedded
	}
	return NewPrompt(name, string(text), request...)
}

// Prompts are texts that a user has put in place of the built-in ones. The zero value has none.
// They are immutable.
type Prompts struct{ texts map[string]string }

// ReadPrompts reads the texts NAME.txt of a folder. For "" it returns none.
func ReadPrompts(dir string) (Prompts, error) {
	p := Prompts{map[string]string{}}
	if dir == "" {
		return p, nil
	}

	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return p, err
	}

	names := strings.Join(slices.Sorted(maps.Keys(purposes())), ", ")

	// A folder without prompts is most likely the wrong one.
	if len(files) == 0 {
		return p, fmt.Errorf("%s has no prompt: want a text NAME.txt, of %s", dir, names)
	}

	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		// A misspelled name would silently leave the built-in prompt in use.
		if purposes()[name] == "" {
			return p, fmt.Errorf("%s: no prompt is called %s, but %s", file, name, names)
		}

		text, err := os.ReadFile(file)
		if err != nil {
			return p, err
		}

		if strings.TrimSpace(string(text)) == "" {
			return p, fmt.Errorf("%s is empty", file)
		}

		p.texts[name] = string(text)
	}
	return p, nil
}

// ErrNoPrompt says that a user has no text for a prompt without a built-in one.
var ErrNoPrompt = errors.New("the prompt is missing")

// Text returns what a model is told: the user's text, or else the built-in one.
func (p Prompts) Text(own Prompt) string {
	if text, ok := p.texts[own.Name]; ok {
		return text
	}
	return own.Text
}

// Need returns the user's text of a prompt without a built-in one. It has to have some fields.
func (p Prompts) Need(own Prompt, fields ...string) (string, error) {
	text, ok := p.texts[own.Name]
	if !ok {
		return "", fmt.Errorf("%w: %s.txt", ErrNoPrompt, own.Name)
	}

	for _, field := range fields {
		if !strings.Contains(text, field) {
			return "", fmt.Errorf("%s.txt has no %s, want it where that is filled in", own.Name, field)
		}
	}

	return text, nil
}

// Asked returns the system's and the user's text of a request. A prompt with the field of its
// request is all that the model is told, as with published ones. A prompt without the field becomes
// the system's text.
func (p Prompts) Asked(own Prompt, request string) (instructions, whole string) {
	text := p.Text(own)
	if !strings.Contains(text, own.request) {
		return text, request
	}
	return "", pytext.Format(text, own.request, request)
}

// Hash returns the first digits of a SHA-256 of what a model is told under some prompts: answers to
// different words are not comparable.
func (p Prompts) Hash(prompts ...Prompt) string {
	var parts []string
	for _, own := range prompts {
		parts = append(parts, own.Name, p.Text(own))
	}
	return Key(parts...)[:12]
}

// Replaced names the prompts that a user has replaced, with a hash of their texts, or returns "".
func (p Prompts) Replaced() string {
	if len(p.texts) == 0 {
		return ""
	}

	var parts, names []string
	for _, name := range slices.Sorted(maps.Keys(p.texts)) {
		names, parts = append(names, name), append(parts, name, p.texts[name])
	}
	return strings.Join(names, ",") + " " + Key(parts...)[:12]
}

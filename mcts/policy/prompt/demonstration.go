package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/disk"
)

// Demonstration is a solved task, shown in the prompt as an example.
type Demonstration struct {
	Question string              `yaml:"question"`
	Turns    []DemonstrationTurn `yaml:"turns"`
}

// DemonstrationTurn is one action of a demonstration and the answer it got.
type DemonstrationTurn struct {
	Action      string `yaml:"action"` // as ReAct: Thought, Action and Action Input
	Observation string `yaml:"observation"`
}

// DemonstrationOf returns a history as a demonstration, without the spaces around its texts.
func DemonstrationOf(h envs.History) Demonstration {
	d := Demonstration{Question: strings.TrimSpace(h.Task().Question)}
	for _, t := range h.Turns() {
		d.Turns = append(d.Turns, DemonstrationTurn{
			Action: strings.TrimSpace(string(t.Action)), Observation: strings.TrimSpace(t.Observation),
		})
	}

	return d
}

// Size is how many bytes its texts have together.
func (d Demonstration) Size() int {
	n := len(d.Question)
	for _, t := range d.Turns {
		n += len(t.Action) + len(t.Observation)
	}
	return n
}

// demonstrationFile is one file: the pool of one dataset.
type demonstrationFile struct {
	Demonstrations []Demonstration `yaml:"demonstrations"`
}

// Validate reports the first reason why the demonstration would teach a model something wrong about
// the format: no question, an action that is not a Thought, an Action and an Action Input holding
// one JSON object, or a last action that is not Finish.
func (d Demonstration) Validate() error {
	if strings.TrimSpace(d.Question) == "" {
		return errors.New("has no question")
	}

	if len(d.Turns) == 0 {
		return fmt.Errorf("%q has no turns", d.Question)
	}

	for i, t := range d.Turns {
		call, err := action.ReAct{}.ParseStrict(t.Action)
		if err != nil {
			return fmt.Errorf("%q: turn %d: %w", d.Question, i+1, err)
		}

		if last := i == len(d.Turns)-1; last != (call.Name == envs.FinishTool) {
			return fmt.Errorf("%q: turn %d of %d calls %s: the last turn, and no other, calls %s",
				d.Question, i+1, len(d.Turns), call.Name, envs.FinishTool)
		}
	}

	return nil
}

// LoadDemonstrations reads the pools of every dataset: the files DATASET.yaml at the top of fsys,
// each a mapping with the one key "demonstrations". Unknown keys, invalid demonstrations and
// questions that occur twice in a file are errors. Files with other extensions are ignored.
func LoadDemonstrations(fsys fs.FS) (map[string][]Demonstration, error) {
	return loadDemonstrations(fsys, func(text []byte) ([]byte, error) { return text, nil })
}

// MadeDemonstrations reads what [WriteDemonstrations] wrote into a folder; a missing folder has
// none. A file that is not as it was written is [disk.ErrDamaged].
func MadeDemonstrations(dir string) (map[string][]Demonstration, error) {
	return loadDemonstrations(os.DirFS(dir), disk.Unseal)
}

func loadDemonstrations(fsys fs.FS, unseal func(text []byte) ([]byte, error)) (map[string][]Demonstration, error) {
	names, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("prompt: list demonstrations: %w", err)
	}

	pools := make(map[string][]Demonstration, len(names))
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("prompt: read demonstrations: %w", err)
		}

		var pool []Demonstration
		if text, err = unseal(text); err == nil {
			pool, err = parseDemonstrations(text)
		}

		if err != nil {
			return nil, fmt.Errorf("prompt: %s: %w", name, err)
		}

		pools[strings.TrimSuffix(path.Base(name), ".yaml")] = pool
	}
	return pools, nil
}

// ReadDemonstrations reads a user's own pools: a folder as [LoadDemonstrations] does, or one file
// that serves every dataset.
func ReadDemonstrations(path string, datasets []string) (map[string][]Demonstration, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return LoadDemonstrations(os.DirFS(path))
	}

	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("prompt: read demonstrations: %w", err)
	}

	pool, err := parseDemonstrations(text)
	if err != nil {
		return nil, fmt.Errorf("prompt: %s: %w", path, err)
	}

	pools := make(map[string][]Demonstration, len(datasets))
	for _, name := range datasets {
		pools[name] = pool
	}
	return pools, nil
}

// WriteDemonstrations writes a pool as the file of a dataset, in a folder that is made if it is
// missing.
func WriteDemonstrations(dir, dataset string, pool []Demonstration) error {
	text, err := yaml.MarshalWithOptions(demonstrationFile{pool},
		yaml.UseLiteralStyleIfMultiline(true), yaml.IndentSequence(true))
	if err != nil {
		return err
	}

	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return disk.WriteSealed(filepath.Join(dir, dataset+".yaml"), text)
}

func parseDemonstrations(text []byte) ([]Demonstration, error) {
	var file demonstrationFile
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&file); err != nil {
		return nil, err
	}

	for i, d := range file.Demonstrations {
		if err := d.Validate(); err != nil {
			return nil, fmt.Errorf("demonstration %d: %w", i+1, err)
		}

		if slices.ContainsFunc(file.Demonstrations[:i],
			func(e Demonstration) bool { return sameQuestion(e.Question, d.Question) }) {
			return nil, fmt.Errorf("demonstration %d: %q occurs twice", i+1, d.Question)
		}
	}

	return file.Demonstrations, nil
}

// sameQuestion reports whether two questions differ at most in spacing.
func sameQuestion(a, b string) bool {
	return a == b || strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
}

// render writes the demonstration in a codec.
func (d Demonstration) render(b *strings.Builder, codec action.Codec, spaced func(string) string) {
	b.WriteString(QuestionText(d.Question))
	b.WriteString("\n\n")

	for _, t := range d.Turns {
		renderTurn(b, spaced(t.Text(codec)), t.Observation)
	}
}

// Text returns the action in a codec.
func (t DemonstrationTurn) Text(codec action.Codec) string {
	if codec == (action.ReAct{}) {
		return t.Action
	}

	call, err := action.ReAct{}.Parse(t.Action)
	if err != nil {
		return t.Action
	}
	return codec.Format(action.ReAct{}.Thought(t.Action), call)
}

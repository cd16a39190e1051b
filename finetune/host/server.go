package host

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"toolevo/envs/names"
	"toolevo/envs/regular"
	"toolevo/envs/yamltext"
)

// Kind is the protocol of a server, and the kind of policies that ask it.
type Kind string

// The kinds.
const (
	OpenAI Kind = "openai"
	Ollama Kind = "ollama"
)

// Server says how checkpoints are served.
type Server struct {
	Kind        Kind              `yaml:"kind"`
	Adapters    bool              `yaml:"adapters"`    // a vLLM that runs already loads adapters as they are
	Command     []string          `yaml:"command"`     // starts it; none for a server that runs already
	Environment map[string]string `yaml:"environment"` // of the command, beside ours
	Wait        int               `yaml:"wait"`        // seconds until it answers, at most
}

// Load reads the server of a name in a folder, or else the file at a path.
func Load(folder fs.FS, name string) (Server, error) {
	text, err := regular.ReadNamed(folder, "server", name)
	if err != nil {
		return Server{}, err
	}

	var s Server

	err = yamltext.Decode(text, &s, yaml.Strict())
	if err == nil {
		err = s.Check()
	}

	if err != nil {
		return Server{}, fmt.Errorf("server %s: %w", name, err)
	}

	return s, nil
}

// Check refuses a server that cannot serve.
func (s Server) Check() error {
	if _, err := names.Parse("kind", string(s.Kind), []string{string(OpenAI), string(Ollama)}); err != nil {
		return err
	}

	if s.Wait < 1 {
		return fmt.Errorf("wait: %d: want the seconds that the server may take until it answers", s.Wait)
	}

	if s.Adapters && (s.Kind != OpenAI || len(s.Command) > 0) {
		return fmt.Errorf("adapters: they are loaded into a server of the kind %s that runs already, without a command",
			OpenAI)
	}

	if len(s.Command) == 0 && (s.Kind == Ollama || s.Adapters) {
		return nil
	}

	needed := []string{"{port}"}
	if s.Kind == OpenAI {
		needed = []string{"{model}", "{name}", "{port}"}
	}

	for _, place := range needed {
		if !strings.Contains(strings.Join(s.places(), " "), place) {
			return fmt.Errorf("command: it holds no %s, so the server would not know what to serve, or where", place)
		}
	}

	return nil
}

// places are the texts in which a name between braces stands for something.
func (s Server) places() []string {
	all := slices.Clone(s.Command)
	for _, value := range s.Environment {
		all = append(all, value)
	}

	return all
}

func (s Server) patience() time.Duration { return time.Duration(s.Wait) * time.Second }

package host

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"toolevo/envs/disk"
	"toolevo/envs/names"
	"toolevo/envs/yamltext"
	"toolevo/mcts/policy/server"
)

// Server says how checkpoints are served.
type Server struct {
	Kind        string            `yaml:"kind"`        // of the server, and of the policies that ask it
	Adapters    bool              `yaml:"adapters"`    // a vLLM that is running loads adapters as they are
	Command     []string          `yaml:"command"`     // starts it; empty for a server that is running
	Calls       []string          `yaml:"calls"`       // added to the command for a model of native calls
	Environment map[string]string `yaml:"environment"` // of the command, besides this process's
	Wait        int               `yaml:"wait"`        // seconds until it answers, at most
}

// Load reads the server of a name in a folder, or else the file at a path.
func Load(folder fs.FS, name string) (Server, error) {
	text, err := disk.ReadNamed(folder, "server", name)
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

// Check rejects a server that cannot serve.
func (s Server) Check() error {
	if _, err := names.Parse("kind", s.Kind, server.KindNames()); err != nil {
		return err
	}

	hosting := s.kind().Hosting

	if s.Wait < 1 {
		return fmt.Errorf("wait: %d: want the seconds that the server may take until it answers", s.Wait)
	}

	if s.Adapters && (hosting.Adapt == nil || len(s.Command) > 0) {
		return fmt.Errorf("adapters: only a running server of the kind %s loads them, "+
			"so it takes no command", strings.Join(adapting(), " or "))
	}

	if len(s.Command) == 0 && (hosting.Publish != nil || s.Adapters) {
		return nil
	}

	for _, place := range hosting.Needs {
		if !strings.Contains(strings.Join(s.places(), " "), place) {
			return fmt.Errorf("command: it holds no %s, so the server would not know what to "+
				"serve, or where", place)
		}
	}

	return nil
}

// kind returns the kind of the server, nil if it was not checked.
func (s Server) kind() *server.Kind { return server.FindKind(s.Kind) }

// adapting returns the names of the kinds whose servers load adapters.
func adapting() (all []string) {
	for _, k := range server.Kinds() {
		if k.Hosting.Adapt != nil {
			all = append(all, k.Name)
		}
	}

	return all
}

// places returns the texts in which names between braces are replaced.
func (s Server) places() []string {
	all := slices.Clone(s.Command)
	for _, value := range s.Environment {
		all = append(all, value)
	}
	return all
}

// waitLimit returns how long the server may take until it answers.
func (s Server) waitLimit() time.Duration { return time.Duration(s.Wait) * time.Second }

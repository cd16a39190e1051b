package questions

import (
	"embed"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"toolevo/toolqa"
)

//go:embed demonstrations/*.yaml
var demonstrations embed.FS

// Demonstrations returns the embedded solved questions, DATASET.yaml for each dataset: what prompts
// show under the paper's settings. They are true of the synthetic corpora of seed 1, and solved in
// the prompt version (p_c): none shows an API that has changed.
func Demonstrations() fs.FS {
	pools, err := fs.Sub(demonstrations, "demonstrations")
	if err != nil {
		panic(err) // the name is valid
	}
	return pools
}

// demonstrated returns the embedded demonstrations' questions.
var demonstrated = sync.OnceValue(func() map[toolqa.Dataset][]string {
	all := map[toolqa.Dataset][]string{}

	err := fs.WalkDir(Demonstrations(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}

		text, err := fs.ReadFile(Demonstrations(), name)
		if err != nil {
			return err
		}

		var pool struct {
			Demonstrations []struct{ Question string }
		}
		if err := yaml.Unmarshal(text, &pool); err != nil {
			return err
		}

		ds := toolqa.Dataset(strings.TrimSuffix(path.Base(name), ".yaml"))
		for _, d := range pool.Demonstrations {
			all[ds] = append(all[ds], d.Question)
		}
		return nil
	})
	if err != nil {
		panic(err) // they are part of the program
	}

	return all
})

package voice

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// The data files.
var (
	//go:embed apis.yaml
	apisFile string
	//go:embed texts.yaml
	textsFile string
	//go:embed voices.yaml
	voicesFile string
)

// tools are the tools as the base version has them.
var tools = sync.OnceValue(func() []toolapi.APISpec { return stategen.Tools("voice/apis.yaml", apisFile) })

// texts are the parts of texts.
type texts struct {
	Words map[string][]string `yaml:"words"`
	Kinds [][][]string        `yaml:"kinds"` // of each kind its rows of sentences
}

var parts = sync.OnceValue(func() *texts { return parse[texts]("texts.yaml", textsFile) })

// draw returns a text of at least two sentences.
func (t *texts) draw(rng *rand.Rand) string {
	drawn := map[string]string{}
	word := func(name string) string {
		if drawn[name] == "" {
			drawn[name] = pick(rng, t.Words[name])
		}

		return drawn[name]
	}

	var sentences []string

	for _, row := range pick(rng, t.Kinds) {
		if sentence := pick(rng, row); sentence != "" {
			sentences = append(sentences, os.Expand(sentence, word))
		}
	}

	return strings.Join(sentences, " ")
}

// names are what libraries are made of.
type names struct {
	Categories []string `yaml:"categories"`
	Female     []string `yaml:"female"`
	Male       []string `yaml:"male"`
}

var voiceNames = sync.OnceValue(func() *names { return parse[names]("voices.yaml", voicesFile) })

// draw returns a library: a voice of each category and gender, sorted by name.
func (n *names) draw(rng *rand.Rand) []voice {
	female, male := rng.Perm(len(n.Female)), rng.Perm(len(n.Male))

	var all []voice
	for i, category := range n.Categories {
		all = append(all,
			voice{n.Female[female[i]], category, "female"},
			voice{n.Male[male[i]], category, "male"})
	}

	slices.SortFunc(all, byName)

	return all
}

// parse reads an embedded file.
func parse[T any](path, text string) *T {
	v := new(T)
	if err := yaml.NewDecoder(strings.NewReader(text), yaml.Strict()).Decode(v); err != nil {
		panic(fmt.Sprintf("voice: %s: %v", path, err))
	}

	return v
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

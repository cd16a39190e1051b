package voice

import (
	"embed"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"

	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
	"toolevo/envs/yamltext"
)

//go:embed apis.yaml
var apisFile string

//go:embed texts.yaml voices.yaml library.yaml
var files embed.FS

// tools are the tools as the base version has them.
var tools = sync.OnceValue(func() []toolapi.APISpec { return stategen.Tools("voice/apis.yaml", apisFile) })

// texts are the parts of texts.
type texts struct {
	Words map[string][]string `yaml:"words"`
	Kinds [][][]string        `yaml:"kinds"` // for each kind its rows of sentences
}

var parts = yamltext.Once[texts](files, "texts.yaml")

// draw returns a text of at least two sentences.
func (t texts) draw(rng *rand.Rand) string {
	drawn := map[string]string{}
	word := func(name string) string {
		if drawn[name] == "" {
			drawn[name] = stategen.Pick(rng, t.Words[name])
		}
		return drawn[name]
	}

	var sentences []string

	for _, row := range stategen.Pick(rng, t.Kinds) {
		if sentence := stategen.Pick(rng, row); sentence != "" {
			sentences = append(sentences, os.Expand(sentence, word))
		}
	}

	return strings.Join(sentences, " ")
}

// names are the names in libraries.
type names struct {
	Categories []string `yaml:"categories"`
	Female     []string `yaml:"female"`
	Male       []string `yaml:"male"`
}

var voiceNames = yamltext.Once[names](files, "voices.yaml")

// draw returns a library: a voice of each category and gender, sorted by name.
func (n names) draw(rng *rand.Rand) []voice {
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

package doctor

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"strings"

	"github.com/goccy/go-yaml"

	"toolevo/envs/yamltext"
	"toolevo/mcts/policy/server"
)

//go:embed findings.yaml
var files embed.FS

// findings are the checks of findings.yaml by their names there.
var findings = yamltext.Once[map[string]Check](files, "findings.yaml")

// findingsAbout returns the findings about servers of a kind: its own fields replace the general
// ones.
func findingsAbout(k *server.Kind) map[string]Check {
	about := maps.Clone(findings())

	var own map[string]Check
	if err := yaml.UnmarshalWithOptions(k.Findings, &own, yaml.Strict()); err != nil {
		panic(fmt.Sprintf("doctor: the findings of %s: %v", k.Name, err)) // the program brings them along
	}

	for name, c := range own {
		all := about[name]
		about[name] = Check{
			Verdict: cmp.Or(c.Verdict, all.Verdict), Seen: cmp.Or(c.Seen, all.Seen), Run: cmp.Or(c.Run, all.Run),
			Do: cmp.Or(c.Do, all.Do), Set: all.Set,
		}
	}

	return about
}

// finding returns the check of a name in findings.yaml with its figures filled in.
func (p *examination) finding(name string, figures ...any) Check {
	c := p.findings[name]

	for _, text := range []*string{&c.Seen, &c.Run, &c.Do} {
		if strings.Contains(*text, "%") {
			*text = fmt.Sprintf(*text, figures...)
		}
	}

	set := make(map[string]string, len(c.Set))
	for key, value := range c.Set { // those of the file stay as they are
		if set[key] = value; strings.Contains(value, "%") {
			set[key] = fmt.Sprintf(value, figures...)
		}
	}

	if c.Set = set; len(set) == 0 {
		c.Set = nil
	}
	return c
}

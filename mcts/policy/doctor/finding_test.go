package doctor

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
)

// Every finding in the file is one that the code makes, complete, and the code makes no other.
func TestFindings(t *testing.T) {
	t.Parallel()

	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}

	made := map[string]bool{}

	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}

		for _, match := range regexp.MustCompile(`(?:p\.finding\(|finding(?:, seen)? :?= )"([^"]+)"`).
			FindAllStringSubmatch(string(text), -1) {
			made[match[1]] = true
		}
	}

	for name := range made {
		if _, ok := findings()[name]; !ok {
			t.Errorf("findings.yaml has no %s", name)
		}
	}

	for name, f := range findings() {
		if f.Seen == "" || f.Run == "" || f.Do == "" && name != "logprobs-after" ||
			!slices.Contains([]Verdict{OK, Unknown, Warning, Problem}, f.Verdict) {
			t.Errorf("%s: %+v", name, f)
		}

		if !made[name] {
			t.Errorf("no check makes %s", name)
		}

	}

	for _, kind := range []*server.Kind{{}, openai.Kind, ollama.Kind} {
		p := &examination{findings: findingsAbout(kind)}
		for name := range p.findings {
			c := p.finding(name, 1, 2, 3, 4, 5)
			if text := c.Seen + c.Run + c.Do; strings.Contains(text, "INDEX") || strings.Contains(text, "EXTRA") ||
				strings.Contains(text, "NOVERB") || strings.Contains(text, "\n") || c.Seen == "" {
				t.Errorf("%s of %s: %s", name, kind.Name, text)
			}
		}
	}
}

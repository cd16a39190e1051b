package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestPathsAreShort holds that what five people come for is at most ten commands. TestPages follows
// them.
func TestPathsAreShort(t *testing.T) {
	t.Parallel()

	for _, walked := range []struct{ person, page, section string }{
		{"first tree", "README.md", "First tree"},
		{"a night on vLLM", "mcts/README.md", "A night on vLLM"},
		{"a night on a hosted API with a budget", "mcts/policy/HOSTED.md", "OpenAI, with a limit"},
		{"a paper's tables", "finetune/EVALUATE.md", "A paper's tables"},
		{"a trained checkpoint", "finetune/README.md", "A trained checkpoint"},
	} {
		if !slices.ContainsFunc(pages, func(g guide) bool { return g.path == walked.page }) {
			t.Errorf("%s: nobody follows %s", walked.person, walked.page)
		}

		n := 0

		for _, b := range blocks(t, walked.page, walked.section) {
			n += len(b.commands())
		}

		if n == 0 || n > 10 {
			t.Errorf("%s takes %d commands, want at most 10", walked.person, n)
		}
	}
}

// TestPagesAnswer holds that what people ask most is answered at most two clicks from the README.
func TestPagesAnswer(t *testing.T) {
	t.Parallel()

	clicks := clicksFromReadme(t)

	for question, answer := range map[string]struct{ path, words string }{
		"how to install":                  {"cmd/toolevo/INSTALL.md", "pip install toolevo"},
		"the first tree":                  {"README.md", "toolevo inspect runs/first"},
		"a night on vLLM":                 {"mcts/README.md", "vllm serve"},
		"which signal ends a night":       {"mcts/README.md", "nohup"},
		"Ollama":                          {"mcts/policy/README.md", "## Ollama"},
		"a hosted API with a limit":       {"mcts/policy/HOSTED.md", "--max-cost"},
		"how to resume":                   {"mcts/README.md", "## How to resume"},
		"questions of one's own":          {"toolqa/README.md", "## Your own questions"},
		"training with TRL":               {"finetune/README.md", "## With TRL"},
		"training with LLaMA-Factory":     {"finetune/README.md", "## With LLaMA-Factory"},
		"what OFFICIAL and the rest mean": {"finetune/EVALUATE.md", "| LOST |"},
		"what the sandbox holds":          {"SECURITY.md", "## The engines"},
	} {
		if n, ok := clicks[answer.path]; !ok || n > 2 {
			t.Errorf("%s: %s is not two clicks from the README", question, answer.path)
		}

		says(t, question, string(read(t, filepath.Join(repository, answer.path))), answer.words)
	}

	for _, p := range pages {
		if n, ok := clicks[p.path]; !ok || n > 2 {
			t.Errorf("%s is not two clicks from the README", p.path)
		}
	}
}

// clicksFromReadme says how many links lead from the README to each document.
func clicksFromReadme(t *testing.T) map[string]int {
	t.Helper()

	clicks := map[string]int{"README.md": 0}

	for queue := []string{"README.md"}; len(queue) > 0; queue = queue[1:] {
		for _, l := range links(t, queue[0]) {
			if _, seen := clicks[l.file]; !seen && path.Ext(l.file) == ".md" {
				clicks[l.file] = clicks[queue[0]] + 1
				queue = append(queue, l.file)
			}
		}
	}

	return clicks
}

// TestLinksLeadSomewhere holds that links between documents lead to files and headings that are
// there.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()

	for _, from := range documents(t) {
		for _, l := range links(t, from) {
			if _, err := os.Stat(filepath.Join(repository, l.file)); err != nil {
				t.Errorf("%s: %v", from, err)
			} else if l.heading != "" && !slices.Contains(headings(t, l.file), l.heading) {
				t.Errorf("%s: %s has no heading #%s", from, l.file, l.heading)
			}
		}
	}
}

// link leads to a file of the repository, and to a heading there if it names one.
type link struct{ file, heading string }

var target = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// links are the links of a document that stay in the repository.
func links(t *testing.T, from string) []link {
	t.Helper()

	var all []link

	for _, found := range target.FindAllStringSubmatch(string(read(t, filepath.Join(repository, from))), -1) {
		file, heading, _ := strings.Cut(found[1], "#")
		if strings.Contains(found[1], "://") {
			continue
		}

		if file = path.Join(path.Dir(from), file); strings.HasPrefix(found[1], "#") {
			file = from
		}

		all = append(all, link{file, heading})
	}
	return all
}

// headings are the names of a document's headings in links, as GitHub makes them.
func headings(t *testing.T, file string) []string {
	t.Helper()

	var all []string

	for line := range strings.Lines(string(read(t, filepath.Join(repository, file)))) {
		title := strings.TrimLeft(line, "#")
		if title == line {
			continue
		}

		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}

			return -1
		}, strings.TrimSpace(title)))
	}
	return all
}

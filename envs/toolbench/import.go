package toolbench

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"toolevo/envs/disk"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// Published is files as they were published, read and found to be in order.
type Published struct {
	Collection *Collection
	Groups     []string // in alphabetical order
	archive    archive
}

// file is a published file.
type file struct {
	Name   string          `json:"name"` // of a group, or of a category and tool, without .json
	SHA256 string          `json:"sha256"`
	Text   json.RawMessage `json:"text"`
}

// archive is what the data folder keeps of a split: the files themselves, so that one parser reads
// both.
type archive struct {
	Format  int    `json:"format"`
	Queries []file `json:"queries"`
	IDs     []file `json:"ids"`
	Tools   []file `json:"tools"`
}

// Import reads the query files GROUP.json of a folder, or one such file, and tool documents
// CATEGORY/TOOL.json of another, unless that is "". Where the first has the published layout
// (solvable_queries with test_instruction and test_query_ids), the ID files say which queries there
// are.
func Import(queries, tools string) (*Published, error) {
	var (
		p   = &Published{}
		err error
	)

	// Only the published layout has ID files; any other folder asks all of its queries.
	folder, ids := layout(queries)
	if p.archive.Queries, err = readFolder(folder, "queries"); err != nil {
		return nil, err
	}

	if len(p.archive.Queries) == 0 {
		return nil, fmt.Errorf("toolbench: no query file in %s: want e.g. G1_instruction.json",
			folder)
	}

	if ids != "" {
		if p.archive.IDs, err = readFolder(ids, "IDs"); err != nil {
			return nil, err
		}
	}

	if tools != "" {
		if p.archive.Tools, err = readTools(tools); err != nil {
			return nil, err
		}
	}

	for _, f := range p.archive.Queries {
		p.Groups = append(p.Groups, f.Name)
	}

	// Files are parsed together, as several may have the same document, and must agree on it.
	p.Collection, err = p.archive.collection()
	return p, err
}

// Select returns those entries of the query files that keep takes, by group, as they were
// published.
func (p *Published) Select(keep func(group string, id int) bool) (
	map[string]json.RawMessage, error) {
	files := map[string]json.RawMessage{}

	for _, f := range p.archive.Queries {
		var entries []json.RawMessage
		if err := json.Unmarshal(f.Text, &entries); err != nil {
			return nil, err // it was read before
		}

		entries = slices.DeleteFunc(entries, func(e json.RawMessage) bool {
			var q struct {
				ID int `json:"query_id"`
			}
			return json.Unmarshal(e, &q) != nil || !keep(f.Name, q.ID)
		})

		text, err := json.Marshal(entries)
		if err != nil {
			return nil, err
		}

		files[f.Name] = text
	}
	return files, nil
}

// layout returns the folder of the query files and that of the ID files, "" if there is none.
func layout(dir string) (queries, ids string) {
	if inside := filepath.Join(dir, "solvable_queries"); isFolder(inside) {
		dir = inside
	}

	if queries = filepath.Join(dir, "test_instruction"); !isFolder(queries) {
		return dir, ""
	}

	if ids = filepath.Join(dir, "test_query_ids"); !isFolder(ids) {
		ids = ""
	}
	return queries, ids
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// readFolder reads the files *.json of a folder, or one such file, in the order of their names. All
// must have the form.
func readFolder(dir, form string) ([]file, error) {
	if name, isJSON := strings.CutSuffix(filepath.Base(dir), ".json"); isJSON && !isFolder(dir) {
		f, err := readFile(name, dir, form)
		return []file{f}, err
	}

	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("toolbench: %w", err)
	}

	var files []file

	for _, entry := range entries {
		name, isJSON := strings.CutSuffix(entry.Name(), ".json")
		if !isJSON || entry.IsDir() {
			continue
		}

		f, err := readFile(name, filepath.Join(dir, entry.Name()), form)
		if err != nil {
			return nil, err
		}

		files = append(files, f)
	}
	return files, nil
}

//go:embed forms.json
var formsText string

// forms returns a form of published files: queries, tool or IDs.
var forms = sync.OnceValue(func() map[string]*toolapi.Form {
	all, _, err := pytext.DecodeObject(formsText)
	forms := map[string]*toolapi.Form{}

	for _, name := range []string{"queries", "tool", "IDs"} {
		if err == nil {
			forms[name], err = toolapi.NewForm(all.With("$ref", "#/$defs/"+name))
		}
	}

	if err != nil {
		panic(err) // the forms are part of the program
	}
	return forms
})

func readFile(name, path, form string) (file, error) {
	text, value, err := ReadJSON(path)
	if err != nil {
		return file{}, fmt.Errorf("toolbench: %w", err)
	}

	if place, why := forms()[form].Misfit(value); why != "" {
		return file{}, fmt.Errorf("toolbench: %s: at /%s: %s", path, strings.Join(place, "/"), why)
	}

	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return file{}, err // it was read before
	}
	return file{name, fmt.Sprintf("%x", sha256.Sum256(text)), compact.Bytes()}, nil
}

// ReadJSON reads a JSON file; objects keep their order. The error says where a mistake is.
func ReadJSON(path string) (text []byte, value any, err error) {
	if text, err = disk.ReadJSON(path); err != nil {
		return nil, nil, err
	}

	value, err = pytext.DecodeStrict(string(text))
	if err == nil && !json.Valid(text) {
		err = errors.New("it has values that only Python takes for JSON")
	}

	if err != nil {
		return nil, nil, fmt.Errorf("%s is not JSON: %w", path, err)
	}
	return text, value, nil
}

// readTools reads the tool documents of all categories.
func readTools(dir string) ([]file, error) {
	categories, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("toolbench: %w", err)
	}

	var all []file

	for _, category := range categories {
		// Published folders may have other files beside the categories.
		if !category.IsDir() {
			continue
		}

		files, err := readFolder(filepath.Join(dir, category.Name()), "tool")
		if err != nil {
			return nil, err
		}

		for _, f := range files {
			// Two categories may have tools with the same name.
			f.Name = category.Name() + "/" + f.Name
			all = append(all, f)
		}
	}

	// A folder one level too high or too low has no documents, and must not pass for an empty one.
	if len(all) == 0 {
		return nil, fmt.Errorf("toolbench: no tool document in %s: want e.g. Sports/tool.json", dir)
	}
	return all, nil
}

// collection parses the files.
func (a *archive) collection() (*Collection, error) {
	b := newBuilder()

	for _, f := range a.Queries {
		if err := b.readQueries(f.Name, f.Text); err != nil {
			return nil, fmt.Errorf("toolbench: %s.json: %w", f.Name, err)
		}
	}

	for _, f := range a.Tools {
		category, _, _ := strings.Cut(f.Name, "/")
		if err := b.readTool(category, f.Text); err != nil {
			return nil, fmt.Errorf("toolbench: %s.json: %w", f.Name, err)
		}
	}

	c := b.collection()

	for _, f := range a.IDs {
		if err := c.keepListed(f); err != nil {
			return nil, fmt.Errorf("toolbench: IDs of %s.json: %w", f.Name, err)
		}
	}

	_, err := c.Functions()
	return c, err
}

// keepListed leaves out the queries of a group that its ID file does not list, and notes those that
// are not there.
func (c *Collection) keepListed(f file) error {
	var listed map[int]any
	if err := json.Unmarshal(f.Text, &listed); err != nil {
		return err
	}

	wanted := map[int]bool{}
	for id := range listed {
		wanted[id] = true
	}

	c.Queries = slices.DeleteFunc(c.Queries, func(q Query) bool {
		listed := wanted[q.ID]
		if q.Group == f.Name {
			delete(wanted, q.ID)
		}
		return q.Group == f.Name && !listed
	})

	for id := range wanted {
		c.Missing = append(c.Missing, (&Query{Group: f.Name, ID: id}).Name())
	}

	slices.Sort(c.Missing)
	return nil
}

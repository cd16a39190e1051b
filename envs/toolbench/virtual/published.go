package virtual

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
)

// Imported is what became of answers that were imported.
type Imported struct {
	Files    int            `json:"files"`    // that were read
	Added    int            `json:"added"`    // answers that the cache did not have
	Known    int            `json:"known"`    // answers to calls that it had
	Rejected map[string]int `json:"rejected"` // answers that are not worth keeping, by why
}

// Import reads a cache as StableToolBench publishes it, CATEGORY/TOOL_for_CATEGORY/API.json:
// answers under a version. A file is a JSON object of answers by arguments, which are printed
// Python dictionaries. All or nothing is kept; a broken file is an error that names the entry.
func (c *Cache) Import(ctx context.Context, folder, version string) (Imported, error) {
	paths, err := filepath.Glob(filepath.Join(globEscaped(folder), "*", "*", "*.json"))
	if err != nil {
		return Imported{}, err
	}

	if len(paths) == 0 {
		return Imported{}, fmt.Errorf("no cache in %s: want files "+
			"CATEGORY/TOOL_for_CATEGORY/API.json", folder)
	}

	// Of two answers to one call the first is kept, so the order must always be the same.
	slices.Sort(paths)

	var all []Entry

	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return Imported{}, err
		}

		entries, err := readPublished(path, version)
		if err != nil {
			return Imported{}, err
		}

		all = append(all, entries...)
	}

	// All files are read before any answer is kept, so a broken one leaves the cache as it was.
	result, err := c.Keep(ctx, all)
	result.Files = len(paths)
	return result, err
}

// Keep keeps answers that others got, all or none, except those that are not worth keeping. An
// answer that the cache has stays.
func (c *Cache) Keep(ctx context.Context, all []Entry) (Imported, error) {
	result := Imported{Rejected: map[string]int{}}

	var worth []Entry

	for _, e := range all {
		reason, worthy := Check(e.Answer)
		if !worthy {
			result.Rejected[reason]++
			continue
		}

		if e.Made.IsZero() {
			e.Made = now()
		}

		worth = append(worth, e)
	}

	var err error
	if result.Added, err = c.add(ctx, worth); err != nil {
		return result, err
	}

	result.Known = len(worth) - result.Added
	return result, nil
}

// globEscaped returns a pattern that matches a path only.
func globEscaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// readPublished reads the answers of one API, in the order of the file.
func readPublished(path, version string) ([]Entry, error) {
	folder := filepath.Dir(path)
	category := filepath.Base(filepath.Dir(folder))

	// The names of published folders repeat the category.
	tool, ok := strings.CutSuffix(filepath.Base(folder), "_for_"+category)
	if !ok {
		return nil, fmt.Errorf("%s: want a folder TOOL_for_%s", path, category)
	}

	name := strings.TrimSuffix(filepath.Base(path), ".json")
	api := toolbench.Key{Category: category, Tool: tool, API: name}

	_, file, err := toolbench.ReadJSON(path)
	if err != nil {
		return nil, err
	}

	// Unlike a map, it keeps the order: of two answers to one call, the first is kept.
	object, ok := file.(envs.Args)
	if !ok {
		return nil, fmt.Errorf("%s: want an object of answers by arguments", path)
	}

	entries := make([]Entry, len(object))

	for i, member := range object {
		e, err := publishedEntry(version, api, member)
		if err != nil {
			return nil, fmt.Errorf("%s: entry %d: %w", path, i+1, err)
		}

		entries[i] = e
	}
	return entries, nil
}

// publishedEntry reads an answer and its arguments.
func publishedEntry(version string, api toolbench.Key, member envs.Arg) (Entry, error) {
	v, err := pytext.DecodeLiteral(member.Name)
	if err != nil {
		return Entry{}, fmt.Errorf("the arguments %.80q: %w", member.Name, err)
	}

	args, ok := v.(envs.Args)
	if !ok {
		return Entry{}, fmt.Errorf("the arguments %.80q are not a dictionary", member.Name)
	}

	o, ok := member.Value.(envs.Args)
	if !ok {
		return Entry{}, errors.New("the answer is not an object")
	}

	a, ok := AnswerOf(o)
	if !ok {
		return Entry{}, errors.New("the answer has no response")
	}
	return Entry{Call: NewCall(version, api, args), Answer: a, Provenance: Replayed}, nil
}

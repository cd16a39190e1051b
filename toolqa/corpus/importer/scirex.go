package importer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// scirexSections is the published file of passages, made of the sections of all papers.
const scirexSections = "Preprocessed_Scirex.jsonl"

// scirexFiles finds the files of papers (train.jsonl, dev.jsonl and test.jsonl of SciREX) and of
// passages. The passages are also in the papers: their own file is read only where some papers are
// missing. A file that from names is the only one.
func scirexFiles(_ layout.Schema, from string) ([]string, error) {
	if stat, err := os.Stat(from); err == nil && !stat.IsDir() {
		return []string{from}, nil
	}
	var paths []string

	for _, name := range []string{"train.jsonl", "dev.jsonl", "test.jsonl"} {
		if path, err := findBeside(toolqa.SciREX, from, name); err == nil {
			paths = append(paths, path)
		}
	}

	if len(paths) == 3 {
		return paths, nil
	}

	path, err := findBeside(toolqa.SciREX, from, scirexSections)
	if err == nil {
		return append([]string{path}, paths...), nil
	}

	if len(paths) == 0 {
		return nil, fmt.Errorf("%w; nor train.jsonl, dev.jsonl or test.jsonl of SciREX", err)
	}
	return paths, nil
}

// findBeside looks where published files may be, and in the folders of the published repository.
func findBeside(ds toolqa.Dataset, from, name string) (string, error) {
	path, err := findPublished(ds, from, name)
	for _, folder := range []string{"raw_data", "external_corpus"} {
		if err == nil {
			break
		}

		if elsewhere, noFolder := findPublished(ds, filepath.Join(from, folder), name); noFolder == nil {
			path, err = elsewhere, nil
		}
	}
	return path, err
}

// importScirex copies passages and relations.
func importScirex(src *source) (layout.Part, error) {
	im := &scirexImport{src: src}

	im.papers = src.paths
	if i := slices.IndexFunc(src.paths, isScirexSections); i >= 0 {
		im.sections, im.papers = src.paths[i], slices.Delete(slices.Clone(src.paths), i, i+1)
	}

	src.short = len(im.papers) == 0
	if src.short && !src.opts.AllowShort {
		return nil, fmt.Errorf("corpus: import %s: no train.jsonl, dev.jsonl or test.jsonl of SciREX "+
			"beside %s: they hold the results that questions are made from (allow-short imports the "+
			"passages alone)", src.dataset, im.sections)
	}

	return im.run, nil
}

func isScirexSections(path string) bool { return filepath.Base(path) == scirexSections }

type scirexImport struct {
	src      *source
	sections string   // the file of passages; "" when they are taken from the papers
	papers   []string // the files of papers
	w        layout.SciREXWriter
}

func (im *scirexImport) run(_ context.Context, put func(table string, values ...any) error) error {
	im.w = layout.SciREXWriter{Put: put}
	if im.sections != "" {
		if err := im.copySections(); err != nil {
			return err
		}
	}

	if len(im.papers) == 0 {
		return nil
	}
	return im.src.objects(layout.SciREXPapers, im.paper, im.papers...)
}

// copySections copies the file of passages. Its IDs count from zero, so a missing line is noticed.
func (im *scirexImport) copySections() error {
	return im.src.objects(1, func(_ int, object envs.Args) error {
		content, ok := object.Text("content")
		if !ok {
			return badLine(`no text as "content"`)
		}

		if id, ok := object.Text("id"); ok && strings.HasPrefix(id, string(toolqa.SciREX)+"-") && im.src.skipped == 0 {
			if want := layout.SciREXID(im.w.Documents); id != want {
				return badLine("id %.50q; expected %s: are there lines missing before?", id, want)
			}
		}

		return im.w.Section(content)
	}, im.sections)
}

// paper copies one paper. If it is broken, nothing of it is written.
func (im *scirexImport) paper(_ int, object envs.Args) error {
	id, ok := object.Text("doc_id")
	if !ok {
		return badLine(`no text as "doc_id"`)
	}

	var sections []string
	var err error

	// With a file of passages, the sections come from there.
	if im.sections == "" {
		if sections, err = scirexContents(object); err != nil {
			return err
		}
	}

	relations, err := scirexRelations(id, object)
	if err != nil {
		return err
	}

	// Only now, when all of the paper is known to be right: a bad row leaves no trace.
	for _, content := range sections {
		if err := im.w.Section(content); err != nil {
			return err
		}
	}

	for _, r := range relations {
		if err := im.w.Relation(r); err != nil {
			return err
		}
	}

	return nil
}

// scirexContents returns the sections of a paper: its words from a start to an end, with spaces
// between.
func scirexContents(object envs.Args) ([]string, error) {
	list, err := array(object, "words")
	if err != nil {
		return nil, err
	}

	words := make([]string, len(list))
	for i, v := range list {
		var ok bool
		if words[i], ok = v.(string); !ok {
			return nil, badLine("word %d is a %s", i, pytext.TypeName(v))
		}
	}

	if list, err = array(object, "sections"); err != nil {
		return nil, err
	}

	contents := make([]string, len(list))
	for i, v := range list {
		bounds, _ := v.([]any)
		if len(bounds) != 2 {
			return nil, badLine("section %d is not a start and an end", i)
		}

		// The end is exclusive, so it may be the number of words.
		start, end := position(bounds[0], len(words)), position(bounds[1], len(words))
		if start < 0 || end < start {
			return nil, badLine("section %d is %.50s; the paper has %d words", i, pytext.Repr(v), len(words))
		}

		// The published passages are words with blanks between, too.
		contents[i] = strings.Join(words[start:end], " ")
	}
	return contents, nil
}

// position returns a JSON number that is a place among n words, or -1.
func position(v any, n int) int {
	number, _ := v.(envs.Number)

	i, err := strconv.Atoi(string(number))
	if err != nil || i > n {
		return -1
	}
	return i
}

// array returns a member that is an array.
func array(object envs.Args, name string) ([]any, error) {
	v, ok := object.Get(name)

	list, isList := v.([]any)
	switch {
	case !ok:
		return nil, badLine("no key %s", name)
	case !isList:
		return nil, badLine("key %s: a %s; expected an array", name, pytext.TypeName(v))
	}

	return list, nil
}

// scirexRelations returns the relations of a paper.
func scirexRelations(paper string, object envs.Args) ([]layout.Relation, error) {
	list, err := array(object, "n_ary_relations")
	if err != nil {
		return nil, err
	}

	relations := make([]layout.Relation, len(list))
	for i, v := range list {
		relation, ok := v.(envs.Args)
		if !ok {
			return nil, badLine("relation %d: a %s; expected an object", i, pytext.TypeName(v))
		}

		r := &relations[i]

		r.Paper = paper
		for _, member := range []struct {
			name string
			to   *string
		}{{"Material", &r.Material}, {"Method", &r.Method}, {"Metric", &r.Metric}, {"Task", &r.Task}} {
			if *member.to, ok = relation.Text(member.name); !ok {
				return nil, badLine("relation %d: no text as %s", i, member.name)
			}
		}

		// SciREX has scores as texts and as numbers, and which it was is kept. A missing one is
		// nil, and refused below.
		score, _ := relation.Get("score")
		switch score := score.(type) {
		case string:
			r.Score = score
		case envs.Number:
			r.Score, r.Number = pytext.Str(score), true
		default:
			return nil, badLine("relation %d: the score is a %s; expected a text or a number", i,
				pytext.TypeName(score))
		}
	}

	return relations, nil
}

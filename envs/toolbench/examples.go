package toolbench

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolevo/envs/display"
)

const (
	// examplesOfGroup is how many queries there are to choose a group's demonstrations from.
	examplesOfGroup = 12

	// firstExample is above the ID of any published query.
	firstExample = 10_000_000
)

// MakeExamples writes queries about documents of a data folder into one more split of it, for
// demonstrations: each wants one API with values that its document gives, is offered what a query
// of the same group is offered, and is in none of the splits. Imported queries of that split stay.
func MakeExamples(data, split string, splits []string) error {
	isImported := func(q Query) bool { return q.ID < firstExample }
	if kept, err := Open(data, split); err == nil && slices.ContainsFunc(kept.Queries, isImported) {
		return nil
	}

	// The split that is written is replaced, so its own queries do not count.
	splits = slices.DeleteFunc(slices.Clone(splits), func(s string) bool { return s == split })

	all, err := OpenAll(data, splits)
	if err != nil || len(all) == 0 {
		return err
	}

	made := map[string][]publishedQuery{} // by group
	wanted := map[Key]bool{}

	for _, name := range splits {
		if all[name] == nil {
			continue
		}

		for i := range all[name].Queries {
			q := &all[name].Queries[i]
			// A few per group are enough to choose from, and each of them has to be solved.
			if len(made[q.Group]) == examplesOfGroup {
				continue
			}

			if e, ok := all[name].example(q, wanted); ok {
				e.ID = firstExample + len(made[q.Group])
				made[q.Group] = append(made[q.Group], e)
			}
		}
	}

	var p Published

	for group, queries := range made {
		text, err := json.Marshal(queries)
		if err != nil {
			return fmt.Errorf("toolbench: %w", err)
		}

		hash := fmt.Sprintf("%x", sha256.Sum256(text))
		p.archive.Queries = append(p.archive.Queries, file{group, hash, text})
	}

	slices.SortFunc(p.archive.Queries, func(a, b file) int {
		return strings.Compare(a.Name, b.Name)
	})

	// Made queries are read as published ones are, so they are checked in the same way.
	if p.Collection, err = p.archive.collection(); err == nil {
		_, err = p.Save(data, split, splits)
	}
	return err
}

// example returns a query about the first API of q that is not asked for yet, and whose document
// has a description, a response and a value for each required parameter.
func (c *Collection) example(q *Query, wanted map[Key]bool) (publishedQuery, bool) {
	e := publishedQuery{}

	for _, k := range q.APIs {
		d, _ := c.Document(k) // a collection has those of its queries
		e.APIs = append(e.APIs, *d)

		request, ok := d.request()
		if !ok || wanted[k] || e.Text != "" {
			continue
		}

		wanted[k] = true
		e.Text, e.Relevant = request, [][2]string{{k.Tool, k.API}}
	}
	return e, e.Text != ""
}

// request asks for what an API does, with the document's own values.
func (d *Document) request() (string, bool) {
	if d.Description == "" || d.Template == nil {
		return "", false
	}

	var values []string

	for _, p := range d.Required {
		v, ok := p.Example()
		if !ok {
			return "", false
		}

		values = append(values, fmt.Sprintf("%s is %v", p.Name, v))
	}

	does := strings.TrimRight(display.Line(d.Description, 200), ". ")
	text := fmt.Sprintf("I want to use %q of %s: %s.", d.API, d.Tool, does)

	if values != nil {
		text += " The " + strings.Join(values, ", the ") + "."
	}
	return text + " What does it say?", true
}

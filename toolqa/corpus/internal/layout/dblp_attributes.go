package layout

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/tidwall/gjson"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// DBLPMaker is one author as a paper names them.
type DBLPMaker struct{ ID, Name, Org string }

// AppendAttributes appends the attributes of a paper's node, with the keys of the published graph in its order.
func AppendAttributes(dst []byte, p Paper, makers []DBLPMaker) []byte {
	authors := make([]any, len(makers))
	for i, m := range makers {
		authors[i] = envs.Args{member("id", m.ID), member("name", m.Name), member("org", m.Org)}
	}

	keywords := make([]any, len(p.Keywords))
	for i, k := range p.Keywords {
		keywords[i] = k
	}

	return pytext.AppendJSON(dst, envs.Args{
		member("title", p.Title),
		member("authors", authors),
		member("year", envs.Number(strconv.Itoa(p.Year))),
		member("venue", envs.Args{member("raw", p.Venue)}),
		member("n_citation", envs.Number(strconv.Itoa(p.NCitation))),
		member("keywords", keywords),
		member("doc_type", p.DocType),
		member("page_start", p.PageStart),
		member("page_end", p.PageEnd),
	})
}

// AppendOrg appends the attributes of an author's node.
func AppendOrg(dst []byte, org string) []byte {
	return pytext.AppendJSON(dst, envs.Args{member("org", org)})
}

func member(name string, value any) envs.Arg { return envs.Arg{Name: name, Value: value} }

// ParseAttributes reads the attributes of a paper's node, without the title. What is missing or null is empty, and what
// should be a text and is none is its JSON.
func ParseAttributes(text []byte) (p Paper, makers []DBLPMaker, err error) {
	node, err := parseNode(text)
	if err != nil {
		return p, nil, err
	}

	// A loop over the members is several times as fast as looking each of them up.
	node.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "authors":
			makers, err = parseMakers(value)
		case "year":
			p.Year = truncated(value)
		case "venue":
			if value.IsObject() {
				value = value.Get("raw")
			}

			p.Venue = looseText(value)
		case "n_citation":
			p.NCitation = truncated(value)
		case "keywords":
			p.Keywords, err = parseKeywords(value)
		case "doc_type":
			p.DocType = looseText(value)
		case "page_start":
			p.PageStart = looseText(value)
		case "page_end":
			p.PageEnd = looseText(value)
		}

		return err == nil
	})

	if err == nil && (int(int16(p.Year)) != p.Year || int(int32(p.NCitation)) != p.NCitation) {
		err = fmt.Errorf("attributes: year %d or n_citation %d is out of range", p.Year, p.NCitation)
	}

	return p, makers, err
}

// ParseOrg returns the org among the attributes of an author's node.
func ParseOrg(text []byte) (string, error) {
	node, err := parseNode(text)
	return looseText(node.Get("org")), err
}

func parseNode(text []byte) (gjson.Result, error) {
	if !gjson.ValidBytes(text) {
		return gjson.Result{}, errors.New("attributes: not JSON")
	}

	node := gjson.ParseBytes(text)
	if !node.IsObject() {
		return gjson.Result{}, fmt.Errorf("attributes: %.40q is not an object", text)
	}

	return node, nil
}

func parseMakers(list gjson.Result) ([]DBLPMaker, error) {
	authors, err := items(list)

	makers := make([]DBLPMaker, len(authors))
	for i, a := range authors {
		makers[i] = DBLPMaker{ID: looseText(a.Get("id")), Name: looseText(a.Get("name")), Org: looseText(a.Get("org"))}
	}

	return makers, err
}

func parseKeywords(list gjson.Result) ([]string, error) {
	words, err := items(list)

	keywords := make([]string, len(words))
	for i, w := range words {
		keywords[i] = looseText(w)
	}

	return keywords, err
}

// items returns the items of a list; null has none.
func items(list gjson.Result) ([]gjson.Result, error) {
	if list.Type != gjson.Null && !list.IsArray() {
		return nil, fmt.Errorf("attributes: %.40q is not a list", list.Raw)
	}

	return list.Array(), nil
}

// looseText is a text, or the JSON of what is none.
func looseText(v gjson.Result) string {
	if v.Type == gjson.Number {
		return v.Raw
	}

	return v.String()
}

// truncated is a number without its fraction, or 0 for what is none.
func truncated(v gjson.Result) int {
	if v.Type != gjson.Number {
		return 0
	}

	return int(max(math.MinInt, min(v.Num, 1<<62)))
}

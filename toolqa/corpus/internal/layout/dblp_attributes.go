package layout

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// Attributes are those of a paper's node, as the published graph has them. What is missing or null is empty,
// and what is of another type is its JSON text.
type Attributes struct {
	Authors   []attributedAuthor `json:"authors"`
	Year      looseInt           `json:"year"`
	Venue     looseVenue         `json:"venue"`
	NCitation looseInt           `json:"n_citation"`
	Keywords  []LooseText        `json:"keywords"`
	DocType   LooseText          `json:"doc_type"`
	PageStart LooseText          `json:"page_start"`
	PageEnd   LooseText          `json:"page_end"`
}

type attributedAuthor struct {
	ID   LooseText `json:"id"`
	Name LooseText `json:"name"`
	Org  LooseText `json:"org"`
}

// ParseAttributes reads the attributes of a paper's node.
func ParseAttributes(text []byte) (Attributes, error) {
	a, ok := parseUsual(text)
	if !ok {
		a = Attributes{}
		if err := json.Unmarshal(text, &a); err != nil {
			return a, fmt.Errorf("attributes: %w", err)
		}
	}

	if a.Year < math.MinInt16 || a.Year > math.MaxInt16 || a.NCitation < math.MinInt32 || a.NCitation > math.MaxInt32 {
		return a, fmt.Errorf("attributes: year %d or n_citation %d is out of range", a.Year, a.NCitation)
	}

	return a, nil
}

// ParseOrg returns the org among the attributes of an author's node.
func ParseOrg(text []byte) (string, error) {
	c := usual{rest: text, ok: true}
	c.skip(`{"org": `)

	org := c.text()
	if c.skip("}"); c.ok && len(c.rest) == 0 {
		return string(org), nil
	}

	var a struct {
		Org LooseText `json:"org"`
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return "", fmt.Errorf("attributes: %w", err)
	}

	return string(a.Org), nil
}

// parseUsual reads what appendAttributes writes, ten times as fast as package json. It reports whether text is that.
func parseUsual(text []byte) (a Attributes, ok bool) {
	c := &usual{rest: text, ok: true}
	c.skip(`{"title": `)
	c.text()
	c.skip(`, "authors": `)
	c.list(func() {
		var m attributedAuthor

		c.skip(`{"id": `)
		m.ID = c.text()
		c.skip(`, "name": `)
		m.Name = c.text()
		c.skip(`, "org": `)
		m.Org = c.text()
		c.skip("}")

		a.Authors = append(a.Authors, m)
	})
	c.skip(`, "year": `)
	a.Year = c.number()
	c.skip(`, "venue": {"raw": `)
	a.Venue = looseVenue(c.text())
	c.skip(`}, "n_citation": `)
	a.NCitation = c.number()
	c.skip(`, "keywords": `)
	c.list(func() { a.Keywords = append(a.Keywords, c.text()) })
	c.skip(`, "doc_type": `)
	a.DocType = c.text()
	c.skip(`, "page_start": `)
	a.PageStart = c.text()
	c.skip(`, "page_end": `)
	a.PageEnd = c.text()
	c.skip("}")

	return a, c.ok && len(c.rest) == 0
}

// usual reads a text of a known form. After the first thing that is not of that form it is not ok, and reads nothing.
type usual struct {
	rest []byte
	ok   bool
}

func (c *usual) skip(text string) {
	if !c.ok || len(c.rest) < len(text) || string(c.rest[:len(text)]) != text {
		c.ok = false
		return
	}

	c.rest = c.rest[len(text):]
}

func (c *usual) text() LooseText {
	if c.skip(`"`); !c.ok {
		return ""
	}

	end := bytes.IndexByte(c.rest, '"')
	if end < 0 {
		c.ok = false
		return ""
	}

	if bytes.IndexByte(c.rest[:end], '\\') < 0 {
		s := LooseText(c.rest[:end])
		c.rest = c.rest[end+1:]
		return s
	}

	for i := 0; i < len(c.rest); i++ {
		switch c.rest[i] {
		case '\\':
			i++
		case '"':
			var s string

			quoted := append(append([]byte{'"'}, c.rest[:i]...), '"')
			c.ok = json.Unmarshal(quoted, &s) == nil
			c.rest = c.rest[i+1:]

			return LooseText(s)
		}
	}

	c.ok = false

	return ""
}

func (c *usual) number() looseInt {
	n, digits := 0, 0
	for ; digits < len(c.rest) && digits < 10 && c.rest[digits] >= '0' && c.rest[digits] <= '9'; digits++ {
		n = n*10 + int(c.rest[digits]-'0')
	}

	c.ok = c.ok && digits > 0 && (digits == 1 || c.rest[0] != '0')
	c.rest = c.rest[digits:]

	return looseInt(n)
}

// list reads a list, whose items item reads.
func (c *usual) list(item func()) {
	c.skip("[")

	for first := true; c.ok && (len(c.rest) == 0 || c.rest[0] != ']'); first = false {
		if !first {
			c.skip(", ")
		}

		item()
	}

	c.skip("]")
}

// LooseText is a text, or the JSON of what is none.
type LooseText string

// UnmarshalJSON reads any value.
func (t *LooseText) UnmarshalJSON(text []byte) error {
	switch {
	case text[0] == '"':
		return json.Unmarshal(text, (*string)(t))
	case string(text) == "null":
		*t = ""
	default:
		*t = LooseText(text)
	}

	return nil
}

// looseInt is a number without its fraction, or 0 for what is none.
type looseInt int

// UnmarshalJSON reads any value.
func (n *looseInt) UnmarshalJSON(text []byte) error {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}

	f, _ := v.(float64)
	*n = looseInt(max(math.MinInt, min(f, 1<<62)))

	return nil
}

// looseVenue is the raw name in a venue that is an object, or what LooseText makes of it.
type looseVenue string

// UnmarshalJSON reads any value.
func (v *looseVenue) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		return (*LooseText)(v).UnmarshalJSON(text)
	}
	var object struct {
		Raw LooseText `json:"raw"`
	}
	err := json.Unmarshal(text, &object)
	*v = looseVenue(object.Raw)

	return err
}

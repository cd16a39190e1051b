package openapi

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// ErrArgument is wrapped by the error about a call that no request can express.
var ErrArgument = errors.New("a request has no place for it")

// Request returns the request of a call whose arguments the tool takes. secret returns secrets by
// the names of the document's security schemes; nil leaves them out.
func (o *Operation) Request(
	ctx context.Context, args envs.Args, secret func(name string) (string, bool),
) (*http.Request, error) {
	r := writing{header: http.Header{}, path: o.Path, json: envs.Args{}}

	// In the document's order, so the same arguments in any order are the same request.
	for _, p := range o.Parameters {
		if v, ok := args.Get(p.Name); ok {
			if err := r.write(p, v); err != nil {
				return nil, fmt.Errorf("openapi: parameter %q: %w: %w", p.Name, ErrArgument, err)
			}
		}
	}

	// Secrets come before the address, since its query may hold one.
	if err := r.authorize(o.Secrets, secret); err != nil {
		return nil, fmt.Errorf("openapi: %s %s: %w", o.Method, o.Path, err)
	}

	address, err := o.address(&r)
	if err != nil {
		return nil, fmt.Errorf("openapi: %s %s: %w", o.Method, o.Path, err)
	}

	body, has := r.text(o)

	request, err := http.NewRequestWithContext(ctx, o.Method, address, strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}

	if request.Header = r.header; has {
		r.header.Set("Content-Type", o.Media)
	}
	return request, nil
}

// writing is a request that is being written.
type writing struct {
	path   string
	query  []string // name=value, escaped
	cookie []string
	form   []string
	header http.Header

	json  envs.Args // the members of the body
	whole any       // or the body
}

// address returns the URL. No value may turn the path into another one.
func (o *Operation) address(r *writing) (string, error) {
	if at, err := url.Parse(o.Server); err != nil || at.Host == "" || at.Scheme == "" {
		return "", errors.New("the document names no server: give one")
	}

	if strings.ContainsAny(r.path, "{}") {
		return "", fmt.Errorf("a parameter of the path is missing: %w", ErrArgument)
	}

	plain, err := url.PathUnescape(r.path)
	if err != nil || slices.ContainsFunc(strings.FieldsFunc(plain, isSlash), isDots) {
		return "", fmt.Errorf("the path would be %s: %w", r.path, ErrArgument)
	}

	address := o.Server + r.path
	if query := slices.DeleteFunc(append([]string{o.Query}, r.query...), isEmpty); len(query) > 0 {
		address += "?" + strings.Join(query, "&")
	}
	return address, nil
}

func isEmpty(s string) bool { return s == "" }

// Some servers take an escaped slash, or one that leans the other way, for a slash.
func isSlash(r rune) bool { return r == '/' || r == '\\' }

func isDots(segment string) bool { return segment == "." || segment == ".." }

// text returns the body, and whether there is one.
func (r *writing) text(o *Operation) (body string, has bool) {
	switch {
	case o.Media == "":
	case o.Media == formMedia:
		return strings.Join(r.form, "&"), o.NeedsBody || len(r.form) > 0
	case r.whole != nil:
		return pytext.JSON(r.whole), true
	case o.NeedsBody || len(r.json) > 0:
		return pytext.JSON(r.json), true
	}

	return "", false
}

// write writes an argument in its place.
func (r *writing) write(p Parameter, v any) error {
	// A member of a JSON body keeps its type. Every other place takes a text.
	switch {
	case p.In == Body && p.JSON && p.Wire == "":
		r.whole = v
		return nil
	case p.In == Body && p.JSON:
		r.json = append(r.json, envs.Arg{Name: p.Wire, Value: v})
		return nil
	case p.JSON:
		v = pytext.JSON(v)
	}

	switch p.In {
	case Path:
		return r.inPath(p, v)
	case Header:
		return r.inHeader(p, v)
	}

	pairs, err := p.pairs(v)

	switch p.In {
	case Query:
		r.query = append(r.query, pairs...)
	case Cookie:
		r.cookie = append(r.cookie, pairs...)

		// A request may have only one such header, so it is set anew with each cookie.
		r.header.Set("Cookie", strings.Join(r.cookie, "; "))
	case Body:
		r.form = append(r.form, pairs...)
	}

	return err
}

func (r *writing) inPath(p Parameter, v any) error {
	_, isObject := v.(envs.Args)
	first, between := "", ","

	switch {
	case p.Style == "label":
		first = "."
	case p.Style == "matrix" && p.Explode && isObject:
		first = ";"
	case p.Style == "matrix":
		first = ";" + escaped(p.Wire) + "="
	}

	if p.Explode && p.Style != "simple" {
		between = first
	}

	text, err := p.joined(v, escaped, between)
	if err == nil && text == "" {
		err = errors.New("it is empty, and a path needs it")
	}

	r.path = strings.ReplaceAll(r.path, "{"+p.Wire+"}", first+text)
	return err
}

func (r *writing) inHeader(p Parameter, v any) error {
	text, err := p.joined(v, func(s string) string { return s }, ",")

	switch {
	case err != nil:
		return err
	case !httpguts.ValidHeaderFieldName(p.Wire) || !httpguts.ValidHeaderFieldValue(text):
		return errors.New("it cannot stand in a header")
	}

	if items, _ := itemsOf(v); len(items) > 0 {
		r.header.Set(p.Wire, text)
	}
	return nil
}

// item is a scalar, an item of a list, or a member of an object.
type item struct{ name, value string }

// itemsOf takes a value apart. Values inside of its values become JSON; null has no items.
func itemsOf(v any) (items []item, isObject bool) {
	switch v := v.(type) {
	case nil:
		return nil, false
	case []any:
		for _, inside := range v {
			items = append(items, item{value: scalar(inside)})
		}
	case envs.Args:
		for _, m := range v {
			items = append(items, item{m.Name, scalar(m.Value)})
		}
		return items, true
	default:
		return []item{{value: scalar(v)}}, false
	}
	return items, false
}

func scalar(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	return pytext.JSON(v)
}

// joined returns the text of a value that is written in one place.
func (p Parameter) joined(v any, escape func(string) string, between string) (string, error) {
	items, isObject := itemsOf(v)
	_, isList := v.([]any)

	var texts []string

	for _, i := range items {
		name, value := escape(i.name), escape(i.value)

		switch {
		case (isObject || isList) && strings.Contains(name+value, between):
			return "", fmt.Errorf("the style %s cannot tell what a value has from what is between "+
				"values", p.Style)
		case !isObject:
			texts = append(texts, value)
		case p.Explode:
			texts = append(texts, name+"="+value)
		default:
			texts = append(texts, name, value)
		}
	}

	return strings.Join(texts, between), nil
}

// escaped returns a text with escapes for all characters but letters, digits and -._~.
func escaped(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// pairs returns the names and values for a query, for cookies or for a form.
func (p Parameter) pairs(v any) (pairs []string, err error) {
	if object, ok := v.(envs.Args); ok && p.Wire == "" {
		// A form body as a whole: each member is a parameter of its own, in the style of the whole.
		for _, m := range object {
			more, err := Parameter{Wire: m.Name, Style: p.Style, Explode: p.Explode}.pairs(m.Value)
			if err != nil {
				return nil, err
			}

			pairs = append(pairs, more...)
		}
		return pairs, nil
	}

	if p.Wire == "" {
		return nil, errors.New("the body of a form has to be an object")
	}

	// This style is written in one way, whatever explode says.
	if p.Style == "deepObject" {
		return deepPairs(p.Wire, v), nil
	}

	items, isObject := itemsOf(v)
	if len(items) == 0 { // null and what is empty leave no trace
		return nil, nil
	}

	// A list repeats the name of the parameter; members of an object have their own names.
	if p.Explode {
		for _, i := range items {
			name := p.Wire
			if isObject {
				name = i.name
			}

			pairs = append(pairs, escaped(name)+"="+escaped(i.value))
		}
		return pairs, nil
	}

	text, err := p.joined(v, escaped, delimiters[p.Style])
	return []string{escaped(p.Wire) + "=" + text}, err
}

// delimiters are what styles put, escaped, between values that are not exploded. A comma inside a
// value is escaped, too.
var delimiters = map[string]string{"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}

// deepPairs writes every scalar with the path to it in brackets.
func deepPairs(name string, v any) (pairs []string) {
	switch v := v.(type) {
	case nil:
	case envs.Args:
		for _, m := range v {
			pairs = append(pairs, deepPairs(name+"["+m.Name+"]", m.Value)...)
		}
	case []any:
		for i, inside := range v {
			pairs = append(pairs, deepPairs(fmt.Sprintf("%s[%d]", name, i), inside)...)
		}
	default:
		pairs = append(pairs, escaped(name)+"="+escaped(scalar(v)))
	}

	return pairs
}

// authorize adds the secrets of the first list that is known completely, and none where nothing but
// an empty one is: that lets everybody in, and whoever has a secret wants it sent.
func (r *writing) authorize(lists [][]Secret, secret func(string) (string, bool)) error {
	if len(lists) == 0 || secret == nil {
		return nil
	}

	var missing []string
	open := false

	for _, list := range lists {
		if len(list) == 0 {
			open = true
			continue
		}

		values := make([]string, len(list))
		known := true

		for i, s := range list {
			var ok bool
			// The certificate of a client is not part of a request.
			if values[i], ok = secret(s.Name); !ok || s.Type == "mutualTLS" {
				missing, known = append(missing, s.Name), false
			}
		}

		if !known {
			continue
		}

		for i, s := range list {
			if err := r.add(s, values[i]); err != nil {
				return fmt.Errorf("secret %s: %w", s.Name, err)
			}
		}

		return nil
	}

	if open {
		return nil
	}
	return fmt.Errorf("no secret of any of these names: %s", strings.Join(missing, ", "))
}

func (r *writing) add(s Secret, value string) error {
	switch {
	case s.Type == "apiKey":
		return r.write(Parameter{Wire: s.Wire, In: s.In, Style: styles[s.In][0]}, value)
	case s.Type == "http" && strings.EqualFold(s.Scheme, "basic"):
		value = "Basic " + base64.StdEncoding.EncodeToString([]byte(value))
	default:
		value = "Bearer " + value
	}

	return r.write(Parameter{Wire: "Authorization", In: Header, Style: "simple"}, value)
}

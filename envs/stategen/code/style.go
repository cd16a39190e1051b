package code

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	_ "embed"

	"toolevo/envs/pytext"
	"toolevo/envs/stategen/session"
)

// style is how programs of a domain are written.
type style interface {
	// call writes the call of a tool as the base has it.
	call(tool string, args []argument) string
	// changed writes the call of an API that has changed.
	changed(name string, args []argument) string
	// part writes a part of a value: a member of an object or an element of a list.
	part(value, key string) string
	// stubs returns the Python code that replaces the libraries.
	stubs() string
	// loaded tells models which libraries are loaded.
	loaded() string
}

// argument is an argument of a call in Python.
type argument struct {
	name, text string
	constant   any // the value of a text that is a literal
}

var (
	//go:embed prelude/functions.py
	functionStubs string

	//go:embed prelude/session.py
	requestStubs string

	//go:embed prelude/tensor.py
	torchStubs string
)

// functions are plain functions with keywords. Their objects have their handles in the member
// "speech".
type functions struct {
	objects map[string]bool // variables whose members are attributes
}

func (functions) stubs() string { return functionStubs }

func (functions) loaded() string {
	return "The APIs are functions that are loaded, as the variables are. What a tool knows by its handle is passed " +
		"as the object itself; its members are read like those of a dict."
}

func (functions) call(tool string, args []argument) string { return tool + "(" + keywords(args) + ")" }

func (functions) changed(name string, args []argument) string {
	if !identifier(name) {
		name = "globals()[" + pytext.Repr(name) + "]"
	}
	return name + "(" + keywords(args) + ")"
}

func (f functions) part(value, key string) string {
	switch {
	case key == "speech":
		return value
	case f.objects[value]:
		return value + "." + key
	}

	return index(value, key)
}

// torch are functions of PyTorch. Tensors are passed as they are, and have the properties of its
// tensors.
type torch struct{ whole bool } // without the short name F

func (torch) stubs() string { return torchStubs }

func (torch) loaded() string {
	return "torch and torch.nn.functional, which is called F, are loaded, as the variables are. Tensors are " +
		"passed as they are, and not by handles. Of a tensor x there are x.shape, a tuple, and x.dtype, and of one " +
		"that an API returned x.sum() and (x > x.mean()).sum(). Besides these and the APIs, nothing of torch is there."
}

func (t torch) call(tool string, args []argument) string {
	module, positional := "torch.", 1
	switch tool {
	case "linear", "conv2d":
		module, positional = "F.", 2
		if t.whole {
			module = "torch.nn.functional."
		}
	case "permute", "split":
		positional = 2
	case "transpose":
		positional = 3
	}

	positional = min(positional, len(args))
	texts := make([]string, 0, len(args))

	for _, a := range args[:positional] {
		texts = append(texts, a.text)
	}

	if rest := keywords(args[positional:]); rest != "" {
		texts = append(texts, rest)
	}
	return module + tool + "(" + strings.Join(texts, ", ") + ")"
}

func (torch) changed(name string, args []argument) string {
	if identifier(name) {
		return "torch." + name + "(" + keywords(args) + ")"
	}
	return "getattr(torch, " + pytext.Repr(name) + ")(" + keywords(args) + ")"
}

func (torch) part(value, key string) string {
	switch key {
	case "tensor":
		return value
	case "shape":
		return value + ".shape"
	case "above_mean":
		return "(" + value + " > " + value + ".mean()).sum().item()"
	}

	return index(value, key)
}

// requests are requests to a service.
type requests struct{}

func (requests) stubs() string { return requestStubs }

func (requests) loaded() string {
	return "requests and BASE_URL, the address of the service, are loaded, as the variables are. Bodies are JSON: a " +
		"response has json(), and raise_for_status(), which raises an error where the request was refused. " +
		"Sessions are dicts: what you have of them stays as it was when the service's own change."
}

func (q requests) call(tool string, args []argument) string {
	routes := session.Routes()

	i := slices.IndexFunc(routes, func(r session.Route) bool { return r.Tool == tool })
	if i < 0 {
		return q.changed(tool, args)
	}

	// A query names all of a route's parameters: requests leaves out those that are None.
	r := routes[i]
	argumentOf := func(name string) argument {
		i := slices.IndexFunc(args, func(a argument) bool { return a.name == name })
		if i < 0 {
			return argument{name: name, text: "None"}
		}
		return args[i]
	}

	path := inBraces.ReplaceAllStringFunc(r.Path, func(name string) string {
		return inURL(argumentOf(name[1 : len(name)-1]))
	})
	text := "requests." + strings.ToLower(r.Method) + `(f"{BASE_URL}` + path + `"`

	if len(r.Query) > 0 {
		members := make([]argument, len(r.Query))
		for i, name := range r.Query {
			members[i] = argumentOf(name)
		}

		text += ", params=" + dict(members)
	}

	if r.Body != "" {
		text += ", json=" + argumentOf(r.Body).text
	}

	// The other methods have empty responses, of which json() would fail.
	text += ")"
	if r.Method == "GET" || r.Method == "POST" {
		text += ".json()"
	}
	return text
}

// inBraces matches an argument in the path of a route.
var inBraces = regexp.MustCompile(`\{\w+\}`)

// inURL writes an argument as a path segment of an f-string. Within its braces, Python before 3.12
// allows no quotes of the outer kind.
func inURL(a argument) string {
	if text, ok := a.constant.(string); ok {
		return url.PathEscape(text)
	}
	return "{" + strings.ReplaceAll(a.text, `"`, "'") + "}"
}

func (requests) changed(name string, args []argument) string {
	return `requests.post(f"{BASE_URL}/api/` + url.PathEscape(name) + `", json=` + dict(args) + ")"
}

func (requests) part(value, key string) string { return index(value, key) }

// index writes an element of a list, or a member of an object.
func index(value, key string) string {
	if isIndex(key) {
		return value + "[" + key + "]"
	}
	return value + "[" + quote(key) + "]"
}

// isIndex reports whether a key of a path is an index of a list.
func isIndex(key string) bool { return key != "" && strings.Trim(key, "0123456789") == "" }

// quote writes a text as Python, in the quotes that most programs use.
func quote(text string) string {
	literal := pytext.Repr(text)
	if strings.ContainsAny(text, `"'\`) || len(literal) != len(text)+2 {
		return literal
	}
	return `"` + text + `"`
}

// keywords writes keyword arguments; names that are no identifiers go into a dict.
func keywords(args []argument) string {
	var (
		plain  []string
		others []argument
	)

	for _, a := range args {
		if identifier(a.name) {
			plain = append(plain, a.name+"="+a.text)
		} else {
			others = append(others, a)
		}
	}

	if len(others) > 0 {
		plain = append(plain, "**"+dict(others))
	}
	return strings.Join(plain, ", ")
}

// reserved are Python's keywords.
var reserved = strings.Fields("False None True and as assert async await break class continue def del elif else " +
	"except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield")

// identifier reports whether a name is a Python identifier.
func identifier(name string) bool {
	for i, r := range name {
		if !pytext.IsWord(r) || r > 0x7f || i == 0 && r >= '0' && r <= '9' {
			return false
		}
	}

	return name != "" && !slices.Contains(reserved, name)
}

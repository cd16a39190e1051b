package openapi

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"github.com/goccy/go-yaml"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
	"toolevo/envs/wire"
	"toolevo/envs/yamltext"
)

// The limits of a document.
const (
	mostBytes      = 32 << 20
	mostValues     = 4 << 20
	mostOperations = 20_000 // that are chosen
	mostReference  = 1000   // characters of a reference
	mostHops       = 50     // references to references
)

// document is a document as it is written.
type document struct {
	root envs.Args

	// parts are the members of the objects that references led into, by their JSON pointers: a
	// document may have thousands of schemas in one object.
	parts map[string]any
	noted map[string]bool // the objects whose members are there
}

// parse reads JSON, or else YAML.
func parse(text []byte) (d *document, err error) {
	if len(text) > mostBytes {
		return nil, fmt.Errorf("openapi: the document is larger than %d MiB: leave out what is not needed",
			mostBytes>>20)
	}

	d = &document{}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))

	switch {
	case !bytes.HasPrefix(text, []byte("{")):
		err = d.readYAML(text)
	case bytes.Count(text, []byte(","))+bytes.Count(text, []byte("["))+bytes.Count(text,
		[]byte("{")) > mostValues:
		err = fmt.Errorf("more than %d values: leave out what is not needed", mostValues)
	default:
		d.root, err = wire.Object(string(text))
	}

	if err != nil {
		return nil, fmt.Errorf("openapi: the document: %w", err)
	}

	d.parts, d.noted = map[string]any{"": d.root}, map[string]bool{}
	return d, d.checkVersion()
}

func (d *document) readYAML(text []byte) error {
	var decoded any
	if err := yamltext.DecodeJSON(text, &decoded, yaml.UseOrderedMap()); err != nil {
		return err
	}

	value, err := toolapi.JSONValue(decoded)
	if err != nil {
		return err
	}

	root, ok := value.(envs.Args)
	if !ok {
		return fmt.Errorf("want an object, not a %s", pytext.TypeName(value))
	}

	d.root = root
	return nil
}

func (d *document) checkVersion() error {
	swagger, _ := d.root.Get("swagger")
	version, _ := d.root.Get("openapi")

	switch text := pytext.Str(version); {
	case swagger != nil:
		return fmt.Errorf("openapi: the document is of Swagger %s: convert it to OpenAPI 3 first",
			pytext.Str(swagger))
	case version == nil:
		return fmt.Errorf("openapi: the document has no member openapi: it is not an OpenAPI document")
	case !strings.HasPrefix(text, "3.0") && !strings.HasPrefix(text, "3.1"):
		return fmt.Errorf("openapi: the document is of OpenAPI %.20s: want 3.0 or 3.1", text)
	}

	return nil
}

// resolve returns the object that v is or refers to, and the reference that led there last.
func (d *document) resolve(v any) (object envs.Args, err error) {
	var ref string

	for range mostHops {
		object, ok := v.(envs.Args)
		if !ok {
			return nil, refuse(Malformed, "a %s where an object should be", pytext.TypeName(v))
		}

		next, ok := object.Text("$ref")
		if !ok {
			return object, nil
		}

		if v, err = d.follow(next); err != nil {
			return nil, err
		}

		ref = next
	}
	return nil, refuse(Reference, "%s leads to more than %d others", ref, mostHops)
}

// follow returns what a reference leads to.
func (d *document) follow(ref string) (any, error) {
	pointer, local := strings.CutPrefix(ref, "#")
	if !local || len(ref) > mostReference || pointer != "" && pointer[0] != '/' {
		return nil, refuse(Reference, "%.100s leads out of the document", ref)
	}

	if text, err := url.PathUnescape(pointer); err == nil {
		pointer = text
	}

	if v, ok := d.part(pointer); ok {
		return v, nil
	}
	return nil, refuse(Reference, "%s leads nowhere", ref)
}

var pointerName = strings.NewReplacer("~", "~0", "/", "~1")

// part returns the value at a JSON pointer.
func (d *document) part(pointer string) (any, bool) {
	if v, ok := d.parts[pointer]; ok || pointer == "" {
		return v, ok
	}

	i := strings.LastIndexByte(pointer, '/')
	parent := pointer[:i]

	if !d.noted[parent] {
		d.noted[parent] = true

		v, _ := d.part(parent)
		switch v := v.(type) {
		case envs.Args:
			for _, m := range v {
				d.parts[parent+"/"+pointerName.Replace(m.Name)] = m.Value
			}
		case []any:
			for i, item := range v {
				d.parts[fmt.Sprint(parent, "/", i)] = item
			}
		}
	}

	v, ok := d.parts[pointer]
	return v, ok
}

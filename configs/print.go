package configs

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/token"
)

// String returns the configuration as a file: loading it again gives the same configuration.
func (r *Resolved) String() string {
	var out strings.Builder

	write := func(v any) {
		text, err := yaml.MarshalWithOptions(v, yaml.CustomMarshaler(writeText))
		if err != nil {
			panic(fmt.Sprintf("configs: a configuration that was read cannot be written: %v", err))
		}

		out.Write(text)
	}
	write(r.Config)

	for name, settings := range r.Sections() {
		write(yaml.MapSlice{{Key: name, Value: settings}})
	}
	return out.String()
}

// plain matches text that needs no quotes anywhere.
var plain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./-]*$`)

// writeText quotes all but plain text, as JSON does, which is valid YAML: a list on one line cannot
// always hold what goccy leaves bare or breaks into a block of lines.
func writeText(text string) ([]byte, error) {
	if plain.MatchString(text) && !token.IsNeedQuoted(text) {
		return []byte(text), nil
	}

	var quoted strings.Builder

	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)

	err := e.Encode(text)
	return []byte(strings.TrimSuffix(quoted.String(), "\n")), err
}

// Origin returns where the value of a setting comes from, e.g. "flag --seed"; for a default it
// begins with "default". An entry of a list or mapping has the origin of that.
func (r *Resolved) Origin(key string) string {
	path := strings.Split(key, ".")
	for i := range path {
		if origin := r.origins[strings.Join(path[:i+1], ".")]; origin != "" {
			return origin
		}
	}
	return ""
}

// Own returns the wanted settings that somebody chose, as a file: those that are neither defaults
// nor the preset's.
func (r *Resolved) Own(wanted func(key string) bool) string {
	var out strings.Builder
	var path, written []string

	for line := range strings.Lines(r.String()) {
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		path = append(path[:min(depth, len(path))], name)

		if key := strings.Join(path, "."); !r.isChosen(key) || !wanted(key) {
			continue
		}

		for i, section := range path[:depth] { // the sections around the line
			if i >= len(written) || written[i] != section {
				fmt.Fprintf(&out, "%s%s:\n", strings.Repeat("  ", i), section)
				written = append(written[:i], section)
			}
		}

		written = append(written[:depth], name)

		out.WriteString(line)
	}
	return out.String()
}

// isChosen reports whether a setting, or the one that it is part of, is neither a default nor the
// preset's.
func (r *Resolved) isChosen(key string) bool {
	origin := r.Origin(key)
	return origin != "" && !strings.HasPrefix(origin, "default") &&
		!strings.HasPrefix(origin, "preset ")
}

// Annotated returns String with each value's origin as a comment.
func (r *Resolved) Annotated() string {
	var out strings.Builder
	var path []string

	for line := range strings.Lines(r.String()) {
		line = strings.TrimSuffix(line, "\n")
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		path = append(path[:min(depth, len(path))], name)

		out.WriteString(line)

		if origin := r.origins[strings.Join(path, ".")]; origin != "" {
			out.WriteString(" # " + origin)
		}

		out.WriteByte('\n')
	}
	return out.String()
}

package configs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/yamltext"
)

// extent lists the settings that say how far a run goes: the same run may go further.
var extent = []string{"dataset", "difficulty", "template", "split", "questions", "limit",
	"search.trees"}

// incidental lists the settings that change no result: how often something is tried, and where to
// find things that a run's inputs identify by their contents.
var incidental = []string{
	"attempts", "python.engine", "python.executable", "python.accept",
	"training.tokenizer", "server.slots", "server.names", "server.headers",
	"server.session", "server.urls", "server.prices", "server.token_ids", "prompts",
}

// isExtent reports whether a setting says how far a run goes.
func isExtent(key string) bool { return slices.Contains(extent, key) }

// isIdentity reports whether a setting decides what a run finds, as far as it goes.
func isIdentity(key string) bool {
	changesNothing := func(setting string) bool {
		return key == setting || strings.HasPrefix(key, setting+".") // a value of a mapping
	}
	return !isExtent(key) && !slices.ContainsFunc(incidental, changesNothing) &&
		!isIncidentalToASuite(key)
}

// Hash identifies the settings that decide what a run finds, as far as it goes, by the first 16
// hexadecimal digits of a SHA-256. It leaves out settings that say how far the run goes, so that a
// run keeps its hash when it is extended, and those that change no result.
func (r *Resolved) Hash() string {
	var lines []string

	for key, value := range values(r.String()) {
		if isIdentity(key) {
			lines = append(lines, fmt.Sprintf("%s: %#v\n", key, value))
		}
	}

	slices.Sort(lines)
	return envs.SHA256(strings.Join(lines, ""))[:16]
}

// Difference lists the settings that differ between two configurations printed by String, and that
// decide what a run finds, as far as it goes: "key: ours, not theirs".
func Difference(ours, theirs string) []string { return difference(ours, theirs, isIdentity) }

// DifferentExtent lists the settings that differ and say how far a run goes, as Difference does.
func DifferentExtent(ours, theirs string) []string { return difference(ours, theirs, isExtent) }

func difference(ours, theirs string, counts func(key string) bool) []string {
	a, b := values(ours), values(theirs)
	keys := maps.Clone(a)
	maps.Copy(keys, b)

	text := func(value any) string {
		if value == nil || value == "" {
			return "(unset)"
		}
		return fmt.Sprint(value)
	}

	var out []string

	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if x, y := text(a[k]), text(b[k]); counts(k) && x != y {
			out = append(out, fmt.Sprintf("%s: %s, not %s", k, x, y))
		}
	}

	return out
}

// Values returns the value of every setting as text.
func (r *Resolved) Values() map[string]string {
	texts := map[string]string{}
	for key, value := range values(r.String()) {
		texts[key] = fmt.Sprint(value)
	}
	return texts
}

// values maps the dotted keys of a YAML mapping to their values. For text that is not YAML it
// returns nil.
func values(text string) map[string]any {
	var root map[string]any
	if err := yamltext.Decode([]byte(text), &root); err != nil {
		return nil
	}
	return flatten("", root)
}

func flatten(section string, settings map[string]any) map[string]any {
	all := map[string]any{}

	for name, value := range settings {
		if below, ok := value.(map[string]any); ok {
			maps.Copy(all, flatten(join(section, name), below))
			continue
		}

		all[join(section, name)] = value
	}
	return all
}

package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
)

const mostSaid = 120 // bytes of a tool's description

// sentence returns the first sentence of a tool's description, without its period, or the words of
// its name.
func sentence(a *toolapi.API) string {
	text := strings.TrimSpace(a.Sentence())
	if at := strings.IndexAny(text, ".\n"); at >= 0 {
		text = text[:at]
	}

	if text == "" || len(text) > mostSaid {
		text = cmp.Or(strings.Join(drift.Stems(a.Tool), " "), a.Tool) // a name may be all punctuation
		return display.Capital(text)
	}
	return text
}

// arguments puts the arguments of a call into words.
func arguments(args envs.Args) string {
	var all []string
	for _, a := range args {
		all = append(all, words(a.Name)+": "+phrased(a.Value))
	}
	return strings.Join(all, "; ")
}

// words returns the words of a name.
func words(name string) string {
	all := drift.Words(name)
	for i, w := range all {
		if strings.ToUpper(w) != w {
			all[i] = strings.ToLower(w)
		}
	}

	if len(all) == 0 {
		return name
	}
	return strings.Join(all, " ")
}

// phrased puts a value into words.
func phrased(value any) string {
	switch value := value.(type) {
	case Ref:
		return fmt.Sprintf("the %s that step %d gives", phrase(value.Pointer), value.Step)
	case envs.Args:
		var all []string
		for _, a := range value {
			all = append(all, words(a.Name)+" "+phrased(a.Value))
		}
		return strings.Join(all, ", ")
	case []any:
		var all []string
		for _, item := range value {
			all = append(all, phrased(item))
		}
		return strings.Join(all, " and ")
	case string:
		if strings.ContainsAny(value, " ;:,()") {
			return strconv.Quote(value)
		}
	}

	return spelled(value)
}

// phrase puts a JSON pointer into words: /orders/2/id is the id of the 3rd order.
func phrase(pointer envs.Pointer) string {
	var all []string

	for _, part := range pointer.Parts() {
		i, err := strconv.Atoi(part)

		switch {
		case err != nil:
			all = append(all, words(part))
		case len(all) == 0:
			all = append(all, display.Ordinal(i+1)+" item")
		default:
			all[len(all)-1] = display.Ordinal(i+1) + " " + singular(all[len(all)-1])
		}
	}

	if len(all) == 0 {
		return "text"
	}

	slices.Reverse(all)
	return strings.Join(all, " of the ")
}

// singular returns the singular of a plural.
func singular(plural string) string {
	if stem, ok := strings.CutSuffix(plural, "ies"); ok {
		return stem + "y"
	}

	if strings.HasSuffix(plural, "ss") {
		return plural
	}
	return strings.TrimSuffix(plural, "s")
}

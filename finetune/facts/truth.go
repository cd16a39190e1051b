package facts

import (
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/toolapi"
	"toolevo/trajectories"
)

// truth says whether a description that UpdateTool was given is true of the deployed version.
type truth string

// The kinds of descriptions.
const (
	isTrue           truth = "true"              // the tool exists, and each parameter that is listed
	unknownTool      truth = "unknown-tool"      // no deployed tool is described
	unknownParameter truth = "unknown-parameter" // the tool exists, and a parameter that is listed does not
)

// names are what a name may consist of: other characters than these end one, or, where something
// else stands before it, only letters, digits and underscores are of it.
var names = []string{"[^\\s\\[\\](),;:*\"'`]+", `\w+`}

// signatures find a name with its parameters, written as the tool list of a prompt or as code
// writes them.
var signatures = []*regexp.Regexp{signature(names[0]), signature(names[1])}

func signature(name string) *regexp.Regexp {
	return regexp.MustCompile(`(` + name + `)(?:\[([^\]]*)\]|\(([^)]*)\))`)
}

// word finds what may be a name without parameters.
var word = regexp.MustCompile(names[0])

// IsTrue reports whether what a description of a tool says is deployed.
func IsTrue(description string, v *toolapi.Version) bool { return truthOf(description, v) == isTrue }

// truthOf compares a description with the version that was deployed.
func truthOf(description string, v *toolapi.Version) truth {
	// The first signature is what is described: what follows explains it, with examples and the old
	// name.
	for _, pattern := range signatures {
		match := pattern.FindStringSubmatch(description)
		if match == nil {
			continue
		}

		api, ok := described(match[1], v)

		switch {
		case ok && hasParameters(api, match[2]+match[3]):
			return isTrue
		case ok:
			return unknownParameter
		}
	}

	isDescribed := func(name string) bool {
		_, ok := described(strings.TrimRight(name, ".!?"), v)
		return ok
	}

	words := slices.Concat(trajectories.Words(description), word.FindAllString(description, -1))
	if !signatures[0].MatchString(description) && slices.ContainsFunc(words, isDescribed) {
		return isTrue
	}

	return unknownTool
}

// described returns the API of a name that is worth a description. Those of the protocol are not:
// the prompt always describes them.
func described(name string, v *toolapi.Version) (*toolapi.API, bool) {
	api, ok := v.API(name)
	return api, ok && api.Tool != envs.FinishTool && api.Tool != envs.UpdateTool
}

// hasParameters reports whether an API has all parameters of a list. Of numbered parameters the API
// lists only the first, so any number matches.
func hasParameters(api *toolapi.API, list string) bool {
	for _, item := range strings.Split(list, ",") {
		name, _, _ := strings.Cut(item, ":")
		name, _, _ = strings.Cut(name, "=")

		if name = strings.Trim(name, "<>{}\"' \t\n"); name == "" || strings.Trim(name, ". …") == "" {
			continue
		}

		if !slices.ContainsFunc(api.Parameters, func(p toolapi.Parameter) bool {
			return p.Name == name || withoutNumber(p.Name) == withoutNumber(name)
		}) {
			return false
		}
	}

	return true
}

func withoutNumber(name string) string { return strings.TrimRight(name, "0123456789") }

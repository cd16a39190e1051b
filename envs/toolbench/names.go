package toolbench

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"toolevo/envs/names"
	"toolevo/envs/toolapi"
)

var separators = strings.NewReplacer(" ", "_", ",", "_", "/", "_")

// reserved are the words of Python that a name must not be.
var reserved = []string{"from", "class", "return", "false", "true", "id", "and"}

// CategoryName is the name of a category in paths and requests: "News, Media" is News_Media.
func CategoryName(category string) string {
	return strings.ReplaceAll(separators.Replace(category), "__", "_")
}

// notInNames matches what cannot be in a name. The published class has the circumflex by accident.
var notInNames = regexp.MustCompile(`[^a-zA-Z0-9^\x{4E00}-\x{9FA5}]+`)

// Name is the name of a tool or API in names of functions: "24h Weather" is get_24h_weather. It may
// be empty.
func Name(published string) string {
	name := strings.ToLower(strings.Trim(notInNames.ReplaceAllString(published, "_"), "_"))

	if name != "" && name[0] >= '0' && name[0] <= '9' {
		name = "get_" + name
	}

	if slices.Contains(reserved, name) {
		name = "is_" + name
	}
	return name
}

// FunctionName is the name of an API's function, unless it is too long or shared.
func FunctionName(k Key) string { return Name(k.API) + "_for_" + Name(k.Tool) }

// Functions returns the names of the functions of all documents. It is an error if two still have
// one name, which takes two equal hashes.
func (c *Collection) Functions() (map[Key]string, error) {
	shared := map[string]int{}
	for _, d := range c.Documents {
		shared[FunctionName(d.Key)]++
	}

	functions := make(map[Key]string, len(c.Documents))
	owners := make(map[string]Key, len(c.Documents))

	for _, d := range c.Documents {
		name := FunctionName(d.Key)
		if shared[name] > 1 || utf8.RuneCountInString(name) > toolapi.MostName {
			name = names.Marked(name, d.Category+"\n"+d.Tool+"\n"+d.API, toolapi.MostName)
		}

		if other, ok := owners[name]; ok {
			return nil, fmt.Errorf("toolbench: %s and %s are both called %s: leave one of them out", other, d.Key, name)
		}

		owners[name], functions[d.Key] = d.Key, name
	}
	return functions, nil
}

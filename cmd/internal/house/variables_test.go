package house

import (
	"regexp"
	"testing"

	"toolevo/configs"
)

// variableName is an environment variable of this program, as code names it.
var variableName = regexp.MustCompile(`"(TOOLEVO_[A-Z_]*[A-Z])"`)

// A variable that the program asks for, such as a key, is not one that it refuses to run with.
func TestVariablesAreKnown(t *testing.T) {
	_, files := source(t)
	for _, f := range files {
		if f.test || isHelper(f.pkg) || f.pkg == "configs" || f.pkg == "envs/sandbox/attack" {
			continue
		}

		for _, found := range variableName.FindAllStringSubmatch(string(f.text), -1) {
			if _, err := configs.EnvironmentLayers([]string{found[1] + "=x"}); err != nil {
				t.Errorf("%s: %v", f.path, err)
			}
		}
	}
}

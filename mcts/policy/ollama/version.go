package ollama

import (
	"strings"

	"golang.org/x/mod/semver"
)

// firstScored is the first version that gives log-probabilities.
const firstScored = "v0.12.11"

// GivesLogProbs reports whether a server of the version gives log-probabilities. A version that is not a release, such
// as the 0.0.0 of a build by hand, does not promise them.
func GivesLogProbs(version string) bool {
	release, _, _ := strings.Cut("v"+version, "-")
	return semver.Canonical(release) == release && semver.Compare(release, firstScored) >= 0
}

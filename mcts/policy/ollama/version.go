package ollama

import "fmt"

// firstScored is the first version that gives log-probabilities.
var firstScored = [3]int{0, 12, 11}

// GivesLogProbs reports whether a server of the version gives log-probabilities. A version that is not a release, such
// as the 0.0.0 of a build by hand, does not promise them.
func GivesLogProbs(version string) bool {
	var v [3]int
	if n, _ := fmt.Sscanf(version, "%d.%d.%d", &v[0], &v[1], &v[2]); n < len(v) {
		return false
	}

	for i, first := range firstScored {
		if v[i] != first {
			return v[i] > first
		}
	}

	return true
}

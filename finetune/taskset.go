package finetune

import (
	"encoding/json"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/trajectories"
)

// TaskSet returns the SHA-256, in hexadecimal digits, of what questions ask and what the right
// answers are, in whatever order: figures about two sets of questions can be compared only if their
// hashes are the same.
func TaskSet(questions []trajectories.Question) string {
	lines := make([]string, len(questions))

	for i, q := range questions {
		line, err := json.Marshal([]string{q.ID, q.Text + q.Tools, q.Gold})
		if err != nil {
			panic(err) // texts can always be encoded
		}

		lines[i] = string(line) + "\n"
	}

	slices.Sort(lines)
	return envs.SHA256(strings.Join(lines, ""))
}

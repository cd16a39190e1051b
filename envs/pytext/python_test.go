package pytext

import (
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// python runs a script with in as JSON on its standard input and decodes what it prints into out.
// It skips the test where there is no python3, or one whose json module words its errors
// differently.
func python(t *testing.T, script string, in, out any) {
	t.Helper()

	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, so there is nothing to compare with")
	}

	const check = "import sys; print((3, 8) <= sys.version_info < (3, 13))"
	if version, err := exec.Command(path, "-c", check).Output(); err != nil ||
		strings.TrimSpace(string(version)) != "True" {
		t.Skipf("python3 is none of 3.8 to 3.12: %s%v", version, err)
	}

	input, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}

	cmd := exec.Command(path, "-c", script)
	cmd.Stdin = strings.NewReader(string(input))

	output, err := cmd.Output()
	if err != nil {
		if failed, ok := err.(*exec.ExitError); ok {
			t.Logf("%s", failed.Stderr)
		}

		t.Fatalf("python3: %v", err)
	}

	if err := json.Unmarshal(output, out); err != nil {
		t.Fatal(err)
	}
}

// mixed returns n texts of up to size pieces, which stand in a list separated by bars.
func mixed(n, size int, list string) []string {
	pieces := strings.Split(list, "|")
	r := rand.New(rand.NewPCG(1, 2))

	texts := make([]string, n)
	for i := range texts {
		for range r.IntN(size + 1) {
			texts[i] += pieces[r.IntN(len(pieces))]
		}
	}

	return texts
}

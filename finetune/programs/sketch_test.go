package programs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/toolapi"
)

// surface is a domain as its tools are.
func surface(t *testing.T, d stategen.Domain) *code.Surface {
	t.Helper()

	base := &toolapi.Spec{
		Version: "p_c", Base: true, APIs: slices.Clone(d.APIs()),
		Messages: toolapi.Messages{Deprecated: "{{.Old.Name}} is now {{.Signature}}", Invalid: "no such API"},
	}

	for name, parameter := range map[string]string{envs.FinishTool: "answer", envs.UpdateTool: "newtool_desc"} {
		base.APIs = append(base.APIs, toolapi.APISpec{
			Name: name, Description: "which is the agent's.",
			Parameters: toolapi.Parameters{All: []toolapi.Parameter{{Name: parameter}}},
		})
	}

	catalog, err := toolapi.NewCatalog(base)
	if err != nil {
		t.Fatal(err)
	}

	v, err := catalog.Version("p_c")
	if err != nil {
		t.Fatal(err)
	}
	return &code.Surface{Domain: d, Base: v, Deployed: v}
}

// model answers with one text after the other, and then with its error.
type model struct {
	answers []string
	err     error
	asked   []string // the instructions of each answer
	seeds   []uint64
}

func (m *model) Write(_ context.Context, instructions, _ string, seed uint64) (string, error) {
	m.asked, m.seeds = append(m.asked, instructions), append(m.seeds, seed)

	if len(m.answers) == 0 {
		return "", m.err
	}

	answer := m.answers[0]
	m.answers = m.answers[1:]
	return answer, nil
}

func TestSketches(t *testing.T) {
	m := &model{answers: []string{
		"Here are two:\n```python\na = 1\n```\nand\n```\nb = 2\n```\n", "I would rather not.",
		"```py\nc = 3\n```\n```\nd\n```",
	}}

	got, err := sketches(t.Context(), Author{Writer: m}, surface(t, domains.All()[0]), 3, 7)
	if want := []string{"a = 1\n", "b = 2\n", "c = 3\n"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("error %v, programs %q, want %q", err, got, want)
	}

	if !slices.Equal(m.seeds, []uint64{7, 8, 9}) || m.asked[0] != m.asked[2] {
		t.Errorf("asked with the seeds %v, and other instructions: %t", m.seeds, m.asked[0] != m.asked[2])
	}
}

// The prompt documents every call, says how many there are to be, and shows a program of the
// domain.
func TestSketchPrompt(t *testing.T) {
	for _, d := range domains.All() {
		m, s := &model{answers: []string{"```\n```"}}, surface(t, d)
		if _, err := sketches(t.Context(), Author{Writer: m}, s, 1, 1); err != nil {
			t.Fatal(err)
		}

		for _, want := range append(s.Signatures(), "exactly 5", "RESULT = ") {
			if !strings.Contains(m.asked[0], want) {
				t.Errorf("%s: %q is not in the prompt:\n%s", d.Name(), want, m.asked[0])
			}
		}
	}
}

func TestModelsThatWriteNone(t *testing.T) {
	s := surface(t, domains.All()[0])

	silent := &model{answers: slices.Repeat([]string{"No."}, 9)}
	if _, err := sketches(t.Context(), Author{Writer: silent}, s, 1, 1); err == nil || len(silent.seeds) != 5 {
		t.Errorf("error %v after %d answers, want one after 5", err, len(silent.seeds))
	}

	down := errors.New("the server is down")
	if _, err := sketches(t.Context(), Author{Writer: &model{err: down}}, s, 1, 1); !errors.Is(err, down) {
		t.Errorf("error %v, want %v", err, down)
	}
}

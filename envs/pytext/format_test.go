package pytext

import "testing"

// As Python does: '{{{q}}} {a} {q}'.format(q='{a}', a='1') is '{{a}} 1 {a}'.
func TestFormat(t *testing.T) {
	t.Parallel()

	if got, want := Format("{{{q}}} {a} {q}", "{q}", "{a}", "{a}", "1"), "{{a}} 1 {a}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

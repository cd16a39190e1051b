package console

import "testing"

func TestShellWords(t *testing.T) {
	t.Parallel()
	if got, want := Shell("toolevo", "--out", "a b", "it's", "", "x=1,2", "~"),
		`toolevo --out 'a b' 'it'\''s' '' x=1,2 '~'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

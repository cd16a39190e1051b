package memo

import (
	"strconv"
	"testing"
)

// The latest values are kept, and no more than two generations of them.
func TestRecent(t *testing.T) {
	r := Recent[string]{Most: 10}
	for i := range 35 {
		r.Put(strconv.Itoa(i), strconv.Itoa(i))
	}

	kept := 0
	for i := range 35 {
		v, ok := r.Get(strconv.Itoa(i))
		if ok {
			kept++
		}

		if ok && v != strconv.Itoa(i) || !ok && i >= 25 {
			t.Errorf("%d: %q, %v", i, v, ok)
		}
	}

	if kept > 20 {
		t.Errorf("%d of 35 values are kept, where two times 10 are the most", kept)
	}
}

// Of two values that are made at once the first stays, also when it is of the older generation.
func TestRecentKeepsTheFirst(t *testing.T) {
	r := Recent[string]{Most: 1}
	if got := r.Put("a", "first"); got != "first" {
		t.Errorf("the kept value is %q", got)
	}

	for _, other := range []string{"a", "b"} {
		r.Put(other, "other")

		if got := r.Put("a", "second"); got != "first" {
			t.Errorf("after another value of %s the kept one is %q", other, got)
		}

		if got, ok := r.Get("a"); got != "first" || !ok {
			t.Errorf("after another value of %s there is %q, %v", other, got, ok)
		}
	}
}

package bench

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// The values of the last keys that were new are kept, and no others.
func TestRecent(t *testing.T) {
	t.Parallel()

	for most := 1; most <= 4; most++ {
		r := newRecent[int, string](most)

		var last []int // the keys that were new, in their order

		for i := range 200 {
			key := (i*i + i/7) % 7
			kept := slices.Contains(last[max(0, len(last)-most):], key)
			made := false

			got, err := r.get(key, func() (string, error) {
				made = true
				return fmt.Sprint(key, i), nil
			})
			if err != nil || made == kept || got[0] != byte('0'+key) {
				t.Fatalf("of %d: key %d after %v is made anew: %v; the value is %q (%v)", most, key,
					last, made, got, err)
			}

			if made {
				last = append(last, key)
			}
		}
	}
}

// What could not be made is tried again.
func TestRecentFailure(t *testing.T) {
	t.Parallel()

	r, cause := newRecent[int, string](2), errors.New("damaged")

	for range 2 {
		if _, err := r.get(1, func() (string, error) { return "", cause }); !errors.Is(err, cause) {
			t.Errorf("the error is %v", err)
		}
	}

	if got, err := r.get(1, func() (string, error) { return "a", nil }); got != "a" || err != nil {
		t.Errorf("after failures there is %q (%v)", got, err)
	}

	// Of two values that are made at once one stays: both callers get it.
	got, err := r.get(2, func() (string, error) {
		return r.get(2, func() (string, error) { return "first", nil })
	})
	if got != "first" || err != nil {
		t.Errorf("there is %q (%v)", got, err)
	}

	got, err = r.get(3, func() (string, error) {
		_, err := r.get(3, func() (string, error) { return "first", nil })
		return "second", err
	})
	if got != "first" || err != nil {
		t.Errorf("there is %q (%v)", got, err)
	}
}

package toolapi_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"toolevo/envs/toolapi"
)

// A promised version is made when it is first wanted, once, and refers to those that were there;
// what is wrong with it is told to who wants it, and to nobody else.
func TestPromise(t *testing.T) {
	t.Parallel()

	c := load(t)

	made := 0
	promised := c.Promise("later", func() (*toolapi.Spec, error) {
		made++

		spec, err := c.Spec("p_s_in")
		if err != nil {
			return nil, err
		}

		later := *spec
		later.Version = "later"
		return &later, nil
	}).Promise("never", func() (*toolapi.Spec, error) { return nil, errNever })
	promised = promised.Promise("after never", func() (*toolapi.Spec, error) {
		spec, err := c.Spec("p_s_in")
		if err != nil {
			return nil, err
		}

		after := *spec
		after.Version, after.Deprecates = "after never", []string{"never"}
		return &after, nil
	})

	if !slices.Contains(promised.Names(), "later") || slices.Contains(c.Names(), "later") || made > 0 {
		t.Errorf("%v of %v was made %d times before anybody wanted it", promised.Names(), c.Names(), made)
	}

	for range 2 {
		v, err := promised.Version("later")
		if err != nil {
			t.Fatal(err)
		}

		if _, ok := v.Deprecation("LoadDB"); !ok || made != 1 {
			t.Errorf("made %d times; LoadDB is deprecated: %v", made, ok)
		}
	}

	for _, name := range []string{"never", "after never"} {
		if _, err := promised.Version(name); !errors.Is(err, errNever) {
			t.Errorf("%s: error %v, want that of who makes it", name, err)
		}
	}

	if _, err := promised.With(&toolapi.Spec{Version: "later"}); err == nil ||
		!strings.Contains(err.Error(), "later is already defined") {
		t.Errorf("a version of a promised name: %v", err)
	}
}

var errNever = errors.New("never")

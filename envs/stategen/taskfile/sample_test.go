package taskfile_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/stategen"
	"toolevo/envs/stategen/taskfile"
)

// ten are a split of ten tasks of each of two domains, mixed.
func ten(t *testing.T) *taskfile.File {
	t.Helper()

	dir := t.TempDir()
	folder := edit(t, dir)

	for i := range 10 {
		add(t, folder, "test", task("session", i))
		add(t, folder, "test", task("voice", i))
	}

	end(t, folder, true)

	f, err := taskfile.Open(dir, "test", nil)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})

	return f
}

func TestSample(t *testing.T) {
	f := ten(t)

	draw := func(s taskfile.Sampling) ([]string, []taskfile.Sampled) {
		t.Helper()

		var ids []string

		sampled, err := f.Sample(s, func(t *stategen.Task) error {
			ids = append(ids, t.ID)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}

		return ids, sampled
	}

	s := taskfile.Sampling{
		Each: 4, Seed: 1, Rejected: []string{"session-1-00003", "session-1-00004", "session-1-00005"},
	}

	ids, sampled := draw(s)
	want := []taskfile.Sampled{
		{Domain: "session", Tasks: 10, Rejected: 3, Chosen: 4}, {Domain: "voice", Tasks: 10, Chosen: 4},
	}

	if d := cmp.Diff(want, sampled); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	byNumber := func(a, b string) int { return strings.Compare(a[len(a)-5:], b[len(b)-5:]) }
	if len(ids) != 8 || !slices.IsSortedFunc(ids, byNumber) {
		t.Errorf("chosen are %q", ids)
	}

	for _, id := range s.Rejected {
		if slices.Contains(ids, id) {
			t.Errorf("%s was rejected, and is chosen", id)
		}
	}

	if again, _ := draw(s); !slices.Equal(ids, again) {
		t.Errorf("drawn again: %q, was %q", again, ids)
	}

	s.Seed = 2
	if others, _ := draw(s); slices.Equal(ids, others) {
		t.Error("another seed draws the same")
	}
}

func TestSampleRefuses(t *testing.T) {
	f := ten(t)

	for name, s := range map[string]taskfile.Sampling{
		"4 rejected":         {Each: 1, Rejected: []string{"a", "session-1-00001", "b", "c", "d"}},
		"7 tasks of session": {Each: 8, Rejected: []string{"session-1-00001", "session-1-00002", "session-1-00003"}},
	} {
		_, err := f.Sample(s, func(*stategen.Task) error { return errors.New("a task was given") })
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one about %s", err, name)
		}
	}
}

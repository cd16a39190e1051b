package toolbench

import (
	"slices"
	"strings"
	"testing"
)

// Examples are made from the other splits, again after each import, until some are imported.
func TestMakeExamples(t *testing.T) {
	t.Parallel()

	data, splits := t.TempDir(), []string{"test", "examples"}

	put := func(split, text string) {
		t.Helper()

		p, err := Import(folder(t, map[string]string{"G1_category.json": text}), "")
		if err == nil {
			_, err = p.Save(data, split, splits)
		}

		if err != nil {
			t.Fatal(err)
		}
	}

	made := func() (ids []int) {
		t.Helper()

		if err := MakeExamples(data, "examples", splits); err != nil {
			t.Fatal(err)
		}

		kept, err := Open(data, "examples")
		if err != nil {
			t.Fatal(err)
		}

		for _, q := range kept.Queries {
			ids = append(ids, q.ID)
		}
		return ids
	}

	put("test", oneQuery)

	for range 2 {
		if ids := made(); !slices.Equal(ids, []int{firstExample}) {
			t.Errorf("made: %v", ids)
		}
	}

	put("examples", strings.Replace(oneQuery, `"query_id": 7`, `"query_id": 8`, 1))

	if ids := made(); !slices.Equal(ids, []int{8}) {
		t.Errorf("in place of what was imported: %v", ids)
	}
}

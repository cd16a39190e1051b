package toolqa_test

import (
	"strconv"
	"testing"

	"toolevo/envs"
	"toolevo/toolqa"
)

func TestRecent(t *testing.T) {
	r := toolqa.Recent{Most: 10}
	for i := range 35 {
		r.Put(strconv.Itoa(i), envs.Result{Observation: strconv.Itoa(i)})
	}

	kept := 0
	for i := range 35 {
		result, ok := r.Get(strconv.Itoa(i))
		if ok {
			kept++
		}

		if ok && result.Observation != strconv.Itoa(i) || !ok && i >= 25 {
			t.Errorf("%d: %+v, %v", i, result, ok)
		}
	}

	if kept > 20 {
		t.Errorf("%d of 35 results are kept, where two times 10 are the most", kept)
	}
}

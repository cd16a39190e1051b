package app

import "testing"

// What the first worker did not see of its model, as its server was still starting, a later one
// says: those behind it are compared with that.
func TestModelsOfWorkers(t *testing.T) {
	t.Parallel()

	const policy = "openai:m"
	e := &entrance{models: map[string]served{}}

	for i, tt := range []struct {
		model served
		fits  bool
	}{
		{served{}, true},
		{served{Names: []string{"m"}}, true},
		{served{Names: []string{"other"}}, false},
		{served{Names: []string{"m"}, Tokens: 31}, true},
		{served{Names: []string{"m"}, Tokens: 32}, false},
		{served{Names: []string{"other"}, Tokens: 31}, false},
		{served{}, true},
		{served{Names: []string{"m"}, Tokens: 31}, true},
	} {
		if err := e.compare(map[string]served{policy: tt.model}); (err == nil) != tt.fits {
			t.Errorf("worker %d with %+v: %v", i, tt.model, err)
		}
	}

	// One that is refused for a model says nothing of the others.
	models := map[string]served{
		policy: {Names: []string{"other"}}, "openai:n": {Names: []string{"o"}},
	}
	if err := e.compare(models); err == nil {
		t.Error("another model is let in")
	}

	if err := e.compare(map[string]served{"openai:n": {Names: []string{"n"}}}); err != nil {
		t.Error(err)
	}
}

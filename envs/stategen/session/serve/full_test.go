package serve

import (
	"errors"
	"fmt"
	"testing"

	"toolevo/envs"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/session"
)

// The sessions have so many bytes together; what is deleted makes room, and what replaces other
// data takes its place.
func TestFull(t *testing.T) {
	t.Parallel()

	domain := session.New()

	state, err := domain.Begin(&stategen.Program{}, nil)
	if err != nil {
		t.Fatal(err)
	}

	s := &Server{domain: domain, state: state, calls: map[string]int{}, sizes: map[string]int{}, most: 4 * overhead}
	call := func(tool, id string, size int) (string, error) {
		args := envs.Args{{Name: "source", Value: "harbor_lab"}, {Name: "type", Value: "group"}}
		if id != "" {
			args = append(args, envs.Arg{Name: "id", Value: id})
		}

		if size > 0 {
			data := envs.Args{{Name: "title", Value: fmt.Sprintf("%0*d", size, s.calls[session.Add])}}
			args = append(args, envs.Arg{Name: "data", Value: data})
		}

		result, err := s.call(tool, args)
		made, _ := result.(envs.Args)
		id, _ = made.Text("id")
		return id, err
	}

	var ids []string

	for range 3 {
		id, err := call(session.Add, "", 100)
		if err != nil {
			t.Fatal(err)
		}

		ids = append(ids, id)
	}

	if _, err := call(session.Add, "", 100); !errors.As(err, new(*stategen.Refusal)) {
		t.Errorf("a session too many: %v", err)
	}

	if _, err := call(session.Update, ids[0], overhead); !errors.As(err, new(*stategen.Refusal)) {
		t.Errorf("more data than there is room for: %v", err)
	}

	if _, err := call(session.Delete, ids[2], 0); err != nil {
		t.Fatal(err)
	}

	for range 9 {
		if _, err := call(session.Update, ids[0], 100); err != nil {
			t.Errorf("other data: %v", err)
		}
	}

	if _, err := call(session.Add, "", 100); err != nil {
		t.Errorf("behind a session that was deleted: %v", err)
	}
}

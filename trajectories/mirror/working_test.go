package mirror

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/toolbench/answers"
	"toolevo/envs/toolbench/recorded"
)

// An API that requires nothing is called without a model, the others as one writes that the
// document fits.
func TestReach(t *testing.T) {
	t.Parallel()

	m, asked := model(func(_, request string, _ uint64) string {
		return `{"tool_input": {"city": "Bern"}}`
	})

	requests, err := m.Reach(t.Context(), documents(), NewReport())
	if err != nil {
		t.Fatal(err)
	}

	var inputs []string
	for _, q := range requests {
		inputs = append(inputs, q.API+" "+(&recorded.Call{Input: q.Input}).Request())
	}

	call := recorded.Call{Input: requests[0].Input}
	none := recorded.Call{}
	want := []string{"Find " + call.Request(), "Prices " + none.Request(), "Now " + none.Request()}

	if diff := cmp.Diff(want, inputs); diff != "" || len(requests[0].Input) != 1 {
		t.Error(diff)
	}

	if asked.asked != 1 {
		t.Errorf("the model was asked %d times", asked.asked)
	}
}

// trajectory is an answer whose calls are of functions, each with its response.
func trajectory(pairs ...string) *answers.Answer {
	a := &answers.Answer{Query: "q"}
	for i := 0; i < len(pairs); i += 2 {
		a.Nodes = append(a.Nodes, answers.Node{Call: answers.Call{Name: pairs[i], Response: pairs[i+1]}})
	}
	return a
}

func TestTrajectories(t *testing.T) {
	t.Parallel()

	const (
		fine    = `{"error": "", "response": {"temperature": 404}}`
		mistake = `{"error": "missing parameter q", "response": ""}`
		gone    = `{"error": "", "response": "service not found"}`
		cut     = `{"error": "Unauthorized: you are not`
	)

	for _, tt := range []struct {
		calls  []string
		status string
	}{
		{nil, Untried},
		{[]string{"Finish", gone}, Untried},
		{[]string{"f", fine, "g", mistake}, Working},
		{[]string{"f", gone, "f", fine}, Working},
		{[]string{"f", fine, "g", gone}, Broken},
		{[]string{"f", cut}, Broken},
	} {
		var got Trajectory
		if got.Follow(trajectory(tt.calls...), recorded.Corrected()); got.Status != tt.status {
			t.Errorf("%v: %+v, want %s", tt.calls, got, tt.status)
		}
	}

	var got Trajectory

	got.Follow(trajectory("f", fine, "g", gone), recorded.Corrected())

	if got.Reason != "g: not-found: "+gone {
		t.Errorf("the reason is %q", got.Reason)
	}

	for reply, want := range map[string]Trajectory{
		`{"reason": "so", "all_working": true}`:  {Status: Working, Reason: "so"},
		`{"reason": "no", "all_working": false}`: {Status: Broken, Reason: "no"},
		`{"all_working": "perhaps"}`:             {Status: Lost, Reason: "all_working is neither true nor false"},
	} {
		m, _ := model(func(_, request string, _ uint64) string {
			if !strings.Contains(request, `"answer": "there"`) {
				t.Errorf("the model sees %s", request)
			}
			return reply
		})

		var got Trajectory
		if err := got.Ask(t.Context(), m, trajectory("f", "there")); err != nil || got != want {
			t.Errorf("%s: %+v, %v", reply, got, err)
		}
	}
}

func TestOfQueries(t *testing.T) {
	t.Parallel()

	var found []Trajectory

	for id, statuses := range map[string][]string{
		"1": {Untried, Working}, "2": {Working, Broken, Lost}, "3": {Lost, Working}, "4": {Untried},
	} {
		for _, s := range statuses {
			found = append(found, Trajectory{Group: "g", ID: id, Status: s})
		}
	}

	want := map[QueryKey]string{{"g", "1"}: Working, {"g", "2"}: Broken, {"g", "3"}: Lost, {"g", "4"}: Untried}
	if diff := cmp.Diff(want, OfQueries(found)); diff != "" {
		t.Error(diff)
	}
}

// What could not be read is told apart from what was read and is of no use.
func TestRefuse(t *testing.T) {
	t.Parallel()

	r := NewReport()
	r.refuse(refusedNaming)
	r.refuse(errors.New("odd"))

	if r.Written.Refused[string(refusedNaming)] != 1 || r.Written.Lost["odd"] != 1 {
		t.Errorf("%+v", r.Written)
	}
}

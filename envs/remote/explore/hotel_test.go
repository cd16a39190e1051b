package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// hotel is the state of a hotel with three rooms: who has booked which, "room guest" a line. A room
// is booked once. What the desk is told, no other tool answers, and nobody knows the combination of
// the safe.
type hotel struct{ bookings string }

var rooms = []string{"r1", "r2", "r3"}

func (h hotel) lines() []string { return strings.Split(h.bookings, "\n")[1:] }

// booking is how a booking is answered; they are numbered from 71.
func (h hotel) booking(i int) string {
	room, guest, _ := strings.Cut(h.lines()[i], " ")
	return fmt.Sprintf(`{"id": %d, "room": %q, "guest": %q, "nights": %d}`, 71+i, room, guest, 2+i)
}

// call returns the state after a call, and the answer; what does not begin with a brace is a
// refusal.
func (h hotel) call(tool string, args envs.Args) (hotel, string) {
	room, _ := args.Text("room")
	guest, _ := args.Text("guest")

	switch tool {
	case "list_rooms":
		return h, `{"rooms": [{"id": "r1", "beds": 1}, {"id": "r2", "beds": 2}, {"id": "r3", "beds": 4}]}`
	case "book_room":
		if !slices.Contains(rooms, room) || strings.Contains(h.bookings, "\n"+room+" ") {
			return h, "room " + room + " cannot be had"
		}

		h.bookings += "\n" + room + " " + guest
		return h, h.booking(len(h.lines()) - 1)
	case "list_bookings":
		var all []string

		for i := range h.lines() {
			if b := h.booking(i); strings.Contains(b, fmt.Sprintf(`"guest": %q`, guest)) {
				all = append(all, b)
			}
		}

		return h, `{"bookings": [` + strings.Join(all, ", ") + `]}`
	case "get_booking":
		id, _ := args.Get("booking_id")
		for i := range h.lines() {
			if fmt.Sprint(71+i) == fmt.Sprint(id) {
				return h, h.booking(i)
			}
		}

		return h, fmt.Sprint("there is no booking ", id)
	case "tell_desk":
		return h, `{"said": "thank you"}`
	}
	return h, "that is not the combination"
}

// hotelTools are the tools of a hotel, of which three only read.
func hotelTools(t *testing.T) Tools[hotel] {
	t.Helper()

	parameter := func(name, kind string) toolapi.Parameter {
		return toolapi.Parameter{Name: name, Schema: envs.Object("type", kind)}
	}

	base := &toolapi.Spec{
		Version: "p_c", Base: true,
		Messages: toolapi.Messages{Deprecated: "{{.Old.Name}} is now {{.Signature}}", Invalid: "no such API"},
	}

	for _, a := range []struct {
		name, about string
		parameters  []toolapi.Parameter
	}{
		{"list_rooms", "List the rooms.", []toolapi.Parameter{}},
		{"book_room", "Book a room. It is kept until noon.", []toolapi.Parameter{
			parameter("room", "string"), parameter("guest", "string"),
		}},
		{"list_bookings", "List what a guest has booked.", []toolapi.Parameter{parameter("guest", "string")}},
		{"get_booking", "Get a booking.", []toolapi.Parameter{parameter("booking_id", "integer")}},
		{"tell_desk", "Tell the desk something.", []toolapi.Parameter{parameter("message", "string")}},
		{"open_safe", "Open the safe.", []toolapi.Parameter{parameter("combination", "string")}},
		{envs.FinishTool, "Answer.", []toolapi.Parameter{parameter("answer", "string")}},
		{envs.UpdateTool, "Note.", []toolapi.Parameter{parameter("newtool_desc", "string")}},
	} {
		base.APIs = append(base.APIs, toolapi.APISpec{
			Name: a.name, Description: a.about, Parameters: toolapi.Parameters{All: a.parameters},
		})
	}

	catalog, err := toolapi.NewCatalog(base)
	if err != nil {
		t.Fatal(err)
	}

	version, err := catalog.Version("p_c")
	if err != nil {
		t.Fatal(err)
	}
	return Tools[hotel]{
		APIs: slices.DeleteFunc(slices.Clone(version.APIs), func(a *toolapi.API) bool { return envs.IsSystem(a.Tool) }),
		Reads: func(tool string) bool {
			return slices.Contains([]string{"list_rooms", "list_bookings", "get_booking"}, tool)
		},
		Call: func(_ context.Context, at hotel, tool string, args envs.Args) (hotel, Answer, error) {
			next, text := at.call(tool, args)

			value, err := pytext.DecodeStrict(text)
			if err != nil {
				return at, Answer{Said: text, Refused: true}, nil
			}
			return next, Answer{Said: text, Value: value}, nil
		},
	}
}

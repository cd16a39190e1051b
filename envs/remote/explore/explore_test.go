package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// programs draws programs of the hotel.
func programs(t *testing.T, seed uint64, tries int) (*Explorer[hotel], []*Program) {
	t.Helper()

	e, err := New(t.Context(), hotelTools(t), seed)
	if err != nil {
		t.Fatal(err)
	}

	var all []*Program

	for range tries {
		p, err := e.Program(t.Context(), 4)
		if err != nil {
			t.Fatal(err)
		}

		if p != nil {
			all = append(all, p)
		}
	}
	return e, all
}

func TestProgramsKeepTheirGuarantees(t *testing.T) {
	t.Parallel()

	e, all := programs(t, 1, 400)
	if len(all) < 100 {
		t.Fatalf("%d programs of 400 tries", len(all))
	}

	writes := 0

	for _, p := range all {
		answers, err := e.Replay(t.Context(), p)
		if err != nil || len(answers) != len(p.Steps) {
			t.Fatalf("%s: %d answers, %v", p.Question(), len(answers), err)
		}

		if now, ok := p.Asked.In(answers[len(answers)-1].Value); !ok || now != p.Answer {
			t.Errorf("%s: answered %v, and then %v", p.Question(), p.Answer, now)
		}

		if p.Writes {
			writes++
		}

		for i := range len(p.Steps) - 1 {
			shorter := p.without(i)
			if shorter == nil {
				continue // a later step needs it
			}

			answers, err := e.Replay(t.Context(), shorter)
			if err != nil {
				t.Fatal(err)
			}

			if len(answers) < len(shorter.Steps) {
				continue
			}

			if now, ok := p.Asked.In(answers[len(answers)-1].Value); ok && now == p.Answer {
				t.Errorf("%s: step %d makes no difference", p.Question(), i+1)
			}
		}

		for _, s := range p.Steps {
			for _, l := range leavesOf(s.Args, mostItems) {
				if spelled(l.value) == spelled(p.Answer) {
					t.Errorf("%s: the question names %v", p.Question(), p.Answer)
				}
			}
		}
	}

	if writes < 20 {
		t.Errorf("%d of %d programs change something", writes, len(all))
	}
}

// What nobody hears is part of no program, nor what is always refused; that is told.
func TestNoProgramHasWhatMakesNoDifference(t *testing.T) {
	t.Parallel()

	e, _ := programs(t, 2, 300)

	for _, tool := range []string{"list_rooms", "book_room", "list_bookings", "get_booking"} {
		if e.used[tool] == 0 {
			t.Errorf("no program has %s, which said %q", tool, e.Obstacle[tool])
		}
	}

	if n := e.used["tell_desk"] + e.used["open_safe"]; n > 0 {
		t.Errorf("%d programs have what makes no difference", n)
	}

	if said := e.Obstacle["open_safe"]; said != "that is not the combination" {
		t.Errorf("the safe said %q", said)
	}
}

func TestSeedsRepeat(t *testing.T) {
	t.Parallel()

	texts := func(seed uint64) (all []string) {
		_, drawn := programs(t, seed, 40)
		for _, p := range drawn {
			all = append(all, p.Question()+spelled(p.Answer))
		}
		return all
	}

	if a, b := texts(3), texts(3); !slices.Equal(a, b) {
		t.Errorf("the same seed draws\n%s\nand then\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}

	if a, b := texts(3), texts(4); slices.Equal(a, b) {
		t.Error("two seeds draw the same")
	}
}

func TestQuestions(t *testing.T) {
	t.Parallel()

	tools := hotelTools(t)
	list, book, get := tools.APIs[0], tools.APIs[1], tools.APIs[3]

	for _, c := range []struct {
		program Program
		want    string
	}{
		{
			Program{Steps: []Step{{list, nil}}, Asked: "/rooms/2/beds"},
			"List the rooms. Answer with the beds of the 3rd room.",
		},
		{
			Program{
				Steps: []Step{
					{list, nil},
					{book, envs.Object("room", Ref{1, "/rooms/1/id"}, "guest", "Ada Brandt")},
					{get, envs.Object("booking_id", Ref{2, "/id"})},
				},
				Asked: "/nights",
			},
			"1. List the rooms. " +
				`2. Book a room (room: the id of the 2nd room that step 1 gives; guest: "Ada Brandt"). ` +
				"3. Get a booking (booking id: the id that step 2 gives). " +
				"Answer with the nights in what the last step gives.",
		},
		{
			Program{
				Steps: []Step{{book, envs.Object("items", []any{
					envs.Object("productId", "p3", "quantity", envs.Number("2")), envs.Object("productId", "p4"),
				})}},
				Asked: "/11",
			},
			"Book a room (items: product id p3, quantity 2 and product id p4). Answer with the 12th item.",
		},
	} {
		if got := c.program.Question(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestSuits(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		tool, parameter, from, pointer string
		want                           int
	}{
		{"get_order", "order_id", "list_orders", "/orders/3/id", 3},
		{"get_order", "id", "list_orders", "/orders/3/id", 3},
		{"getOrder", "orderId", "create_order", "/id", 3},
		{"list_orders", "customer", "list_customers", "/customers/0/id", 2},
		{"list_orders", "customer", "list_customers", "/customers/0/name", 1},
		{"list_orders", "customer", "get_order", "/customer", 3},
		{"get_order", "order_id", "list_customers", "/customers/0/id", 0},
		{"get_order", "order_id", "get_order", "/customer", 0},
		{"get_order", "id", "get_customer", "/id", 0},
	} {
		of := drift.Stems(c.tool)[1:]
		w := want{words: drift.Stems(c.parameter), things: of}

		if got := w.suits(placeOf(c.from, leaf{pointer: envs.Pointer(c.pointer)})); got != c.want {
			t.Errorf("%s %s takes what %s has at %s: %d, want %d", c.tool, c.parameter, c.from, c.pointer, got, c.want)
		}
	}
}

// What is drawn is what the schema takes, as far as it says.
func TestDrawnArgumentsFit(t *testing.T) {
	t.Parallel()

	e, err := New(t.Context(), hotelTools(t), 5)
	if err != nil {
		t.Fatal(err)
	}

	for _, schema := range []string{
		`{"type": "integer", "minimum": 7, "maximum": 9}`,
		`{"type": ["string", "null"], "enum": ["card", "invoice"]}`,
		`{"type": "object", "required": ["room"], "properties": {"room": {"type": "string"}, "n": {"type": "integer"}}}`,
		`{"type": "array", "minItems": 1, "items": {"type": "object", "required": ["id"],
			"properties": {"id": {"type": "string"}}}}`,
		`{"type": "string"}`, `{"type": "boolean"}`, `{"const": 4}`, `{"type": "string", "format": "date"}`,
	} {
		value, err := pytext.DecodeStrict(schema)
		if err != nil {
			t.Fatal(err)
		}

		form, err := toolapi.NewForm(value.(envs.Args))
		if err != nil {
			t.Fatal(err)
		}

		for range 50 {
			drawn, ok := e.value(&drawn{}, value.(envs.Args), want{words: []string{"room"}}, nil)
			if _, why := form.Misfit(drawn); ok && why != "" {
				t.Fatalf("%s: drew %v: %s", schema, fmt.Sprint(drawn), why)
			}
		}
	}
}

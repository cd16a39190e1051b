package ordertest_test

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"toolevo/envs"
	"toolevo/envs/remote"
	"toolevo/envs/remote/openapi"
	"toolevo/envs/remote/ordertest"
	"toolevo/envs/wire"
)

// tools are those of the document.
func tools(t *testing.T) *openapi.Toolset {
	t.Helper()

	set, err := openapi.Load(ordertest.Document, openapi.Options{})
	if err != nil || len(set.Left) > 0 {
		t.Fatalf("%v, left: %v", err, set)
	}
	return set
}

// The document is one, and all of it are tools as it says.
func TestDocument(t *testing.T) {
	t.Parallel()

	document, err := openapi3.NewLoader().LoadFromData(ordertest.Document)
	if err == nil {
		err = document.Validate(t.Context())
	}

	if err != nil {
		t.Error(err)
	}

	set := tools(t)
	for _, tool := range set.Tools {
		if len(tool.Notes) > 0 {
			t.Errorf("%s: %q", tool.API.Name, tool.Notes)
		}
	}

	if len(set.Tools) != 10 {
		t.Errorf("there are %d tools", len(set.Tools))
	}
}

// task is a line of the tasks.
type task struct {
	ID, Question, Answer, Match string

	Tolerance float64
	After     []struct {
		call
		Has any
	}
	Solution []call
	Final    string
}

type call struct {
	Tool string
	Args json.RawMessage
}

// player makes calls of one task.
type player struct {
	*testing.T
	remote.Instance

	answers []any
}

func start(t *testing.T) *player {
	t.Helper()

	operations := map[string]openapi.Operation{}
	for _, tool := range tools(t).Tools {
		operations[tool.API.Name] = tool.Operation
	}

	server := httptest.NewServer(ordertest.New())
	t.Cleanup(server.Close)

	source, err := (&remote.HTTP{Server: server.URL}).Source(operations)
	if err != nil {
		t.Fatal(err)
	}

	shop, err := source.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &player{T: t, Instance: shop}
}

// call makes a call, and notes what its answer is as JSON.
func (p *player) call(c call) any {
	args, err := wire.Object(string(c.Args))
	if err != nil {
		p.Fatal(err)
	}

	filled := envs.Map(args, func(v any) (any, bool) {
		if text, ok := v.(string); ok {
			return p.filled(text), true
		}
		return v, false
	})

	result, err := p.Call(p.Context(), c.Tool, filled.(envs.Args))
	if err != nil {
		p.Fatal(err)
	}

	decoder := json.NewDecoder(strings.NewReader(result.Observation))
	decoder.UseNumber()

	var answer any
	if err := decoder.Decode(&answer); err != nil {
		p.Fatalf("%s %s: %s: %v", c.Tool, c.Args, result.Observation, err)
	}

	p.answers = append(p.answers, answer)
	return answer
}

var reference = regexp.MustCompile(`\{\{(\d+) (/[^}]*)\}\}`)

// filled is a text with values in place of references: the value itself where it is one reference.
func (p *player) filled(text string) any {
	if m := reference.FindStringSubmatch(text); m != nil && m[0] == text {
		v := p.at(m)
		if number, ok := v.(json.Number); ok {
			return envs.Number(number)
		}
		return v
	}
	return reference.ReplaceAllStringFunc(text, func(found string) string {
		text, _ := json.Marshal(p.at(reference.FindStringSubmatch(found)))
		return strings.Trim(string(text), `"`)
	})
}

func (p *player) at(m []string) any {
	n, _ := strconv.Atoi(m[1])
	v := p.answers[n-1]

	for _, name := range strings.Split(m[2], "/")[1:] {
		switch of := v.(type) {
		case map[string]any:
			v = of[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(of) {
				p.Fatalf("%s leads nowhere", m[0])
			}

			v = of[i]
		}
	}

	if v == nil {
		p.Fatalf("%s leads nowhere", m[0])
	}
	return v
}

// matches compares an answer as the task says.
func (c task) matches(got string) bool {
	switch c.Match {
	case "number":
		a, errA := strconv.ParseFloat(got, 64)
		b, errB := strconv.ParseFloat(c.Answer, 64)
		return errA == nil && errB == nil && math.Abs(a-b) <= c.Tolerance
	case "json":
		return reflect.DeepEqual(plain(got), plain(c.Answer))
	case "regex":
		return regexp.MustCompile(c.Answer).MatchString(got)
	case "strict", "official":
		return got == c.Answer
	}

	return false
}

// plain is JSON whose numbers are equal where their values are.
func plain(text string) (v any) {
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return err
	}
	return v
}

// has reports whether an answer has the members of another one.
func has(answer, members any) bool {
	text, _ := json.Marshal(answer)
	of, _ := plain(string(text)).(map[string]any)

	for name, want := range members.(map[string]any) {
		if !reflect.DeepEqual(of[name], want) {
			return false
		}
	}

	return true
}

// Every task is solved by its solution, and those that change something by nothing less.
func TestTasks(t *testing.T) {
	t.Parallel()

	ids, changing := []string{}, 0

	for line := range strings.Lines(string(ordertest.Tasks)) {
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()

		var c task
		if err := decoder.Decode(&c); err != nil {
			t.Fatal(err)
		}

		if slices.Contains(ids, c.ID) || c.Question == "" {
			t.Errorf("%q is there twice, or asks nothing", c.ID)
		}

		ids = append(ids, c.ID)

		if len(c.After) > 0 {
			changing++
		}

		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()

			p, before := start(t), start(t)
			for _, s := range c.Solution {
				p.call(s)
			}

			got := c.Final
			if got == "" {
				got = c.Answer
			}

			if text, ok := p.filled(got).(string); ok {
				got = text
			} else {
				got = string(p.filled(got).(envs.Number))
			}

			if !c.matches(got) {
				t.Errorf("the answer is %q, want %q", got, c.Answer)
			}

			met := 0

			for _, a := range c.After {
				if answer := p.call(a.call); !has(answer, a.Has) {
					t.Errorf("%s %s is %v, want %v", a.Tool, a.Args, answer, a.Has)
				}

				if has(before.call(a.call), a.Has) {
					met++
				}
			}

			if len(c.After) > 0 && met == len(c.After) {
				t.Error("all is so before anything is done")
			}
		})
	}

	if len(ids) != 24 || changing != 12 {
		t.Errorf("there are %d tasks, of which %d change something", len(ids), changing)
	}
}

// What cannot be done is refused with a reason, and changes nothing.
func TestRefusals(t *testing.T) {
	t.Parallel()

	server := httptest.NewServer(ordertest.New())
	t.Cleanup(server.Close)

	send := func(method, path, body string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}

		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()

		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}

	_, orders := send("GET", "/orders", "")
	_, products := send("GET", "/products", "")

	for _, c := range []struct {
		request, body string
		status        int
		says          string
	}{
		{"GET /orders/11", "", 404, "no order 11"},
		{"GET /orders/x", "", 422, `\"x\"`},
		{"GET /orders?client=c3", "", 400, "client"},
		{"GET /products/p13", "", 404, "p13"},
		{"GET /products?sort=colour", "", 422, "price_desc"},
		{"GET /customers/c7", "", 404, "c7"},
		{"POST /orders", `{"customer": "c7", "items": [{"product": "p1", "quantity": 1}]}`, 422, "c7"},
		{"POST /orders", `{"customer": "c1", "items": [{"product": "p13", "quantity": 1}]}`, 422, "p13"},
		{"POST /orders", `{"customer": "c1", "items": [{"product": "p1", "quantity": 0}]}`, 422, "at least 1"},
		{"POST /orders", `{"customer": "c1", "items": [{"product": "p1", "quantity": 1}, {"product": "p6", "quantity": 1}]}`,
			409, "only 0 of p6"},
		{"POST /orders", `{"customer": "c1", "items": [{"product": "p1", "quantity": 9}, {"product": "p1", "quantity": 9}]}`,
			422, "twice"},
		{"POST /orders", `{"customer": "c1", "items": []}`, 422, "at least one item"},
		{"POST /orders", `{"client": "c1"}`, 400, "client"},
		{"POST /orders", `[`, 400, "body"},
		{"POST /orders/1/pay", `{"method": "card"}`, 409, "shipped"},
		{"POST /orders/2/pay", `{"method": "cash"}`, 422, "transfer"},
		{"POST /orders/2/pay", ``, 400, "body"},
		{"POST /orders/6/cancel", ``, 409, "cancelled"},
		{"POST /orders/2/notes", `{"text": ""}`, 422, "not 0"},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		if status, text := send(method, path, c.body); status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s %s: %d %s", c.request, c.body, status, text)
		}
	}

	same := func(when string) {
		_, nowOrders := send("GET", "/orders", "")
		if _, nowProducts := send("GET", "/products", ""); nowOrders != orders || nowProducts != products {
			t.Errorf("%s: %s%s", when, nowOrders, nowProducts)
		}
	}

	same("after refusals")

	for path, body := range map[string]string{
		"/orders":          `{"customer": "c1", "items": [{"product": "p1", "quantity": 14}], "note": "gift"}`,
		"/orders/2/pay":    `{"method": "card"}`,
		"/orders/4/cancel": ``,
		"/orders/5/notes":  `{"text": "soon"}`,
	} {
		if status, text := send("POST", path, body); status/100 != 2 {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}

	if _, now := send("GET", "/orders", ""); now == orders {
		t.Error("nothing is changed")
	}

	if status, text := send("POST", "/reset", ""); status != 204 || text != "" {
		t.Errorf("a reset is answered %d %s", status, text)
	}

	same("after a reset")
}

package openapi_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/remote/openapi"
)

// line is a request in one line: method, URL, the headers that are its own, and the body.
func line(t *testing.T, r *http.Request) string {
	t.Helper()

	text := r.Method + " " + r.URL.String()
	for _, name := range []string{"X-Color", "Cookie", "Authorization", "Content-Type"} {
		if v := r.Header.Values(name); len(v) > 0 {
			text += " " + name + ": " + strings.Join(v, " | ")
		}
	}

	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}

	if len(body) > 0 {
		text += " " + string(body)
	}
	return text
}

func decode(t *testing.T, text string) envs.Args {
	t.Helper()

	v, err := pytext.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return v.(envs.Args)
}

// The examples of OpenAPI 3.1.1, "Style Examples", and of RFC 6570.
func TestStyles(t *testing.T) {
	const (
		list   = `["blue", "black", "brown"]`
		object = `{"R": 100, "G": 200, "B": 150}`
	)

	for _, c := range []struct {
		in, style string
		explode   bool
		value     string
		want      string
	}{
		{"path", "simple", false, `"bl/ue é"`, "/bl%2Fue%20%C3%A9"},
		{"path", "simple", false, list, "/blue,black,brown"},
		{"path", "simple", true, list, "/blue,black,brown"},
		{"path", "simple", false, object, "/R,100,G,200,B,150"},
		{"path", "simple", true, object, "/R=100,G=200,B=150"},
		{"path", "label", false, `"blue"`, "/.blue"},
		{"path", "label", false, list, "/.blue,black,brown"},
		{"path", "label", true, list, "/.blue.black.brown"},
		{"path", "label", false, object, "/.R,100,G,200,B,150"},
		{"path", "label", true, object, "/.R=100.G=200.B=150"},
		{"path", "matrix", false, `"blue"`, "/;color=blue"},
		{"path", "matrix", false, list, "/;color=blue,black,brown"},
		{"path", "matrix", true, list, "/;color=blue;color=black;color=brown"},
		{"path", "matrix", false, object, "/;color=R,100,G,200,B,150"},
		{"path", "matrix", true, object, "/;R=100;G=200;B=150"},
		{"query", "form", true, `""`, "/?color="},
		{"query", "form", true, `"a b&c=d,é"`, "/?color=a%20b%26c%3Dd%2C%C3%A9"},
		{"query", "form", false, list, "/?color=blue,black,brown"},
		{"query", "form", false, `["a,b", "c"]`, "/?color=a%2Cb,c"},
		{"query", "form", true, list, "/?color=blue&color=black&color=brown"},
		{"query", "form", false, object, "/?color=R,100,G,200,B,150"},
		{"query", "form", true, object, "/?R=100&G=200&B=150"},
		{"query", "spaceDelimited", false, list, "/?color=blue%20black%20brown"},
		{"query", "spaceDelimited", false, object, "/?color=R%20100%20G%20200%20B%20150"},
		{"query", "spaceDelimited", true, list, "/?color=blue&color=black&color=brown"},
		{"query", "pipeDelimited", false, list, "/?color=blue%7Cblack%7Cbrown"},
		{"query", "pipeDelimited", false, object, "/?color=R%7C100%7CG%7C200%7CB%7C150"},
		{"query", "deepObject", true, object, "/?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"},
		{"query", "deepObject", true, `{"a": {"b": [1, 2]}}`, "/?color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D=2"},
		{"query", "form", true, `{"a": {"b": 1}}`, `/?a=%7B%22b%22%3A%201%7D`},
		{"query", "form", true, `null`, "/"},
		{"query", "form", true, `[]`, "/"},
		{"header", "simple", false, `"blue, or black"`, "/ X-Color: blue, or black"},
		{"header", "simple", false, list, "/ X-Color: blue,black,brown"},
		{"header", "simple", true, object, "/ X-Color: R=100,G=200,B=150"},
		{"header", "simple", false, object, "/ X-Color: R,100,G,200,B,150"},
		{"cookie", "form", true, `"a; b=c"`, "/ Cookie: color=a%3B%20b%3Dc"},
		{"cookie", "form", false, list, "/ Cookie: color=blue,black,brown"},

		{"path", "simple", false, `""`, "error"},
		{"path", "simple", false, `".."`, "error"},
		{"path", "simple", false, `"a/../b"`, "error"},
		{"path", "simple", false, `"..\\b"`, "error"},
		{"path", "simple", false, `null`, "error"},
		{"query", "spaceDelimited", false, `["a b", "c"]`, "error"},
		{"query", "pipeDelimited", false, `["a|b", "c"]`, "error"},
		{"header", "simple", false, `["a,b", "c"]`, "error"},
		{"header", "simple", false, `"a\r\nHost: evil"`, "error"},
	} {
		name, path := "color", "/"
		switch c.in {
		case "path":
			path = "/{color}"
		case "header":
			name = "X-Color"
		}

		document := envs.Object("openapi", "3.0.0", "servers", []any{envs.Object("url", "https://x.example")}, "paths",
			envs.Object(path, envs.Object("get", envs.Object("parameters", []any{
				envs.Object("name", name, "in", c.in, "style", c.style, "explode", c.explode, "schema", envs.Args{}),
			}))))

		set, err := openapi.Load([]byte(pytext.JSON(document)), openapi.Options{})
		if err != nil || len(set.Tools) != 1 {
			t.Fatal(err, set)
		}

		got := "error"
		args := decode(t, `{"`+name+`": `+c.value+`}`)

		r, err := set.Tools[0].Operation.Request(t.Context(), args, nil)
		if err != nil && !errors.Is(err, openapi.ErrArgument) {
			t.Error(err)
		}

		if err == nil {
			got = strings.TrimPrefix(line(t, r), "GET https://x.example")
		}

		if got != c.want {
			t.Errorf("%s %s, explode %v: %s is %s, want %s", c.in, c.style, c.explode, c.value, got, c.want)
		}
	}
}

func TestRequests(t *testing.T) {
	set := shop(t, openapi.Options{})
	secret := func(name string) (string, bool) {
		return map[string]string{"key": "k &", "oauth": "token"}[name], true
	}
	none := func(string) (string, bool) { return "", false }

	for _, c := range []struct {
		tool, args string
		secret     func(string) (string, bool)
		want       string
	}{
		{
			"listOrders", `{"X-Trace": "t", "filter_shop": "a", "status": ["paid", "sent"]}`, secret,
			"GET https://eu.shop.example/v1/orders?status=paid&status=sent&filter%5Bshop%5D=a&api%20key=k%20%26",
		},
		{"listOrders", `{"X-Trace": "t"}`, nil, "GET https://eu.shop.example/v1/orders"},
		{"listOrders", `{"X-Trace": "t"}`, none, "error: no secret of any of these names: key"},
		{
			"order_ea614192", `{"id": 7, "id_query": "x", "where": {"a": 1}}`, none,
			`GET https://eu.shop.example/v1/orders/7?id=x&where=%7B%22a%22%3A%201%7D`,
		},
		{"order_ea614192", `{}`, none, "error: a parameter of the path is missing: a request has no place for it"},
		{
			"order_c8ee5c0d", `{"id": 7, "body": {"id": 8}}`, nil,
			`PUT https://eu.shop.example/v1/orders/7 Content-Type: application/json {"id": 8}`,
		},
		{
			"add_order", `{"item": "x", "count": 2, "gift": null}`, nil,
			`POST https://eu.shop.example/v1/orders Content-Type: application/json {"item": "x", "count": 2, "gift": null}`,
		},
		{"tree", `{}`, nil, "PUT https://trees.example/tree"},
		{
			"Finish_f6bf7783", `{"amount": 2.50, "card": {"no": "4 2"}}`, nil,
			"POST https://eu.shop.example/v1/pay Content-Type: application/x-www-form-urlencoded " +
				"amount=2.50&card%5Bno%5D=4%202",
		},
		{"post_large", `{"body": {}}`, nil, "POST https://eu.shop.example/v1/large Content-Type: application/json {}"},
	} {
		o := tool(t, set, c.tool).Operation

		r, err := o.Request(t.Context(), decode(t, c.args), c.secret)

		var got string
		if err != nil {
			got = "error: " + err.Error()[strings.Index(err.Error(), o.Path+": ")+len(o.Path)+2:]
		} else {
			got = line(t, r)
		}

		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s%s (-want +got):\n%s", c.tool, c.args, diff)
		}
	}
}

func TestSecrets(t *testing.T) {
	set, err := openapi.Load([]byte(`{"openapi": "3.0.0", "servers": [{"url": "https://x.example"}], "paths": {
		"/a": {"get": {"security": [{"mutual": []}, {"basic": [], "cookie": []}], "responses": {}}},
		"/b": {"get": {"security": [{"bearer": []}], "responses": {}}},
		"/c": {"get": {"security": [{"absent": []}, {"open": []}], "responses": {}}},
		"/d": {"get": {"security": [{}, {"bearer": []}], "responses": {}}},
		"/e": {"get": {"security": [{"absent": []}, {}], "responses": {}}}},
		"components": {"securitySchemes": {
			"mutual": {"type": "mutualTLS"}, "basic": {"type": "http", "scheme": "Basic"},
			"cookie": {"type": "apiKey", "in": "cookie", "name": "sid"}, "bearer": {"type": "http", "scheme": "bearer"},
			"absent": {"type": "apiKey", "in": "header", "name": "X-Color"},
			"open": {"type": "openIdConnect"}}}}`), openapi.Options{})
	if err != nil {
		t.Fatal(err)
	}

	secret := func(name string) (string, bool) { return "me:" + name, name != "absent" }

	for i, want := range []string{
		"GET https://x.example/a Cookie: sid=me%3Acookie Authorization: Basic bWU6YmFzaWM=",
		"GET https://x.example/b Authorization: Bearer me:bearer",
		"GET https://x.example/c Authorization: Bearer me:open",
		"GET https://x.example/d Authorization: Bearer me:bearer",
		"GET https://x.example/e",
	} {
		r, err := set.Tools[i].Operation.Request(t.Context(), nil, secret)
		if err != nil {
			t.Fatal(err)
		}

		if got := line(t, r); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A document that names no host has tools, and no requests until it is given one.
func TestNoHost(t *testing.T) {
	text := []byte(`{"openapi": "3.0.0", "servers": [{"url": "/v1"}], "paths": {"/a#x": {"get": {}}, "/b?c=d": {"get": {}}}}`)

	set, err := openapi.Load(text, openapi.Options{})
	if err != nil {
		t.Fatal(err)
	}

	if _, err := set.Tools[0].Operation.Request(t.Context(), nil, nil); err == nil || len(set.Tools[0].Notes) != 1 {
		t.Errorf("%v; notes %v", err, set.Tools[0].Notes)
	}

	if set, err = openapi.Load(text, openapi.Options{Server: "http://localhost"}); err != nil {
		t.Fatal(err)
	}

	for i, want := range []string{"http://localhost/a", "http://localhost/b?c=d"} {
		r, err := set.Tools[i].Operation.Request(t.Context(), nil, nil)
		if err != nil || r.URL.String() != want {
			t.Errorf("%v %v, want %s", r, err, want)
		}
	}
}

package virtual_test

import (
	"testing"

	"toolevo/envs"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

func TestCheck(t *testing.T) {
	t.Parallel()

	for response, want := range map[string]string{
		"f() got an unexpected keyword argument 'a', parameter": "",
		"Rate limit exceeded":                             "rate limit",
		"requests.get(...) status_code=429":               "rate limit",
		"The request timed out":                           "timeout",
		"Gateway Time-out":                                "timeout",
		"Endpoint '/a' does not exist":                    "not found",
		"API doesn't exist":                               "not found",
		"Service Not Found":                               "not found",
		"internal error, come again":                      "not found",
		"status_code=502":                                 "server status",
		`HTTP Error 404`:                                  "server status",
		"404 Not Found":                                   "server status",
		"HTTP/1.1 500 Internal Server Error":              "server status",
		"You are unauthorised":                            "unauthorised",
		"not authenticated":                               "unauthorised",
		"the user is blocked":                             "unauthorised",
		"unsubscribed":                                    "unauthorised",
		"wrong credential":                                "unauthorised",
		"This endpoint is disabled for your subscription": "unauthorised",
		"ACCESS_DENIED":                                   "unauthorised",
		"Invalid consumer key":                            "unauthorised",
		"error code: 401":                                 "refused status",
		"403 Forbidden":                                   "refused status",
		"missing parameter city":                          "parameter",
		"cannot parse the date":                           "parameter",
		"city is not defined":                             "parameter",
		"  ":                                              "empty",

		// Digits alone say nothing.
		"It costs 500 francs":            "",
		"The flat has number 404.":       "",
		"401 of 403 seats are taken":     "",
		"population: 50012":              "",
		"order 1504 is on its way":       "",
		"a sparse response of two lines": "",
	} {
		reason, ok := virtual.Check(toolbench.Answer{Response: response})
		if !ok && reason != want || ok != (want == "") {
			t.Errorf("%q: kept %v (%s), want %q", response, ok, reason, want)
		}
	}
}

func TestCheckOfObjects(t *testing.T) {
	t.Parallel()

	code := envs.Args{{Name: "statusCode", Value: envs.Number("404")}}
	price := envs.Args{{Name: "price", Value: envs.Number("500")}}

	for name, test := range map[string]struct {
		answer toolbench.Answer
		want   string
	}{
		"status":       {toolbench.Answer{Response: code}, "server status"},
		"price":        {toolbench.Answer{Response: price}, ""},
		"error":        {toolbench.Answer{Error: "no", Response: price}, "error"},
		"nothing":      {toolbench.Answer{}, "empty"},
		"empty object": {toolbench.Answer{Response: envs.Args{}}, "empty"},
		"empty list":   {toolbench.Answer{Response: []any{}}, "empty"},
		"number":       {toolbench.Answer{Response: envs.Number("404")}, ""},
	} {
		if reason, ok := virtual.Check(test.answer); !ok && reason != test.want || ok != (test.want == "") {
			t.Errorf("%s: kept %v (%s), want %q", name, ok, reason, test.want)
		}
	}
}

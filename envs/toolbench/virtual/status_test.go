package virtual_test

import (
	"testing"

	"toolevo/envs/toolbench/virtual"
)

func TestStatusOf(t *testing.T) {
	t.Parallel()

	for body, want := range map[string]virtual.Status{
		`{"error": "", "response": "sunny"}`:                          virtual.StatusNormal,
		`{"error": "", "response": "Unauthorized error..."}`:          virtual.StatusNormal,
		`{"error": "API not working error...", "response": ""}`:       virtual.StatusNotWorking,
		`{"error": "API temporarily not working error...", "a": 1}`:   virtual.StatusNotWorking,
		`{"error": "Gateway error...", "response": ""}`:               virtual.StatusNotWorking,
		`{"error": "Unsubscribed error...", "response": ""}`:          virtual.StatusNotSubscribed,
		`{"error": "Unauthorized error...", "response": ""}`:          virtual.StatusUnauthorised,
		`{"error": "Blocked error...", "response": ""}`:               virtual.StatusUnauthorised,
		`{"error": "Too many requests error...", "response": ""}`:     virtual.StatusTooMany,
		`{"error": "Rate limit error...", "response": ""}`:            virtual.StatusRateLimit,
		`{"error": "Rate limit per minute error...", "response": ""}`: virtual.StatusRateLimit,
		`{"error": "Timeout error...", "response": ""}`:               virtual.StatusTimeout,
		`{"error": "Message error...", "response": ""}`:               virtual.StatusOtherError,
		`<html>`: virtual.StatusTransportError,
	} {
		if got := virtual.StatusOf(200, []byte(body)); got != want {
			t.Errorf("%s: status %d, want %d", body, got, want)
		}
	}

	if got := virtual.StatusOf(502, []byte(`{"error": "", "response": ""}`)); got != virtual.StatusTransportError {
		t.Errorf("502: status %d", got)
	}
}

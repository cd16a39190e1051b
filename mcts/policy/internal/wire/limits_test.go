package wire

import (
	"cmp"
	"net/http"
	"testing"
	"time"
)

func TestWait(t *testing.T) {
	const (
		now     = "Wed, 21 Oct 2026 07:28:00 GMT"
		longest = 1000 * time.Hour
	)

	tests := []struct {
		name    string
		status  int // 429 where none is named
		headers map[string]string
		want    time.Duration
	}{
		{"none", 0, nil, 0},
		{"seconds", 0, map[string]string{"Retry-After": " 7 "}, 7 * time.Second},
		{"part of a second", 0, map[string]string{"Retry-After": "0.5"}, 500 * time.Millisecond},
		{"milliseconds come first", 0, map[string]string{"Retry-After-Ms": "250", "Retry-After": "1"},
			250 * time.Millisecond},
		{"a date, by the server's clock", 0,
			map[string]string{"Date": now, "Retry-After": "Wed, 21 Oct 2026 07:29:30 GMT"}, 90 * time.Second},
		{"a date gone by", 0, map[string]string{"Date": now, "Retry-After": "Wed, 21 Oct 2026 07:27:00 GMT"}, 0},
		{"a date far off, and no clock", 0, map[string]string{"Retry-After": "Wed, 21 Oct 2099 07:27:00 GMT"},
			longest},
		{"for ever", 0, map[string]string{"Retry-After": "1e99"}, longest},
		{"infinity", 0, map[string]string{"Retry-After": "inf"}, longest},
		{"negative", 0, map[string]string{"Retry-After": "-5"}, 0},
		{"not a number", 0, map[string]string{"Retry-After": "nan"}, 0},
		{"words", 0, map[string]string{"Retry-After": "soon"}, 0},
		{"reset in seconds", 0, map[string]string{"X-RateLimit-Reset": "12"}, 12 * time.Second},
		{"reset in words", 0, map[string]string{"RateLimit-Reset": "1m30s"}, 90 * time.Second},
		{"a moment", 0, map[string]string{"Date": now, "X-RateLimit-Reset": "1792567720"}, 40 * time.Second},
		{"a moment in milliseconds", 0,
			map[string]string{"Date": now, "X-RateLimit-Reset": "1792567720500"}, 40500 * time.Millisecond},
		{"a moment gone by", 0, map[string]string{"Date": now, "X-RateLimit-Reset": "1792567600"}, 0},
		{"Retry-After comes first", 0,
			map[string]string{"Retry-After": "3", "X-RateLimit-Reset": "12"}, 3 * time.Second},
		{"reset of a reply that is no 429", 500, map[string]string{"X-RateLimit-Reset": "12"}, 0},
	}
	for _, tt := range tests {
		h := http.Header{}
		for k, v := range tt.headers {
			h.Set(k, v)
		}

		if got := (Answer{Status: cmp.Or(tt.status, 429), Header: h}).Wait(); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestOutOfQuota: what an account may not ask any more is told from what it may not ask now.
func TestOutOfQuota(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		waits  bool
		want   bool
	}{
		{name: "OpenAI's", status: 429, want: true, body: `{"error":{"message":"You exceeded your current quota, please
			check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`},
		{name: "with a wait", status: 429, want: true, waits: true,
			body: `{"error":{"message":"x","code":"insufficient_quota"}}`},
		{name: "in words", status: 403, body: `{"error":"Quota exceeded"}`, want: true},
		{name: "no credits", status: 402, body: `{"error":{"message":"more credits are needed","code":402}}`, want: true},
		{name: "no credits, as a bad request", status: 400, want: true,
			body: `{"error":{"message":"Your credit balance is too low to access the API."}}`},
		{name: "in the words of a gateway", status: 429, want: true,
			body: `{"error":{"message":"RateLimitError: {'code': 'insufficient_quota'}","code":"429"}}`},
		{name: "inside a reply", status: 200, want: true,
			body: `{"error":{"message":"x","code":"insufficient_quota"}}`},

		{name: "too fast", status: 429, body: `{"error":{"message":"Rate limit reached for requests",
			"type":"requests","code":"rate_limit_exceeded"}}`},
		{name: "a quota of minutes", status: 429,
			body: `{"error":{"message":"Quota exceeded for metric tokens, limit 100 per minute"}}`},
		{name: "a quota that comes back", status: 429,
			body: `[{"error":{"code":429,"message":"You exceeded your current quota. Please retry in 31.5s."}}]`},
		{name: "a quota with a wait", status: 429, body: `{"error":"quota exceeded"}`, waits: true},
		{name: "a call volume", status: 403,
			body: `{"message":"Out of call volume quota. Quota will be replenished in 00:12:34."}`},
		{name: "nothing", status: 429},
		{name: "the server's own disk", status: 500, body: `{"error":"disk quota exceeded"}`},
	} {
		if got := ReadComplaint([]byte(tt.body)).OutOfQuota(tt.status, tt.waits); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

package wiretest

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Secret is a key with characters that every way of quoting spells differently.
const Secret = `sk-s3cr/et"+<wörd`

// userName is the name that goes with the secret as a password.
const userName = "someone"

// Place is somewhere to keep the secret: it returns what to use for an address and for a key.
type Place func(address string) (withSecret, key string)

// Places returns all of them, by name.
func Places() map[string]Place {
	with := func(u *url.Userinfo) Place {
		return func(address string) (string, string) {
			return strings.Replace(address, "://", "://"+u.String()+"@", 1), ""
		}
	}

	return map[string]Place{
		"key":      func(address string) (string, string) { return address, Secret + "\n" },
		"password": with(url.UserPassword(userName, Secret)),
		"name":     with(url.User(Secret)),
		"path":     func(address string) (string, string) { return address + "/" + url.PathEscape(Secret), Secret },
	}
}

// Echo returns a text with the secret in every spelling, and with what opened the server, after a
// number of other characters.
func Echo(r *http.Request, behind int) string {
	opened := r.Header.Get("Authorization")
	return strings.Repeat("x", behind) + strings.Join([]string{
		Secret, opened, strings.TrimRight(opened, "="), url.PathEscape(Secret), url.QueryEscape(Secret),
		fmt.Sprintf("%q", Secret), fmt.Sprintf("%+q", Secret),
	}, " ")
}

// Secrets runs use once for every place to keep the secret and every server. use asks the server,
// and returns whatever could be printed afterwards, errors included. None of it may show the
// secret.
func Secrets(t *testing.T, handlers map[string]http.HandlerFunc, use func(t *testing.T, address, key string) []any) {
	for place, put := range Places() {
		for name, handler := range handlers {
			t.Run(place+"/"+name, func(t *testing.T) {
				s := Serve(t, handler)
				address, key := put(s.URL)
				CheckHidden(t, use(t, address, key)...)

				for _, r := range s.Received() {
					if r.Header.Get("Authorization") == "" {
						t.Error("the key was not sent to", r.Path)
					}
				}
			})
		}
	}
}

// CheckHidden fails when the secret can be seen in one of the values, or in what an error among
// them wraps, however they are printed or logged.
func CheckHidden(t *testing.T, values ...any) {
	t.Helper()

	// A caller may print the cause of an error alone.
	for _, v := range values {
		err, _ := v.(error)
		for err != nil {
			values = append(values, err)
			err = errors.Unwrap(err)
		}
	}

	// Each way has its own method of hiding: String, GoString, and what a log handler encodes.
	var texts []string
	for _, v := range values {
		texts = append(texts, fmt.Sprintf("%v %+v %#v", v, v, v))

		for _, handler := range []func(*bytes.Buffer) slog.Handler{
			func(b *bytes.Buffer) slog.Handler {
				return slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug})
			},
			func(b *bytes.Buffer) slog.Handler {
				return slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug})
			},
		} {
			var log bytes.Buffer
			slog.New(handler(&log)).Debug("value", "value", v)
			texts = append(texts, log.String())
		}
	}

	basic := base64.StdEncoding.EncodeToString([]byte(userName + ":" + Secret))
	for _, text := range texts {
		// A text that is shortened within a secret still gives away its beginning. In base64 that
		// is whole groups of four, which do not depend on what follows.
		for _, part := range []string{"s3cr", basic[:20], base64.StdEncoding.EncodeToString([]byte(Secret))[:12]} {
			if strings.Contains(text, part) {
				t.Errorf("%q can be seen in %.2000s", part, text)
			}
		}
	}
}

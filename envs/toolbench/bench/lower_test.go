package bench

import (
	"testing"

	"toolevo/envs"
	"toolevo/envs/toolapi"
)

// BenchmarkLower checks a call of every function and turns it into that of its tool.
func BenchmarkLower(b *testing.B) {
	s := open(b, choice(b, queries))
	v := versionOf(b, s, inDomain)

	type call struct {
		api  *toolapi.API
		args envs.Args
	}

	var calls []call

	for _, a := range v.APIs {
		if args, err := a.Lift(a.Sample()); err == nil {
			calls = append(calls, call{a, args})
		}
	}

	for i := 0; b.Loop(); i++ {
		c := calls[i%len(calls)]
		if _, wrong := c.api.Lower(c.args); wrong != nil {
			b.Fatal(wrong.Text)
		}
	}
}

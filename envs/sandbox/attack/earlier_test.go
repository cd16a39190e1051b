package attack_test

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"
	"time"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/engines"
)

//go:embed testdata/earlier.py
var earlier string

// A program finds nothing of those that ran before it: not of their texts, nor of what they
// printed, whatever way they ended.
func TestEarlierPrograms(t *testing.T) {
	landlock := []confine.Wall{confine.Landlock}

	for name, o := range map[string]engines.Options{
		engines.ForkServer: {}, engines.Bwrap: {},
		engines.ForkServer + " without landlock": {Accept: landlock, Lacking: landlock},
	} {
		t.Run(name, func(t *testing.T) {
			o.Engine, _, _ = strings.Cut(name, " ")
			o.Modules, o.Servers = []string{"numpy"}, 1
			e := open(t, o)

			for i, tt := range []struct {
				code string
				end  sandbox.End
			}{
				{"# MARK\nprint(1)", sandbox.Finished},
				{"import os\nx = {'MARK': 'MARK'}\nprint(x, os.urandom(4))", sandbox.Finished},
				{strings.Repeat("y = 1\n", 3000) + "print('MARK' * 20)", sandbox.Finished},
				{"def f(text): raise ValueError(text)\nf('MARK')", sandbox.Raised},
				{"while True: print('MARK')", sandbox.OutOfSpace},
				{"print('MARK', flush=True)\nwhile True: pass", sandbox.OutOfTime},
			} {
				code := strings.ReplaceAll(tt.code, "MARK", fmt.Sprintf("earlier-%032x", i))
				limits := sandbox.Limits{CPU: time.Second, Wall: time.Minute}

				r, err := e.Run(t.Context(), sandbox.Program{Code: code}, limits)
				if err != nil || r.End != tt.end {
					t.Fatalf("%.40q: %.200q, end %d, %v", tt.code, r.Output, r.End, err)
				}

				limits = sandbox.Limits{CPU: time.Minute}

				r, err = e.Run(t.Context(), sandbox.Program{Code: earlier}, limits)
				if err != nil || r.Output != "[] True\n" {
					t.Errorf("after %.40q: %.500q, %v", tt.code, r.Output, err)
				}
			}
		})
	}
}

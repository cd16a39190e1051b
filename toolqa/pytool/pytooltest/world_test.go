package pytooltest

import (
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/sandbox"
	"toolevo/toolqa/pytool"
)

// checkOddCode runs texts that are hard on a parser. Each has an observation, whatever it is.
func checkOddCode(t *testing.T, e sandbox.Engine) {
	in := pytool.New(e, pytool.Options{})
	for name, code := range map[string]string{
		"not UTF-8": "print('\xff')", "NUL": "print(1)\x00", "nested": strings.Repeat("(", 10_000),
		"long": strings.Repeat("x", 1<<20), "deep": strings.Repeat("-", 100_000) + "1", "quotes": "'''" +
			strings.Repeat("\"", 1000),
		"line separators": "x = '\u2028\u2029'\nprint('a')", "carriage returns": "x = 1\r\nprint(x)\r\n",
		"form feed":  "\x0cprint(1)",
		"attributes": "x" + strings.Repeat(".a", 50_000),
	} {
		r, err := call(t.Context(), in, code)

		fine := name == "not UTF-8" || name == "line separators" || name == "carriage returns" || name == "form feed"
		if err != nil || r.Observation == "" || (r.Outcome == envs.OK) != fine {
			t.Errorf("%s: %v %.100q, %v", name, r.Outcome, r.Observation, err)
		}
	}
}

// checkEqual runs programs again that could differ, as their state comes from outside them.
func checkEqual(t *testing.T, e sandbox.Engine) {
	codes := []string{
		"import random\nprint(random.random(), random.sample(range(1000), 3), random.gauss(0, 1))\n" +
			"x = list(range(20))\nrandom.shuffle(x)\nx",
		"from statistics import NormalDist\nprint(NormalDist(0, 1).samples(3))",
		"print({'a', 'b', 'c', 'd'}, hash('text'))\nclass A: pass\nprint(A(), [A(), A()], A, lambda: 1, (x for " +
			"x in []))",
	}
	if has(e.Stamp(), "numpy") {
		codes = append(codes,
			"import numpy as np\nprint(np.random.rand(3), np.random.randint(1000))",
			"import numpy as np\nprint(np.random.default_rng().normal(size=3))")
	}

	in := pytool.New(e, pytool.Options{})
	for _, code := range codes {
		first, err := call(t.Context(), in, code)
		if err != nil || first.Outcome != envs.OK {
			t.Fatalf("%s: %+v, %v", code, first, err)
		}

		for range 2 {
			if r, err := call(t.Context(), in, code); err != nil || r != first {
				t.Errorf("%s: first %q, then %q, %v", code, first.Observation, r.Observation, err)
			}
		}
	}
}

// checkState leaves traces in a program and looks for them in others.
func checkState(t *testing.T, e sandbox.Engine) {
	in := pytool.New(e, pytool.Options{})
	for range 3 {
		if _, err := call(t.Context(), in, `
import builtins, json, os, random, statistics, sys
leak = 1
builtins.leak2 = 2
os.environ['LEAK'] = '1'
sys.leak = json.leak = 3
statistics.mean = len
random.seed(5)
sys.path.append('/leak')
sys.setrecursionlimit(50)
sys.modules['leak'] = sys`); err != nil {
			t.Fatal(err)
		}

		r, err := call(t.Context(), in, `
import json, os, statistics, sys
('leak' in globals(), hasattr(__builtins__, 'leak2'), 'LEAK' in os.environ, hasattr(sys, 'leak'), hasattr(json, 'leak'),
 statistics.mean is len, '/leak' in sys.path, sys.getrecursionlimit() == 50, 'leak' in sys.modules)`)
		if err != nil {
			t.Fatal(err)
		}

		if want := "(" + strings.Repeat("False, ", 8) + "False)"; r.Observation != want {
			t.Errorf("got %s, want %s", r.Observation, want)
		}
	}
}

// checkPublishedTexts shows what the published capture does to long output, and to lines that end
// otherwise.
func checkPublishedTexts(t *testing.T, e sandbox.Engine) {
	in := pytool.New(e, pytool.Options{PublishedCapture: true})
	for code, want := range map[string]string{
		// and the line's end
		"print('a' * 300 + 'b' * 300)":   strings.Repeat("a", 250) + "..." + strings.Repeat("b", 249),
		"'a' * 500":                      strings.Repeat("a", 500),
		"print(1)\r\nprint(2)\rprint(3)": "1: 1\n2: 2\n3: 3",
	} {
		if r, err := call(t.Context(), in, code); err != nil || r.Observation != want {
			t.Errorf("%s: %q, %v, want %q", code, r.Observation, err, want)
		}
	}
}

package pytooltest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"toolevo/envs"
	"toolevo/envs/sandbox"
	"toolevo/toolqa/pytool"
)

const outOfTime = "TimeoutError: the code ran too long and was stopped"

// slack is how much longer than its limit of real time a program may take until its observation is
// there. Engines take milliseconds; a test that ran beside many others and asked for that would
// fail for nothing.
const slack = 10 * time.Second

// stopped is a program that a limit ends.
type stopped struct {
	name      string
	limits    sandbox.Limits
	published bool
	code      string
	want      string // a part of the observation
	long      bool   // it computes for seconds, and another one meets the same limit
}

var (
	waits    = sandbox.Limits{Wall: 1500 * time.Millisecond}
	computes = sandbox.Limits{CPU: time.Second, Wall: time.Minute}
	small    = sandbox.Limits{Memory: 256 << 20, Wall: time.Minute}
)

var allStopped = []stopped{
	{"sleep", waits, false, "import time\nprint('so far')\ntime.sleep(60)", "so far\n" + outOfTime, false},
	{"ignored signals", waits, false, `
import signal, time
for s in range(1, 65):
    try:
        signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    time.sleep(1)`, outOfTime, false},
	{"exceptions caught", waits, false, "import time\nwhile True:\n    try:\n        time.sleep(1)\n    except " +
		"BaseException:\n        pass", outOfTime, false},
	{"a function called at the end that waits", waits, false,
		"import atexit, time\n_ = atexit.register(time.sleep, 60)", outOfTime, false},
	{"output closed, then sleep", waits, false, "import os, time\nos.close(1)\nos.close(2)\ntime.sleep(60)", outOfTime,
		false},
	{"loop", computes, false, "print('so far')\nwhile True: pass", "so far\n" + outOfTime, false},
	{"loop without SIGXCPU", computes, false, "import signal\nsignal.signal(signal.SIGXCPU, " +
		"signal.SIG_IGN)\nwhile True: pass", outOfTime, true},
	{"memory", small, false, "x = []\nwhile True: x.append(bytearray(1 << 20))", "MemoryError", false},
	{"memory in small pieces", small, false, "x = None\nwhile True: x = [x]", "MemoryError", true},
	{"memory at once", small, false, "x = bytearray(1 << 30)", "MemoryError", false},
	{"output", sandbox.Limits{Output: 100}, false, "print('x' * 60)\nwhile True: print('yes')",
		strings.Repeat("x", 60) + "\n" + strings.Repeat("yes\n", 9) + "yes\n[The output was cut after 100 bytes " +
			"and the code was stopped.]", false},
	{"output at once", sandbox.Limits{Output: 10}, false, "print('x' * 100000)", "xxxxxxxxxx\n[The output was cut " +
		"after 10 bytes", false},
	{"output below Python", sandbox.Limits{Output: 100}, false, "import os\nwhile True: os.write(1, b'x' * 5000)",
		"[The output was cut after 100 bytes", false},
	{"captured output", small, true, "while True: print('yes' * 100000)", "MemoryError", false},
	{"abort", sandbox.Limits{}, false, "import os\nos.abort()", "SystemError: the interpreter ended (signal: aborted",
		false},
	{"descriptors", sandbox.Limits{}, false, "import os\nf = [os.dup(0) for _ in range(100)]", "OSError: [Errno 24]",
		false},
}

// checkLimits shows that what passes a limit ends there, with an observation that says so, and that
// the call after it is a call like any other. Both limits of time have one observation, whole: the
// load of the machine decides which of them a program meets.
func checkLimits(t *testing.T, e sandbox.Engine, brief bool) {
	for _, s := range allStopped {
		if s.long && brief {
			continue
		}

		t.Run(s.name, func(t *testing.T) {
			t.Parallel()

			in := pytool.New(e, pytool.Options{Limits: s.limits, PublishedCapture: s.published})
			start := time.Now()

			got, err := call(t.Context(), in, s.code)
			if err != nil {
				t.Fatal(err)
			}

			shows := strings.Contains(got.Observation, s.want)
			if strings.HasSuffix(s.want, outOfTime) {
				shows = got.Observation == s.want
			}

			if !shows || got.Outcome != envs.ToolError {
				t.Errorf("%v %.300q, want %q", got.Outcome, got.Observation, s.want)
			}

			if took, most := time.Since(start), s.limits.WithDefaults().Wall+slack; took > most {
				t.Errorf("it took %v, want at most %v", took, most)
			}

			if after, err := call(t.Context(), in, "print('fine')"); err != nil || after.Observation != "fine" {
				t.Errorf("the next call: %+v, %v", after, err)
			}
		})
	}
}

// checkCancel shows that a call that is given up is the error of its context, and leaves nothing
// behind.
func checkCancel(t *testing.T, e sandbox.Engine) {
	in := pytool.New(e, pytool.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	if _, err := call(ctx, in, "print(1)"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}

	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		_, err := call(ctx, in, "import time\ntime.sleep(60)")

		cancel()

		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the caller's deadline: %v", err)
		}
	}

	if r, err := call(t.Context(), in, "print('fine')"); err != nil || r.Observation != "fine" {
		t.Errorf("the next call: %+v, %v", r, err)
	}
}

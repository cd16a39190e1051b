package python

import (
	_ "embed"
	"encoding/base64"
	"strconv"
	"syscall"
	"time"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/confine"
)

//go:embed capture.py
var capture string

//go:embed driver.py
var driver string

//go:embed forkserver.py
var forkServer string

// ForkServer is capture.py, driver.py and forkserver.py: executing it serves calls on standard
// input and output.
func ForkServer() string { return capture + "\n" + driver + "\n" + forkServer }

// Filter is the driver with a program that reads data on standard input: executing it reads the
// setup and the limits, as one frame of package worker, applies them, and runs the program.
func Filter(program string) string {
	const enter = "\nimport json\nenter(json.loads(r.read(int.from_bytes(r.read(4), 'big'))))\n"
	return capture + "\n" + driver + enter + program
}

// Environment is the whole environment of every interpreter, whatever the engine. Nothing in it
// comes from this process's own environment.
func Environment() []string {
	return []string{
		"LANG=C.UTF-8", "TZ=UTC", "HOME=/", "PATH=/usr/bin:/bin",
		"PYTHONHASHSEED=0", "PYTHONUTF8=1", "PYTHONDONTWRITEBYTECODE=1", "PYTHONNODEBUGRANGES=1",
		"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "MALLOC_ARENA_MAX=2",
	}
}

// Setup is what a driver reads before the first program: where modules are, which third-party ones
// may be imported, and the filter of system calls to put on.
type Setup struct {
	Path    []string `json:"path"`
	Site    []string `json:"site"`
	Modules []string `json:"modules"`
	Filter  string   `json:"filter"` // base64; "" for none
	PIDs    []int    `json:"pids"`   // offsets in the filter; see [confine.Filter]
}

// Setup returns the setup for a driver of this interpreter. Its filter makes up for missing walls
// as far as it can; see [confine.Filter].
func (in *Interpreter) Setup(without []confine.Wall) Setup {
	program, pids := confine.Filter(without...)
	return Setup{
		Path: in.Path, Site: in.Site, Modules: sandbox.Stamp{Modules: in.Modules}.ModuleNames(),
		Filter: base64.StdEncoding.EncodeToString(program), PIDs: append([]int{}, pids...),
	}
}

// Job is what a driver reads about one program.
type Job struct {
	Code      string `json:"code"`
	Published bool   `json:"published"`
	Seed      uint32 `json:"seed"`
	CPU       int    `json:"cpu"`    // seconds
	Memory    int64  `json:"memory"` // bytes
}

// NewJob returns the job of a program under limits that have no zero values.
func NewJob(p sandbox.Program, l sandbox.Limits) Job {
	return Job{Code: p.Code, Published: p.Published, Seed: p.Seed, CPU: seconds(l.CPU), Memory: l.Memory}
}

// seconds rounds up to whole seconds, at least one.
func seconds(d time.Duration) int { return int(max(1, (d+time.Second-1)/time.Second)) }

// raised is the exit status of a driver whose program raised: RAISED in driver.py.
const raised = 87

// Ended says how a program ended, by the status of its process, and for Died also the details.
func Ended(status syscall.WaitStatus) (end sandbox.End, detail string) {
	switch {
	case status.Signaled() && (status.Signal() == syscall.SIGKILL || status.Signal() == syscall.SIGXCPU):
		return sandbox.OutOfTime, ""
	case status.Signaled():
		return sandbox.Died, "signal: " + status.Signal().String()
	case status.ExitStatus() == 0:
		return sandbox.Finished, ""
	case status.ExitStatus() == raised:
		return sandbox.Raised, ""
	default:
		return sandbox.Died, "exit status " + strconv.Itoa(status.ExitStatus())
	}
}

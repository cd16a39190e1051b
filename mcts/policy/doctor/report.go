package doctor

import (
	"maps"
	"time"
)

// Verdict is the result of a check.
type Verdict string

// The verdicts, from good to bad.
const (
	OK      Verdict = "ok"
	Skipped Verdict = "not-probed"     // quick mode leaves it out
	Unknown Verdict = "could-not-tell" // the probes did not tell
	Warning Verdict = "warning"        // a run copes, but is slower or loses something
	Problem Verdict = "problem"        // a run would be wrong or impossible
)

// verdicts says how the verdicts are written, from good to bad.
var verdicts = [...]struct {
	verdict          Verdict
	mark, conclusion string
}{
	{OK, "ok", "All is well."},
	{Skipped, "--", "Nothing wrong was found by quick mode, which does not look at everything."},
	{Unknown, "??", "Nothing wrong was found, but not everything could be looked at."},
	{Warning, "! ", "A run will cope with this server: it is slower, or loses what is named above."},
	{Problem, "!!", "Do not run on this server before what is marked !! is set right."},
}

// rank is the verdict's place among them.
func (v Verdict) rank() int {
	for i := range verdicts {
		if verdicts[i].verdict == v {
			return i
		}
	}

	return len(verdicts) - 1
}

// Worse returns the worse of two verdicts.
func (v Verdict) Worse(w Verdict) Verdict {
	if w.rank() > v.rank() {
		return w
	}
	return v
}

// Name names a check.
type Name string

// The checks of what a run needs beside its servers, and of them together.
const (
	Data     Name = "data"     // the data folder has the questions
	Settings Name = "settings" // suit a collection
	Folder   Name = "folder"   // of the run: it can be made, and there is room
	Logs     Name = "logs"     // can be written, and metrics served
	Servers  Name = "servers"  // all answer, and have the model
	Python   Name = "python"   // the engine runs, and has what prompts promise
	Walls    Name = "walls"    // programs do not get out
	Greeting Name = "greeting" // all servers take what a run sends
)

// The checks of one server, in the order in which they are made.
const (
	Reachable   Name = "reachable"    // it answers, and takes the key
	Version     Name = "version"      // of the server, and what that version lacks
	Model       Name = "model"        // it has the model
	Completion  Name = "completion"   // a request with every field of a run is answered
	Parameters  Name = "parameters"   // of a run's requests that it takes
	Template    Name = "template"     // prompts and observations reach the model
	PrefixCache Name = "prefix-cache" // a prompt's known beginning is not read again
	Window      Name = "window"       // the context window is what is stated, and what is longer is refused
	Room        Name = "room"         // the run's prompts fit it
	Actions     Name = "actions"      // can be read from what the model writes
	Reasoning   Name = "reasoning"    // whether it reasons before them
	Samples     Name = "samples"      // n is honoured
	Seeds       Name = "seeds"        // are honoured
	Greedy      Name = "greedy"       // temperature 0 is repeatable
	Defaults    Name = "defaults"     // what is not sent is neutral
	Tools       Name = "tools"        // those that are sent are shown, and calls come back as they were written
	Stop        Name = "stop"         // stop texts are honoured
	LogProbs    Name = "logprobs"     // are present, and of what
	Slots       Name = "slots"        // requests run side by side
	Crosstalk   Name = "crosstalk"    // replies to unrelated prompts at once are about their own
	Kept        Name = "kept-prompts" // how many it keeps, so that what is known of them is not read again
	Clock       Name = "clock"        // tokens a second, in and out
	Loaded      Name = "loaded"       // the model stays loaded, where a server loads it for requests
)

// Check is one property of a server.
type Check struct {
	Name    Name    `json:"name"`          // what was looked at
	Verdict Verdict `json:"verdict"`       // ok, not-probed, could-not-tell, warning or problem
	Seen    string  `json:"seen"`          // with figures
	Run     string  `json:"run,omitempty"` // what a run does about it
	Do      string  `json:"do,omitempty"`  // what the user can do about it
	// settings that do it, or that keep what was found, by key
	Set map[string]string `json:"set,omitempty"`
}

// Estimate is how fast a run would be.
type Estimate struct {
	CompletionsPerHour int `json:"completions_per_hour"` // that the server can be expected to write
	InFlight           int `json:"in_flight"`            // sequences, at which that was measured
	TokensWritten      int `json:"tokens_out"`           // assumed of one completion
	// assumed of one completion, those in the prefix cache not counted
	TokensRead   int `json:"tokens_in"`
	OutPerSecond int `json:"out_per_s"`     // tokens written in a second, all sequences together
	InPerSecond  int `json:"in_per_s"`      // tokens read in a second; 0 when it is too quick to measure
	OutAlone     int `json:"out_alone_s"`   // tokens written in a second by one sequence alone
	PromptTokens int `json:"prompt_tokens"` // of the run's first prompt of a question
}

// Report is the result of an examination.
type Report struct {
	Server   string        `json:"server"`             // its address, without credentials
	Kind     string        `json:"kind"`               // of the server, e.g. "openai"
	Model    string        `json:"model"`              // that was asked for
	Verdict  Verdict       `json:"verdict"`            // the worst of all checks
	Checks   []Check       `json:"checks"`             // in the order in which they were made
	Estimate *Estimate     `json:"estimate,omitempty"` // nil when the server could not be timed
	Probes   int           `json:"probes"`             // requests for completions that were sent
	Took     time.Duration `json:"took_ns"`            // how long it all took
}

// Settings returns those that its checks set, by key.
func (r *Report) Settings() map[string]string {
	all := map[string]string{}
	for _, c := range r.Checks {
		maps.Copy(all, c.Set)
	}
	return all
}

// Check returns the check of a name; ok is false if it was not made, because an earlier one made it
// pointless.
func (r *Report) Check(name Name) (c Check, ok bool) {
	for _, c := range r.Checks {
		if c.Name == name {
			return c, true
		}
	}

	return Check{}, false
}

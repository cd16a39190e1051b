package cluster

import (
	"encoding/json"
	"fmt"
	"strings"

	"toolevo/envs"
)

// Failure is an error as it travels: a coordinator treats it as if it had failed there.
type Failure struct {
	Text    string     `json:"text"`
	Stage   envs.Stage `json:"stage,omitempty"`
	Reason  string     `json:"reason,omitempty"` // of one request that was given up; see envs.GivenUp
	GivenUp bool       `json:"given_up,omitempty"`
}

// FailureOf returns an error as it travels.
func FailureOf(err error) Failure {
	f := Failure{Text: err.Error()}
	f.Text = strings.ToValidUTF8(f.Text[:min(len(f.Text), mostText)], "")
	f.Stage, _ = envs.FailedStage(err)
	f.Reason, f.GivenUp = envs.GivenUp(err)
	return f
}

// mostText is how many bytes of an error travel: an outcome has to fit a message.
const mostText = 4 << 10

// Err returns the error at the coordinator.
func (f Failure) Err() error {
	var err error = elsewhereError(f.Text)
	if f.GivenUp {
		err = givenUpElsewhere{elsewhereError(f.Text), f.Reason}
	}
	return &envs.StageError{Stage: f.Stage, Op: "on another machine", Err: err}
}

// elsewhereError is the text of an error of another process.
type elsewhereError string

func (e elsewhereError) Error() string { return string(e) }

// givenUpElsewhere is that of a request that was given up.
type givenUpElsewhere struct {
	elsewhereError
	reason string
}

func (e givenUpElsewhere) GivenUp() string { return e.reason }

// failures are errors by what failed.
type failures map[int]Failure

func failuresOf(all map[int]error) failures {
	f := failures{}
	for i, err := range all {
		f[i] = FailureOf(err)
	}
	return f
}

func (f failures) errors() map[int]error {
	all := map[int]error{}
	for i, one := range f {
		all[i] = one.Err()
	}
	return all
}

// decode reads JSON that another process has written.
func decode(what string, text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("cluster: the %s of another process cannot be read: %w", what, err)
	}
	return nil
}

package judge

import (
	"fmt"
	"strings"
)

// Status is the verdict of a judge on an answer.
type Status int

// The statuses.
const (
	Unsolved Status = iota
	Unsure
	Solved
	Lost // the judge wrote nothing that can be read
)

var statusNames = [...]string{"Unsolved", "Unsure", "Solved", "Lost"}

// String returns the status as StableToolBench writes it.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}

// parseStatus returns the status that a judge wrote, maybe as Python prints the published
// enumeration.
func parseStatus(name string) (Status, error) {
	name = strings.TrimPrefix(name, enumeration)

	for s := Unsolved; s < Lost; s++ {
		if strings.EqualFold(name, s.String()) {
			return s, nil
		}
	}

	return Lost, fmt.Errorf("%q is none of the statuses", name)
}

// value returns what a status counts, 0 to 1. Lost counts nowhere.
func (s Status) value() float64 { return float64(s) / 2 }

package cluster

import (
	"fmt"

	"toolevo/envs"
)

// oldest is the oldest NATS server that has what is used here: streams that refuse a second
// message under a subject, and consumers by name.
const oldest = "2.10.0"

// names are those of a run's streams and subjects. Runs that share a server do not meet.
type names struct{ key string }

func namesOf(run string) names { return names{envs.SHA256(run)[:16]} }

func (n names) queueStream() string { return "toolevo-" + n.key + "-queue" }
func (n names) logStream() string   { return "toolevo-" + n.key + "-log" }

func (n names) subject(kind, id string) string {
	return fmt.Sprintf("toolevo.%s.%s.%s", n.key, kind, id)
}

func (n names) queue(unit string) string { return n.subject("queue", unit) }
func (n names) log(unit string) string   { return n.subject("log", unit) }

// UnitID returns the ID of a unit about a question, the same whatever else a run has to do.
func UnitID(question string, numbers ...int) string {
	id := envs.SHA256(question)[:20]
	for _, n := range numbers {
		id += fmt.Sprint("-", n)
	}
	return id
}

// What the coordinator and its workers tell each other outside of streams.
func (n names) join() string { return n.subject("tell", "join") }
func (n names) ask() string  { return n.subject("tell", "ask") }
func (n names) beat() string { return n.subject("tell", "beat") }
func (n names) over() string { return n.subject("tell", "over") }

func (n names) machines() string { return n.subject("tell", "machines") }

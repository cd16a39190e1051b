package remote

import (
	"slices"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// Log is the calls on the way to a state, without those that only read, and their answers. It is
// immutable. The zero Log is where every task begins.
type Log struct{ last *entry }

type entry struct {
	before Log
	tool   string
	args   envs.Args
	result envs.Result
	key    string // of the calls up to this one
}

// Same reports whether two logs have the same calls, after which tools are in the same state.
func Same(a, b Log) bool { return a.key() == b.key() }

func (l Log) key() string {
	if l.last == nil {
		return ""
	}
	return l.last.key
}

// with returns the entry of one more call, which has no result yet.
func (l Log) with(tool string, args envs.Args) *entry {
	key := envs.SHA256(l.key() + "\x00" + tool + "\x00" + pytext.JSON(args))
	return &entry{before: l, tool: tool, args: args, key: key}
}

// since returns the calls that the log has made since another one, in their order. ok is false if
// it does not continue that one: its calls, and what the last of them was answered.
func (l Log) since(other Log) (calls []*entry, ok bool) {
	for at := l; ; at = at.last.before {
		if Same(at, other) && (at.last == nil || at.last.result == other.last.result) {
			slices.Reverse(calls)
			return calls, true
		}

		if at.last == nil {
			return nil, false
		}

		calls = append(calls, at.last)
	}
}

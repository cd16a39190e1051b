package attack

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"toolevo/envs/sandbox"
)

// The walls, in the order of [List].
const (
	Network    = "network"     // no connection, no listener, no socket
	Files      = "files"       // nothing of the host's is read, nothing is written
	Secrets    = "secrets"     // nothing of the host's environment, descriptors and memory
	Processes  = "processes"   // no other program, no other process, none that stays behind
	Signals    = "signals"     // no other process is stopped, ended or slowed
	Kernel     = "kernel"      // no system call that a program has no use for when it computes
	OtherCalls = "other calls" // no program changes or learns what another one shows
	Resources  = "limits"      // processor time, real time, memory and output are bounded
)

// Walls lists the walls in the order of [List].
func Walls() []string {
	return []string{Network, Files, Secrets, Processes, Signals, Kernel, OtherCalls, Resources}
}

// Attack is a program that tries to get out of an engine.
type Attack struct {
	Name  string // "tcp-connect"
	Wall  string // what it tries to get through
	What  string // what it does, one sentence
	Short bool   // part of the short form, as it ends at once

	code string
	ends []sandbox.End // how it may end without saying anything
}

//go:embed snippets/*.py
var snippets embed.FS

//go:embed prelude.py
var prelude string

//go:embed syscalls.py
var syscalls string

// List returns all attacks, by wall and then by name.
func List() []Attack {
	files, err := snippets.ReadDir("snippets")
	if err != nil {
		panic(err) // embedded
	}
	var all []Attack

	for _, f := range files {
		text, err := snippets.ReadFile("snippets/" + f.Name())
		if err != nil {
			panic(err)
		}

		a, err := parse(strings.TrimSuffix(path.Base(f.Name()), ".py"), string(text))
		if err != nil {
			panic(err)
		}

		all = append(all, a)
	}

	walls := Walls()

	slices.SortStableFunc(all, func(a, b Attack) int {
		return slices.Index(walls, a.Wall) - slices.Index(walls,
			b.Wall)
	})
	return all
}

// endings are the words for ends in the files.
var endings = map[string]sandbox.End{
	"finished": sandbox.Finished, "raised": sandbox.Raised, "time": sandbox.OutOfTime, "output": sandbox.OutOfSpace,
	"died": sandbox.Died,
}

// parse reads an attack's file. It begins with comments: "# wall: network", "# what: ...", "#
// short" if it belongs to the short form, and "# ends: time, raised" if an attack that ends so is
// contained.
func parse(name, text string) (Attack, error) {
	a := Attack{Name: name, code: text}
	for line := range strings.Lines(text) {
		// The program begins with the first line that is no comment, and may have comments of its
		// own.
		comment, ok := strings.CutPrefix(line, "# ")
		if !ok {
			break
		}

		key, value, _ := strings.Cut(strings.TrimSpace(comment), ": ")
		switch key {
		case "wall":
			a.Wall = value
		case "what":
			a.What = value
		case "short":
			a.Short = true
		case "ends":
			// An attack that only a limit ends has been contained, too.
			for word := range strings.SplitSeq(value, ", ") {
				end, ok := endings[word]
				if !ok {
					return a, fmt.Errorf("attack %s: there is no end %q", name, word)
				}

				a.ends = append(a.ends, end)
			}
		default:
			return a, fmt.Errorf("attack %s: unknown line %q", name, comment)
		}
	}

	// Findings are listed by wall, and shown with what was tried.
	if !slices.Contains(Walls(), a.Wall) || a.What == "" {
		return a, fmt.Errorf("attack %s: want a wall and what it does", name)
	}
	return a, nil
}

// program returns what the engine runs: where the bait is, what attacks have in common, and the
// attack.
func (a Attack) program(bait string) sandbox.Program {
	code := bait + prelude
	if strings.Contains(a.code, "syscall(") || strings.Contains(a.code, "reach(") {
		code += syscalls
	}
	return sandbox.Program{Code: code + a.code, Seed: 1}
}

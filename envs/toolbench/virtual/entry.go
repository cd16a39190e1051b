package virtual

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
)

// Provenance is where an answer comes from.
type Provenance string

// The provenances.
const (
	Replayed  Provenance = "replayed"  // from the cache; in it: from one that was published
	Real      Provenance = "real"      // from the backend
	Simulated Provenance = "simulated" // from a language model
	Scripted  Provenance = "scripted"
)

// Call is a call of an API, as the cache knows it. Its names are normalised, since documents and
// published files write them differently.
type Call struct {
	Version string // that was deployed
	API     toolbench.Key
	Args    envs.Args // of the API's document
}

// NewCall returns a call of an API under a version.
func NewCall(version string, api toolbench.Key, args envs.Args) Call {
	return Call{version, Normalised(api), args}
}

// Normalised returns the names of an API as requests and published folders write them.
func Normalised(k toolbench.Key) toolbench.Key {
	return toolbench.Key{
		Category: toolbench.CategoryName(k.Category), Tool: toolbench.Name(k.Tool), API: toolbench.Name(k.API),
	}
}

// Key identifies a call. Calls whose arguments differ only in their order, or in how a number is
// written, are equal.
func (c Call) Key() string {
	text := []byte(c.Version + "\n" + c.API.Category + "\n" + c.API.Tool + "\n" + c.API.API + "\n")
	return fmt.Sprintf("%x", sha256.Sum256(pytext.AppendCanonical(text, c.Args)))
}

// published returns the call with its arguments spelled as in published files, unless two would
// have one name.
func (c Call) published() Call {
	args := slices.Clone(c.Args)

	for i := range args {
		args[i].Name = toolbench.Name(args[i].Name)

		if _, twice := args[:i].Get(args[i].Name); twice {
			return c
		}
	}
	return Call{c.Version, c.API, args}
}

// Entry is an answer that is kept.
type Entry struct {
	Call
	Answer     toolbench.Answer // without an error
	Provenance Provenance
	Prompt     string // hash of the instructions of a model; "" if none was asked
	Document   string // hash of the API's document; "" if there was none
	Made       time.Time
}

// documentHash identifies the content of a document.
func documentHash(d *toolbench.Document) string { return hash(object(wholeDocument(d))) }

func hash(text string) string {
	return fmt.Sprintf("%.8x", sha256.Sum256([]byte(text)))
}

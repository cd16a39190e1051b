package virtual

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"math/big"
	"slices"
	"strings"
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

// Call is a call of an API, as the cache knows it. Its names are normalised, so that documents and published files,
// which write them otherwise, mean the same.
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

// Key identifies a call. Calls whose arguments differ in their order alone, or in how a number is written, are equal.
func (c Call) Key() string {
	text := append([]byte(c.Version+"\n"+c.API.Category+"\n"+c.API.Tool+"\n"+c.API.API+"\n"), canonical(c.Args)...)
	sum := sha256.Sum256(text)

	return hex.EncodeToString(sum[:])
}

// canonical returns arguments as JSON, sorted by name and with one spelling of each number.
func canonical(args envs.Args) []byte { return pytext.AppendJSON(nil, sorted(args)) }

func sorted(v any) any {
	switch v := v.(type) {
	case envs.Args:
		all := make(envs.Args, len(v))
		for i, arg := range v {
			all[i] = envs.Arg{Name: arg.Name, Value: sorted(arg.Value)}
		}

		slices.SortFunc(all, func(a, b envs.Arg) int { return cmp.Compare(a.Name, b.Name) })

		return all
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = sorted(item)
		}

		return items
	case envs.Number:
		return spelled(v)
	}

	return v
}

// spelled returns a number in one spelling: an integer in digits, whatever its length, and else the shortest text.
func spelled(n envs.Number) envs.Number {
	if !strings.ContainsAny(string(n), ".eENI") {
		if i, ok := new(big.Int).SetString(string(n), 10); ok {
			return envs.Number(i.String())
		}
	}

	f, ok := pytext.ParseFloat(string(n))

	switch {
	case !ok || math.IsInf(f, 0) || math.IsNaN(f):
		return n
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return envs.Number(big.NewInt(int64(f)).String())
	}

	return envs.Number(pytext.FormatFloat(f))
}

// Entry is an answer that is kept.
type Entry struct {
	Call
	Answer     toolbench.Answer // without an error
	Provenance Provenance
	Prompt     string // hash of the instructions of a model; "" where none was asked
	Document   string // hash of the API's document; "" where there was none
	Made       time.Time
}

// documentHash identifies what a document says.
func documentHash(d *toolbench.Document) string { return hash(wholeDocument(d)) }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

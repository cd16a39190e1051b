package toolapi

import (
	"cmp"
	"fmt"

	"github.com/goccy/go-yaml"

	"toolevo/envs/silent"
	"toolevo/envs/wire"
	"toolevo/envs/yamltext"
)

// Spec is the file of a version: what Load reads and Encode writes.
type Spec struct {
	path string

	Version    string   `yaml:"version"`
	About      string   `yaml:"about,omitempty"`
	Base       bool     `yaml:"base,omitempty"`  // it defines the tools
	Loose      bool     `yaml:"loose,omitempty"` // types are for readers: calls are not held to them
	Deprecates []string `yaml:"deprecates,omitempty,flow"`
	Messages   Messages `yaml:"messages,omitempty"`

	Response *wire.AnswerForm `yaml:"response,omitempty,flow"` // the form of answers; nil is plain text

	Silent silent.Changes `yaml:"silent,omitempty"` // of answers and arguments, which no call is refused for
	Faults []Fault        `yaml:"faults,omitempty"` // that pass

	Removed []silent.Removed `yaml:"removed,omitempty"` // tools of the base that it does not expose

	APIs []APISpec `yaml:"apis"`
}

// Messages are the templates of a version. The base's replaces an empty one.
type Messages struct {
	Deprecated string `yaml:"deprecated,omitempty"`
	Invalid    string `yaml:"invalid,omitempty"`
}

// APISpec is an API in the file of a version.
type APISpec struct {
	Name        string        `yaml:"name"`
	Tool        string        `yaml:"tool,omitempty"` // Name when empty
	Parameters  Parameters    `yaml:"parameters,flow"`
	Loose       bool          `yaml:"loose,omitempty"`       // like the file's, for this API only
	Description string        `yaml:"description,omitempty"` // the base's if empty
	Guideline   string        `yaml:"guideline,omitempty"`   // when to use it, in prompts; the base's if empty
	URL         string        `yaml:"url,omitempty"`         // in its document; calls ignore it
	Answer      string        `yaml:"answer,omitempty"`      // of the tool, a JSON value: an example with all its members
	Conditions  string        `yaml:"conditions,omitempty"`  // a parameter that is a text of conditions on such members
	SQL         string        `yaml:"sql,omitempty"`         // a parameter that asks tables with such columns, in SQL
	Of          string        `yaml:"of,omitempty"`          // the tool whose members these are; of any when empty
	Adapters    []AdapterSpec `yaml:"adapters,omitempty"`    // from the API to the tool
	Errors      ErrorTexts    `yaml:"errors,omitempty"`
	Notice      NoticeSpec    `yaml:"notice,omitempty"`
	Inferred    []Inferred    `yaml:"inferred,omitempty"` // changes that are less than sure
}

// Inferred is a change that was inferred from two releases of a tool, and may be wrong.
type Inferred struct {
	Sure   float64 `yaml:"sure" json:"sure"`     // in [0, 1], 1 once somebody has confirmed it
	Change string  `yaml:"change" json:"change"` // such as rename-parameter card → token
	Why    string  `yaml:"why" json:"why"`       // it is not surer
}

// IsUnsure reports whether somebody has to confirm it.
func (i Inferred) IsUnsure() bool { return i.Sure < 0.6 }

// Unsure counts the changes that somebody has to confirm.
func Unsure(all []Inferred) (n int) {
	for _, i := range all {
		if i.IsUnsure() {
			n++
		}
	}

	return n
}

// ToolName returns the name of the tool that the API exposes.
func (f APISpec) ToolName() string { return cmp.Or(f.Tool, f.Name) }

// ErrorTexts are what an agent reads about arguments that do not fit.
type ErrorTexts struct {
	Arguments string `yaml:"arguments,omitempty"`
	Value     string `yaml:"value,omitempty"` // Arguments when empty
}

// NoticeSpec is what a deprecation notice says about the API to use instead.
type NoticeSpec struct {
	Signature string `yaml:"signature,omitempty"` // the API's own when empty
	Example   string `yaml:"example,omitempty"`   // a JSON object
	Published struct {
		Signature *string `yaml:"signature,omitempty"`
		Example   *string `yaml:"example,omitempty"`
	} `yaml:"published,omitempty"`
}

// AdapterSpec is an adapter as data. It has exactly one of its fields.
type AdapterSpec struct {
	Rename     Rename         `yaml:"rename,omitempty,flow"`
	Ignored    *Ignored       `yaml:"ignored,omitempty,flow"`
	Numbered   *Numbered      `yaml:"numbered,omitempty,flow"`
	Enumerated *Enumerated    `yaml:"enumerated,omitempty,flow"`
	Flag       *Flag          `yaml:"flag,omitempty,flow"`
	Prefix     *Prefix        `yaml:"prefix,omitempty,flow"`
	Bracketed  *BracketedSpec `yaml:"bracketed,omitempty,flow"`
	Spelled    *Spelled       `yaml:"spelled,omitempty,flow"`
	Nested     *Nested        `yaml:"nested,omitempty,flow"`
	Unnested   *Unnested      `yaml:"unnested,omitempty,flow"`
	Listed     *Listed        `yaml:"listed,omitempty,flow"`
	Fallback   *Fallback      `yaml:"fallback,omitempty,flow"`
	Nullable   *Nullable      `yaml:"nullable,omitempty,flow"`
	Flipped    *Flipped       `yaml:"flipped,omitempty,flow"`
	Chosen     *Chosen        `yaml:"chosen,omitempty,flow"`
}

// BracketedSpec is a [Bracketed] as data.
type BracketedSpec struct {
	Parameter string  `yaml:"parameter"`
	Fields    []Field `yaml:"fields"`
}

// Parse reads a file. Load checks whether it is complete.
func Parse(f File) (*Spec, error) {
	s := &Spec{path: f.Path}

	err := yamltext.Decode([]byte(f.Text), s, yaml.Strict(), yaml.UseOrderedMap())
	if err != nil {
		return nil, fmt.Errorf("toolapi: %s: %w", f.Path, err)
	}

	for i := range s.APIs {
		s.APIs[i].Parameters.Loose = s.Loose || s.APIs[i].Loose
	}
	return s, nil
}

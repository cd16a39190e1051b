package toolapi

import (
	"maps"
	"slices"
)

// notice is what a deprecation notice says about the API to use instead.
type notice struct {
	signature, example                   string
	publishedSignature, publishedExample string
}

// Deprecation is a name that a version answers with a notice.
type Deprecation struct {
	Old *API // the API of that name, in the version that had it
	New *API // what exposes the same tool now
}

// Deprecation returns what the version knows about a name it no longer exposes.
func (v *Version) Deprecation(name string) (Deprecation, bool) {
	d, ok := v.deprecated[name]
	return d, ok
}

// Deprecated returns the deprecated names in alphabetical order.
func (v *Version) Deprecated() []string { return slices.Sorted(maps.Keys(v.deprecated)) }

// Notice returns the deprecation message (ToolEvo, appendix C.2) in its published wording.
func (d Deprecation) Notice() string {
	return d.text(d.New.notice.signature, d.New.notice.example)
}

// PublishedNotice returns the message of the published code, with its defects where it has any.
func (d Deprecation) PublishedNotice() string {
	return d.text(d.New.notice.publishedSignature, d.New.notice.publishedExample)
}

func (d Deprecation) text(signature, example string) string {
	return "Error: " + d.Old.Signature() + " is deprecated and will be removed in future releases. Use " +
		signature + ", param example: " + example + " instead."
}

// Example returns the JSON object that the deprecation notice shows as the arguments of a call, or "" when the API
// replaces nothing.
func (a *API) Example() string { return a.notice.example }

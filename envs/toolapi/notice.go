package toolapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"toolevo/envs"
)

// notice is what a deprecation notice says about the API to use instead.
type notice struct {
	signature, example                   string
	publishedSignature, publishedExample string
}

// Deprecation is a name that a version answers with a notice.
type Deprecation struct {
	Old *API // the API of that name, in the version that had it
	New *API // what exposes the same tool now, the first of several; nil where nothing does

	notice, published string
}

// Deprecation returns what the version knows about a name that it no longer exposes.
func (v *Version) Deprecation(name string) (Deprecation, bool) {
	d, ok := v.deprecated[name]
	return d, ok
}

// Outdated returns what the version knows about a call that its API of that name does not take: the
// deprecation of the parameters, if the call was right under a version that this one deprecates.
// Only parameters can have changed.
func (v *Version) Outdated(name string, args envs.Args) (Deprecation, bool) {
	for _, d := range v.outdated[name] {
		// The old version does not know what a caller adds because of a silent change.
		if _, wrong := d.Old.Lower(d.New.Silent.Lower(args)); wrong == nil {
			return d, true
		}
	}

	return Deprecation{}, false
}

// Deprecated returns the deprecated names in alphabetical order.
func (v *Version) Deprecated() []string { return slices.Sorted(maps.Keys(v.deprecated)) }

// Notice returns the deprecation message (ToolEvo, appendix C.2).
func (d Deprecation) Notice() string { return d.notice }

// PublishedNotice returns the message as it was published, with its defects where it has any.
func (d Deprecation) PublishedNotice() string { return d.published }

// alsoText is what a notice adds, after the version's message, about another API that replaces the
// old one.
const alsoText = " Or use %s, param example: %s."

// deprecation writes the notices about an API of another version. They name every API that replaces
// it.
func (v *Version) deprecation(old *API, now []*API) (d Deprecation, err error) {
	type data struct {
		Old, New           *API
		Signature, Example string // of New, as the notice shows them
	}

	n := now[0].notice
	d = Deprecation{Old: old, New: now[0]}

	d.notice, err = rendered(v.deprecatedText, data{old, d.New, n.signature, n.example})
	if err == nil {
		published := data{old, d.New, n.publishedSignature, n.publishedExample}
		d.published, err = rendered(v.deprecatedText, published)
	}

	for _, other := range now[1:] {
		also := fmt.Sprintf(alsoText, other.notice.signature, other.notice.example)
		d.notice, d.published = d.notice+also, d.published+also
	}
	return d, err
}

// InvalidAction returns the message about a name that does not exist. It lists every API of the
// version except those of the tools in without. The published environment lists the prompt's
// version, whatever is deployed.
func (v *Version) InvalidAction(without ...string) (string, error) {
	isLeftOut := func(a *API) bool { return slices.Contains(without, a.Tool) }
	listed := slices.DeleteFunc(slices.Clone(v.APIs), isLeftOut)
	return rendered(v.invalidText, struct {
		APIs []*API
		Last int // the index of the last one
	}{listed, len(listed) - 1})
}

// Example returns the JSON object that the deprecation notice shows as the arguments of a call, or
// "" if the API replaces nothing.
func (a *API) Example() string { return a.notice.example }

// readMessages parses and tries the templates of a file. The base has those that the file lacks.
func (v *Version) readMessages(f *Spec, base *Version) (err error) {
	if v.deprecatedText, err = parseMessage("deprecated", f.Messages.Deprecated, base.deprecatedText); err != nil {
		return err
	}

	if v.invalidText, err = parseMessage("invalid", f.Messages.Invalid, base.invalidText); err != nil {
		return err
	}

	if _, err = v.InvalidAction(); err == nil {
		_, err = v.deprecation(v.APIs[0], v.APIs[:1])
	}
	return err
}

func parseMessage(name, text string, inherited *template.Template) (*template.Template, error) {
	switch {
	case text != "":
		return template.New("messages." + name).Parse(text)
	case inherited == nil:
		return nil, fmt.Errorf("no messages.%s", name)
	}

	return inherited, nil
}

func rendered(t *template.Template, data any) (string, error) {
	var b strings.Builder

	err := t.Execute(&b, data)
	if err == nil && b.Len() == 0 {
		err = fmt.Errorf("%s says nothing", t.Name())
	}
	return b.String(), err
}

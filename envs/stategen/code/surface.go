package code

import (
	"slices"

	"toolevo/envs"
	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// Surface is how programs reach the tools of a domain.
type Surface struct {
	Domain   stategen.Domain
	Base     *toolapi.Version // defines the tools, and may have those of other domains, too
	Deployed *toolapi.Version

	// Published writes programs for StateEval's evaluator, which loads torch without the short name
	// F, and whose speeches are objects with attributes.
	Published bool
}

// style returns the style of calls in this domain.
func (s *Surface) style() style {
	switch s.Domain.Name() {
	case "session":
		return requests{}
	case "tensor":
		return torch{whole: s.Published}
	}

	return functions{}
}

// apis returns the deployed APIs of the domain's tools, as documents show them.
func (s *Surface) apis() []*toolapi.API {
	var apis []*toolapi.API
	for _, spec := range s.Domain.APIs() {
		apis = append(apis, s.Deployed.Exposing(spec.Name)...)
	}
	return toolapi.Shown(apis)
}

// unchanged reports whether all APIs of the domain are deployed as the base has them.
func (s *Surface) unchanged() bool {
	return !slices.ContainsFunc(s.Domain.APIs(), func(a toolapi.APISpec) bool {
		deployed := s.Deployed.Exposing(a.Name)
		return len(deployed) != 1 || !s.Base.Has(deployed[0])
	})
}

// api returns the deployed API of a call, if its tool belongs to the domain.
func (s *Surface) api(name string, args envs.Args) (*toolapi.API, bool) {
	api, ok := s.Deployed.Called(name, args)
	isTool := func(a toolapi.APISpec) bool { return a.Name == api.Tool }
	return api, ok && slices.ContainsFunc(s.Domain.APIs(), isTool)
}

// deprecated returns the notice about a name that the deployed version no longer has, or "".
func (s *Surface) deprecated(name string) string {
	if d, ok := s.Deployed.Deprecation(name); ok {
		return d.Notice()
	}
	return ""
}

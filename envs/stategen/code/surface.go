package code

import (
	"slices"

	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// Surface is how programs reach the tools of a domain.
type Surface struct {
	Domain   stategen.Domain
	Base     *toolapi.Version // the version that defines the tools; it may have those of other domains, too
	Deployed *toolapi.Version
}

// style returns the style of calls in this domain.
func (s *Surface) style() style {
	switch s.Domain.Name() {
	case "session":
		return requests{}
	case "tensor":
		return torch{}
	}

	return functions{}
}

// apis returns the deployed APIs of the domain's tools.
func (s *Surface) apis() []*toolapi.API {
	var apis []*toolapi.API

	for _, spec := range s.Domain.APIs() {
		if api, ok := s.Deployed.ForTool(spec.Name); ok {
			apis = append(apis, api)
		}
	}

	return apis
}

// api returns the deployed API of a name, where it belongs to the domain.
func (s *Surface) api(name string) (*toolapi.API, bool) {
	i := slices.IndexFunc(s.apis(), func(a *toolapi.API) bool { return a.Name == name })
	if i < 0 {
		return nil, false
	}

	return s.apis()[i], true
}

// deprecated returns the notice about a name that the deployed version no longer has, or "".
func (s *Surface) deprecated(name string) string {
	if d, ok := s.Deployed.Deprecation(name); ok {
		return d.Notice()
	}

	return ""
}

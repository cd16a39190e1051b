package code

import "strings"

// Document says how an API is called, and what it does. Each parameter has a line of its own,
// indented by eight more spaces.
type Document struct{ Call, About string }

// Documents returns the documents of the domain's APIs, in the order of its tools.
func (s *Surface) Documents() []Document {
	all := make([]Document, 0, len(s.apis()))

	for i, call := range s.Signatures() {
		api := s.apis()[i]
		about := strings.Join(strings.Fields(api.Description), " ")
		all = append(all, Document{Call: call, About: about + api.ParameterLines("\n        ")})
	}

	return all
}

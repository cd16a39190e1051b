package bench

import (
	_ "embed"
	"errors"
	"net/url"

	"toolevo/envs/suite"
)

//go:embed default.yaml
var defaults []byte

// Defaults implements [suite.Configurable].
func (ToolQA) Defaults() []byte { return defaults }

// This benchmark's sections of the configuration.
const (
	sqlSection       = "sql"
	retrievalSection = "retrieval"
)

// sqlSettings limit the SQLInterpreter.
type sqlSettings struct {
	Seconds float64 `yaml:"seconds"`
	Rows    int     `yaml:"rows"`
}

// retrievalSettings choose how the retrieval tools rank passages.
type retrievalSettings struct {
	Model  string `yaml:"model"`  // an embedding model; "" is BM25
	Server string `yaml:"server"` // the base URL of its server, without credentials; "" is the policy's
}

// Sections implements [suite.Configurable].
func (ToolQA) Sections() []suite.Section {
	return []suite.Section{
		{Name: sqlSection, New: func() suite.Settings { return &sqlSettings{} }},
		{
			Name: retrievalSection, New: func() suite.Settings { return &retrievalSettings{} },
			Incidental: []string{"server"},
		},
	}
}

// Validate implements [suite.Settings].
func (s *sqlSettings) Validate() (string, error) {
	if err := suite.Within(s.Seconds, 0.001); err != nil {
		return "seconds", err
	}
	return "rows", suite.Within(float64(s.Rows), 1)
}

// Validate implements [suite.Settings]. It accepts only a server address that can be shown, since
// every run keeps its configuration. The errors do not show it.
func (r *retrievalSettings) Validate() (string, error) {
	if r.Server == "" {
		return "", nil
	}

	u, err := url.Parse(r.Server)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		err = errors.New("is not a base URL such as http://localhost:8000/v1")
	case r.Model == "":
		err = errors.New("is of no use without retrieval.model, the name of an embedding model")
	default:
		err = suite.CheckAddress(r.Server)
	}

	return "server", err
}

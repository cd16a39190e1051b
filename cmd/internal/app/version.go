package app

import (
	"runtime"
	"runtime/debug"
)

// Version is the release. Every run, corpus and export has it.
const Version = "0.1.0"

// Software is the version with the revision it was built from, where Go knows it.
func Software() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Version
	}

	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return Version + "+" + s.Value[:12]
		}
	}

	return Version
}

// Build is what is known of this binary.
type Build struct {
	Version      string   `json:"version"`           // with the revision, if it is known
	Go           string   `json:"go"`                // what compiled it
	System       string   `json:"system"`            // as Go names it
	Architecture string   `json:"architecture"`      // of the processor, as Go names it
	Untried      []string `json:"untried,omitempty"` // what was never tried on this architecture
}

// ThisBuild returns what is known of this binary.
func ThisBuild() Build {
	b := Build{Version: Software(), Go: runtime.Version(), System: runtime.GOOS,
		Architecture: runtime.GOARCH}
	if runtime.GOARCH != "amd64" {
		b.Untried = []string{"sandbox"}
	}
	return b
}

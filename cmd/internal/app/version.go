package app

import "runtime/debug"

// Version is the release. It stands in every run, corpus and export.
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

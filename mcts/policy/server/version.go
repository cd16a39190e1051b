package server

import (
	"strings"

	"golang.org/x/mod/semver"
)

// Before reports whether a version is known to be before another. One that cannot be read, or 0.0.0,
// which is what builds from source call themselves, is not.
func Before(version, than string) bool {
	return isRelease(version) && semver.Compare(canonical(version), canonical(than)) < 0
}

// isRelease reports whether a version can be compared with others.
func isRelease(version string) bool {
	release := canonical(version)
	return semver.Canonical(release) == release && release != "v0.0.0"
}

// canonical is a version as semver wants it, without what follows a dash.
func canonical(version string) string {
	release, _, _ := strings.Cut("v"+strings.TrimPrefix(version, "v"), "-")
	return release
}

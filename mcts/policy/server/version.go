package server

import (
	"strings"

	"golang.org/x/mod/semver"
)

// Before reports whether a version is known to be before another. One that cannot be read is not,
// nor is 0.0.0, which builds from source call themselves. A version of two numbers is before
// another if it would be with any third number.
func Before(version, than string) bool {
	v, t := canonical(version), canonical(than)
	if v == semver.MajorMinor(v) {
		v, t = v+".0", semver.MajorMinor(t)
	}
	return isRelease(v) && semver.Compare(v, t) < 0
}

// isRelease reports whether a version can be compared with others.
func isRelease(version string) bool {
	release := canonical(version)
	return semver.Canonical(release) == release && release != "v0.0.0"
}

// canonical returns a version as semver wants it, without what follows a dash.
func canonical(version string) string {
	release, _, _ := strings.Cut("v"+strings.TrimPrefix(version, "v"), "-")
	return release
}

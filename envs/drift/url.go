package drift

import (
	"regexp"
	"strconv"
	"strings"

	"toolevo/envs/toolapi"
)

// versionOfURL matches the version in the path of a URL.
var versionOfURL = regexp.MustCompile(`/v([0-9]{1,4})(/|$)`)

// moveURL puts the next version into the URL of an API's document, or version 2 if it has none.
// Calls name the API and not the URL, so they stay as they are.
func moveURL(a toolapi.APISpec, _ *Draws) (Step, bool) {
	was := a.URL
	if was == "" {
		return Step{}, false
	}

	if at := versionOfURL.FindStringSubmatchIndex(was); at != nil {
		number, _ := strconv.Atoi(was[at[2]:at[3]]) // of at most four digits
		a.URL = was[:at[2]] + strconv.Itoa(number+1) + was[at[3]:]
	} else {
		scheme, rest, isWhole := strings.Cut(was, "://")
		if !isWhole {
			scheme, rest = "", was
		}

		host, path, _ := strings.Cut(rest, "/")
		a.URL = strings.TrimSuffix(host+"/v2/"+path, "/")

		if isWhole {
			a.URL = scheme + "://" + a.URL
		}
	}
	return Step{API: a, From: was, To: a.URL}, true
}

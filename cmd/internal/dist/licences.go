package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenceFile matches the names of files with the terms of a module, or of what it took from
// others.
var licenceFile = regexp.MustCompile(
	`(?i)^(licen[cs]e|copying|notice|copyright|patents|authors|third[-_]party)([-_.].*)?$`)

// licences returns the terms of everything that is linked: our own, those of each package and of
// the folders above it up to its module, Go's, and those of the C library. A module without any is
// an error.
func (t target) licences() ([]file, error) {
	// What is linked depends on the tags and the processor, so go list gets those of the build.
	cmd := exec.Command("go", "list", "-deps", "-tags", tags,
		"-f", "{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}",
		"./cmd/toolevo")
	cmd.Env = append(os.Environ(), t.environment()...)
	cmd.Stderr = os.Stderr

	listed, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list what is linked: %w", err)
	}

	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find Go: %w", err)
	}

	sources := map[string]string{ // from names in the archive to paths
		"LICENSE":              "LICENSE",
		"licences/go/LICENSE":  filepath.Join(strings.TrimSpace(string(root)), "LICENSE"),
		"licences/glibc/terms": t.copyright,
	}

	for line := range strings.Lines(string(listed)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")

		// Our own packages and Go's print no path: their terms are listed above.
		if len(fields) != 3 {
			continue
		}

		if err := addTerms(sources, fields[0], fields[1], fields[2]); err != nil {
			return nil, err
		}
	}
	return read(sources)
}

// addTerms finds the files of a package, and of the folders above it.
func addTerms(sources map[string]string, module, root, dir string) error {
	found := false
	for ; strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}

		for _, e := range entries {
			if e.IsDir() || !licenceFile.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
				continue
			}

			inside, err := filepath.Rel(root, filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}

			sources[filepath.Join("licences", module, inside)] = filepath.Join(dir, e.Name())
			found = true
		}
	}

	if !found {
		return fmt.Errorf("%s has no licence", module)
	}
	return nil
}

// read reads the files, and returns them in the order of their names.
func read(sources map[string]string) ([]file, error) {
	var all []file
	for name, path := range sources {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}

		all = append(all, file{name, 0o644, data})
	}

	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

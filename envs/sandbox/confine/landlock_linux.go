package confine

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// What can be done with a file that may be read, and with one that may also be written; the second
// sets are those that have a meaning for folders as well.
const (
	readFile   = landlock.AccessFSExecute | landlock.AccessFSReadFile
	readFolder = readFile | landlock.AccessFSReadDir
	writeFile  = readFile | landlock.AccessFSWriteFile | landlock.AccessFSTruncate
	makeFiles  = landlock.AccessFSReadFile | landlock.AccessFSWriteFile | landlock.AccessFSTruncate |
		landlock.AccessFSMakeReg
)

// probeLandlock says why the kernel does not offer Landlock.
func probeLandlock() error {
	_, err := landlock.LandlockGetABIVersion()
	switch {
	case errors.Is(err, unix.ENOSYS):
		return fmt.Errorf("this kernel does not know it: %w: it takes Linux 5.13 or later", err)
	case errors.Is(err, unix.EOPNOTSUPP):
		return fmt.Errorf("it is switched off: %w: add landlock to lsm= on the kernel's command line", err)
	case err != nil:
		return fmt.Errorf("something around this process denies it: %w: a container's profile must allow landlock_*",
			err)
	}

	return nil
}

// versions are the versions of Landlock's interface that can deny more than the one before: how
// many kinds of access each knows, and what it added.
var versions = []struct {
	version, files, network, scopes int
	what                            string
}{
	{1, 13, 0, 0, "opening, making, and removing files"},
	{2, 14, 0, 0, ""}, // moving files to other folders, which the version before denies always
	{3, 15, 0, 0, "emptying files"},
	{4, 15, 2, 0, "TCP"},
	{5, 16, 2, 0, "controlling devices"},
	{6, 16, 2, 2, "signals to other processes and abstract sockets"},
	{9, 17, 2, 2, "sockets with a path"},
	{10, 17, 4, 2, "UDP"},
}

// handled returns all that a version of Landlock can deny: whatever no rule allows is denied. What
// older versions do not know is denied by the filters, or not needed; see the package's comment.
func handled(version int) landlock.RulesetAttr {
	var a landlock.RulesetAttr

	for _, since := range versions {
		if version >= since.version {
			a.HandledAccessFS = 1<<since.files - 1
			a.HandledAccessNet = 1<<since.network - 1
			a.Scoped = 1<<since.scopes - 1
		}
	}

	return a
}

// LandlockABI returns the version of Landlock's interface that this machine offers, 0 for none.
func LandlockABI() int {
	version, err := landlock.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return version
}

// LeftToSeccomp returns what a version of Landlock does not know, and only the filters deny.
func LeftToSeccomp(version int) []string {
	var left []string

	for _, since := range versions {
		if version < since.version && since.what != "" {
			left = append(left, since.what)
		}
	}

	return left
}

// restrictFiles denies this thread, and what it will execute, all files and folders except these,
// the network, and signals to processes outside, as far as a version of Landlock can. newest is the
// newest version to use; 0 is the kernel's own. It needs neither privileges nor /proc. With cgo,
// the library's own Restrict lets the program list its threads in /proc under versions below 8.
func restrictFiles(read, hide, write []string, scratch string, newest int) error {
	version, err := landlock.LandlockGetABIVersion()
	if err != nil {
		return cmp.Or(probeLandlock(), err) // the probe asks again, and says more
	}

	// An older version shows what holds on an older kernel.
	if newest > 0 {
		version = min(version, newest)
	}

	attr := handled(version)

	rules, err := landlock.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		return fmt.Errorf("create rules: %w", err)
	}
	defer unix.Close(rules)

	// Hidden folders get no rule: what no rule allows is denied.
	read, list := splitHidden(read, hide)
	for _, path := range read {
		if err := permit(rules, path, readFile, readFolder, attr.HandledAccessFS); err != nil {
			return fmt.Errorf("let it read %s: %w", path, err)
		}
	}

	for _, path := range list {
		err := permit(rules, path, 0, landlock.AccessFSReadDir, attr.HandledAccessFS)
		if err != nil {
			return fmt.Errorf("let it list %s: %w", path, err)
		}
	}

	for _, path := range write {
		if err := permit(rules, path, writeFile, 0, attr.HandledAccessFS); err != nil {
			return fmt.Errorf("let it write %s: %w", path, err)
		}
	}

	if scratch != "" {
		if err := permit(rules, scratch, 0, makeFiles, attr.HandledAccessFS); err != nil {
			return fmt.Errorf("let it make files in %s: %w", scratch, err)
		}
	}

	// From here on this thread can open nothing else itself.
	if err := landlock.LandlockRestrictSelf(rules, 0); err != nil {
		return fmt.Errorf("restrict this process: %w", err)
	}
	return nil
}

// permit adds a rule for one path, which need not exist.
func permit(rules int, path string, file, folder, known uint64) error {
	// O_PATH works without the right to read the file.
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}

	if err != nil {
		return err
	}
	defer unix.Close(fd)

	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return err
	}

	access := file
	if info.Mode&unix.S_IFMT == unix.S_IFDIR {
		// In a folder to write, the program could make and remove files.
		if access = folder; folder == 0 {
			return errors.New("it is a folder: only files can be written")
		}
	}

	if access == 0 {
		return errors.New("it is not a folder")
	}

	// The kernel refuses a rule about a right that the rules do not handle.
	return landlock.LandlockAddPathBeneathRule(rules,
		&landlock.PathBeneathAttr{ParentFd: fd, AllowedAccess: access & known}, 0)
}

// splitHidden returns the files and folders that may be read as a whole, and the folders that may
// only be listed, so that hidden folders stay closed except for what read names in them. A Landlock
// rule covers everything in a folder. So a folder that holds a hidden one is only listed, and its
// entries get rules of their own, except links that lead out of it.
func splitHidden(read, hidden []string) (whole, listed []string) {
	for _, path := range read {
		w, l := splitFolder(path, hidden)
		whole, listed = append(whole, w...), append(listed, l...)
	}

	for _, folder := range hidden {
		if slices.ContainsFunc(read, func(path string) bool { return Within(path, folder) }) {
			listed = append(listed, folder) // an import looks through it
		}
	}

	return whole, listed
}

func splitFolder(folder string, hidden []string) (whole, listed []string) {
	if !slices.ContainsFunc(hidden, func(h string) bool { return Within(h, folder) }) {
		return []string{folder}, nil
	}

	listed = append(listed, folder)

	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, listed // nor can a program read what is in it
	}

	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if slices.Contains(hidden, path) || e.Type()&os.ModeSymlink != 0 && !leadsInside(path, folder, hidden) {
			continue
		}

		w, l := splitFolder(path, hidden)
		whole, listed = append(whole, w...), append(listed, l...)
	}
	return whole, listed
}

// leadsInside reports whether a link leads to something in a folder that is not hidden.
func leadsInside(link, folder string, hidden []string) bool {
	target, err := filepath.EvalSymlinks(link)
	inHidden := func(h string) bool { return Within(target, h) }
	return err == nil && Within(target, folder) && !slices.ContainsFunc(hidden, inHidden)
}

package export

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/disk"
)

// writeFolder writes an export to a folder, which may hold an earlier one. write writes its files;
// the manifest, in which it notes what they hold, is written last.
func (m *Manifest) writeFolder(dir string, write func(work string) error) error {
	if err := prepareFolder(dir); err != nil {
		return err
	}

	dir, err := filepath.EvalSymlinks(dir) // a link stays, and then leads to the new export
	if err != nil {
		return err
	}

	work, release, err := disk.ClaimFolder(dir)
	if err != nil {
		return err
	}

	if err = write(work); err == nil {
		err = m.complete(work)
	}

	if err == nil {
		err = m.install(work, dir)
	}
	return errors.Join(err, release())
}

// prepareFolder makes the folder, or makes sure that it holds nothing but an earlier export.
func prepareFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}

	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look into the folder: %w", err)
	}

	isPart := func(fs.DirEntry) bool { return false }

	m, err := ReadManifest(dir)

	switch {
	case err == nil:
		had := m.entries()
		isPart = func(e fs.DirEntry) bool { return e.Name() == ManifestFile || had[e.Name()] }
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: choose another folder", err)
	case slices.ContainsFunc(entries, isSampleEntry):
		isPart = isExportEntry // an installation was killed, see installFiles
	}

	for _, entry := range entries {
		if !isPart(entry) {
			return fmt.Errorf("the folder holds %s, which is not part of an export: choose another folder",
				entry.Name())
		}
	}

	return nil
}

// complete notes the files that were written, their checksums and the seal, and writes the
// manifest.
func (m *Manifest) complete(work string) error {
	var names []string

	// The names come from the folder, so that no file can be forgotten; slashes make them the same
	// on every system.
	err := filepath.WalkDir(work, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}

		name, err = filepath.Rel(work, name)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	if err == nil {
		err = m.note(work, names)
	}

	if err != nil {
		return err
	}

	// The seal is the hash of the manifest as it is without one, so that is encoded first.
	m.Seal = ""

	text, err := indented(m)
	if err != nil {
		return err
	}

	m.Seal = envs.SHA256(string(text))
	return writeJSON(filepath.Join(work, ManifestFile), m)
}

// note notes the checksums of files.
func (m *Manifest) note(work string, names []string) error {
	m.Files = nil

	for _, name := range names {
		sum, err := sumFile(work, name)
		if err != nil {
			return err
		}

		m.Files = append(m.Files, sum)
	}
	return nil
}

// install replaces what is in a folder by an export, at once if the system can do that: the folder
// then holds either the earlier export or the new one.
func (m *Manifest) install(work, dir string) error {
	if disk.HoldsUs(dir) {
		return m.installFiles(work, dir) // its own working directory must not be exchanged
	}

	mode, err := os.Stat(dir)
	if err != nil {
		return err
	}

	if err := errors.Join(os.Chmod(work, mode.Mode().Perm()), disk.Sync(work)); err != nil {
		return err
	}

	err = disk.Exchange(work, dir)
	if errors.Is(err, errors.ErrUnsupported) {
		return m.installFiles(work, dir)
	}
	return err
}

// installFiles moves the files of an export into place one by one. An earlier manifest is removed
// first and the new one comes last, so a folder with a manifest is whole.
func (m *Manifest) installFiles(work, dir string) error {
	if err := os.Remove(filepath.Join(dir, ManifestFile)); err != nil &&
		!errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the earlier manifest: %w", err)
	}

	place := func(name string) error {
		if err := disk.Rename(filepath.Join(work, name), filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("move %s into place: %w", name, err)
		}
		return nil
	}

	if err := removeEarlier(dir, m.entries()); err != nil {
		return fmt.Errorf("remove what is left of the earlier export: %w", err)
	}

	// Backwards: the names that no user chooses tell an unfinished installation, and come first.
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(m.entries()))) {
		if err := place(name); err != nil {
			return err
		}
	}

	return place(ManifestFile)
}

// entries returns what the export has in its folder besides the manifest: files, and folders of
// files.
func (m *Manifest) entries() map[string]bool {
	all := map[string]bool{}

	for _, f := range m.Files {
		first, _, _ := strings.Cut(f.Name, "/")
		all[first] = true
	}
	return all
}

// removeEarlier removes the files of an earlier export that no new file will replace, and its
// folders.
func removeEarlier(dir string, kept map[string]bool) error {
	entries, err := os.ReadDir(dir)

	for _, entry := range entries {
		if entry.IsDir() || !kept[entry.Name()] {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, entry.Name())))
		}
	}

	return err
}

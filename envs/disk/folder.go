package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ReplaceFolder changes the files of a folder all at once: fill gets a folder with links to the
// present files, replaces files in it as [WriteFile] does, and removes some; then that folder takes
// the other's place. If the file system has no links or cannot exchange folders, or if this process
// is in the folder, fill works in the folder itself, file by file.
func ReplaceFolder(dir string, fill func(work string) error) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}

	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}

	if HoldsUs(dir) {
		return fill(dir)
	}

	work, release, err := ClaimFolder(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()

	// Exchanging is tried while there is nothing in the folders to be lost.
	if linkAll(dir, work) != nil || !canExchange(work) {
		return fill(dir)
	}

	if err := fill(work); err != nil {
		return err
	}
	return Exchange(work, dir)
}

// canExchange reports whether the file system of a folder can exchange two folders in it.
func canExchange(work string) bool {
	a, b := filepath.Join(work, ".exchange-a"), filepath.Join(work, ".exchange-b")
	err := errors.Join(os.Mkdir(a, 0o755), os.Mkdir(b, 0o755), Exchange(a, b))
	return errors.Join(err, os.Remove(a), os.Remove(b)) == nil
}

// linkAll copies the tree below a folder to another one, with links to the files and the same modes
// of folders.
func linkAll(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}

		there := filepath.Join(to, name)
		if !e.IsDir() {
			return os.Link(path, there)
		}

		info, err := e.Info()
		if err != nil {
			return err
		}
		return errors.Join(os.MkdirAll(there, 0o755), os.Chmod(there, info.Mode().Perm()))
	})
}

// HoldsUs reports whether this process, and so perhaps a shell, is in a folder.
func HoldsUs(dir string) bool {
	here, err := os.Getwd()
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}

	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	return err != nil || here == dir || strings.HasPrefix(here, dir+string(filepath.Separator))
}

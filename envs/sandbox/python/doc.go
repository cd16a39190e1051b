// Package python finds an installed CPython, and holds our programs that it runs: the driver, which
// runs one program and shows what it shows, and the fork server, which does so in a child of its
// own for every call.
//
// [Find] asks an interpreter once, unconfined, what the engines must know of it. What may be a shim
// that chooses an interpreter, as pyenv's, or the link of a virtual environment, is followed to the
// interpreter itself: engines start that one without site-packages (-S) and tell the driver both
// module search paths, so that of the third-party modules only the ones wanted can be imported. The
// files of others cannot be read either: a jail has the standard library, the system's libraries,
// and of site-packages what the modules wanted import.
//
// # Caveats
//
// A module counts as found when the interpreter can import it from a folder named site-packages or
// dist-packages. Folders that .pth files add, as editable installations do, and a user's own
// site-packages are left out.
package python

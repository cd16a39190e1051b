// Package python finds an installed CPython, and has the Python programs of the engines: the
// driver, which runs one program and captures what it shows, and the fork server, which does so in
// a new child for every call.
//
// [Find] asks an interpreter once, unconfined, what the engines must know about it. A shim that
// chooses an interpreter, such as pyenv's, or the link of a virtual environment, is followed to the
// interpreter itself: engines start that one without site-packages (-S) and tell the driver both
// module search paths, so that only the wanted third-party modules can be imported. The files of
// others cannot be read either: a jail has the standard library, the system's libraries, and from
// site-packages what the wanted modules import.
//
// # Caveats
//
// A module counts as found if the interpreter can import it from a folder named site-packages or
// dist-packages. Folders that .pth files add, as editable installations do, and a user's own
// site-packages are left out.
package python

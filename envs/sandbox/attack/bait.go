package attack

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"toolevo/envs/disk"
)

// secretVariable is the environment variable that has the secret.
const secretVariable = "TOOLEVO_BAIT"

// Bait is what the host lays out for attacks. Lay it out before the engine is opened, so that an
// engine that passes on what it should not has something to pass on. It is not safe for concurrent
// use.
type Bait struct {
	secret string
	mark   string // the name of a process that an attack leaves behind
	hidden string // the name of a file that attacks do not know

	dir         string
	claim       *os.File // the folder, locked for as long as this process lives
	before      string   // the folder as it was laid out
	page        []byte   // memory with the secret
	file        *os.File // a removed file with the secret, open for whoever inherits it
	open        int      // a descriptor of file that new processes inherit
	watched     []listener
	tcp, udp    int
	abstract    string
	victim      *exec.Cmd // may be nil
	victimStdin io.Closer // the victim ends when this is closed
}

// Lay lays the bait out: files in a folder for temporary files, listeners on the loopback device,
// an environment variable, a descriptor that new processes inherit, and a process that waits.
func Lay() (*Bait, error) {
	b := &Bait{secret: "toolevo-secret-" + random(16), mark: "te" + random(6), hidden: "hidden-" + random(6), open: -1}
	for _, lay := range []func() error{b.layFiles, b.layDescriptor, b.layMemory, b.listen} {
		if err := lay(); err != nil {
			return nil, fmt.Errorf("attack: lay out the bait: %w", errors.Join(err, b.Close()))
		}
	}

	b.layVictim()
	return b, os.Setenv(secretVariable, b.secret)
}

// random returns n random bytes in hexadecimal digits.
func random(n int) string {
	data := make([]byte, n)
	rand.Read(data)
	return hex.EncodeToString(data)
}

// layFiles makes the folder, in which whoever reaches it may do anything.
func (b *Bait) layFiles() error {
	// The folder stays when its files are laid out again, as the socket in it does.
	if b.dir == "" {
		// Runs that were killed could not remove their folders.
		if err := disk.RemoveLeftovers(os.TempDir(), folderName, ""); err != nil {
			return err
		}

		var err error
		if b.claim, err = disk.MkdirTemp("", folderName); err != nil {
			return err
		}

		b.dir = b.claim.Name()
	}

	for _, name := range []string{"file", b.hidden} {
		path := filepath.Join(b.dir, name)
		if err := os.WriteFile(path, []byte(b.secret+"\n"), 0o666); err != nil {
			return err
		}

		// The umask may have withheld rights that attacks are to have.
		if err := os.Chmod(path, 0o666); err != nil {
			return err
		}
	}

	if err := os.Chmod(b.dir, 0o777); err != nil {
		return err
	}

	b.before = b.folder()
	return nil
}

// folderName is the beginning of the names of bait folders.
const folderName = "toolevo-bait-"

// folder describes the folder: names, modes, owners and sizes, and of regular files also when they
// were changed and how they begin.
func (b *Bait) folder() string {
	var text strings.Builder

	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		// The socket is watched by its listener.
		if err != nil || path == b.sockets() {
			return err
		}

		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return err
		}

		fmt.Fprintln(&text, path, st.Mode, st.Nlink, st.Uid, st.Gid, st.Size)

		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}

			// The secret is far shorter; size and time reveal changes further on.
			fmt.Fprintf(&text, "%d %d %q\n", st.Mtim.Sec, st.Mtim.Nsec, data[:min(len(data), 1000)])
		}
		return nil
	})
	if err != nil {
		// A folder that can no longer be read was changed, too.
		fmt.Fprintln(&text, err)
	}

	return text.String()
}

func (b *Bait) sockets() string { return filepath.Join(b.dir, "socket") }

// layDescriptor opens a file with the secret that no longer has a name, without the flag that keeps
// new programs from inheriting it.
func (b *Bait) layDescriptor() (err error) {
	path := filepath.Join(b.dir, "unnamed")
	if b.file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return err
	}

	if _, err := b.file.WriteString(b.secret); err != nil {
		return err
	}

	if err := os.Remove(path); err != nil {
		return err
	}

	b.open, err = unix.Dup(int(b.file.Fd()))
	b.before = b.folder()
	return err
}

func (b *Bait) layMemory() (err error) {
	b.page, err = unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	copy(b.page, b.secret)
	return err
}

// layVictim starts a process for attacks to end, which also ends with the host. A machine without
// cat has none: the attacks then make do with the host.
func (b *Bait) layVictim() {
	cmd := exec.Command("cat")
	cmd.Env, cmd.Dir = []string{}, "/"

	in, err := cmd.StdinPipe()
	if err != nil {
		return
	}

	if cmd.Start() != nil {
		in.Close()
		return
	}

	b.victim, b.victimStdin = cmd, in
}

// python returns what attacks need to know, as assignments in Python.
func (b *Bait) python(memory int64) string {
	victim := 0
	if b.victim != nil {
		victim = b.victim.Process.Pid
	}
	var text strings.Builder

	for _, v := range []struct {
		name  string
		value any
	}{
		{"HOST", os.Getpid()}, {"VICTIM", victim}, {"ADDRESS", uintptr(unsafe.Pointer(&b.page[0]))},
		{"DESCRIPTOR", b.open},
		{"FOLDER", b.dir}, {"FILE", filepath.Join(b.dir, "file")}, {"TCP", b.tcp}, {"UDP", b.udp},
		{"UNIX", b.sockets()},
		{"ABSTRACT", b.abstract}, {"MARK", b.mark}, {"MEMORY", memory}, {"ARCH", runtime.GOARCH},
	} {
		if s, ok := v.value.(string); ok {
			v.value = strconv.QuoteToASCII(s)
		}

		fmt.Fprintf(&text, "%s = %v\n", v.name, v.value)
	}
	return text.String()
}

// touched reports what happened to the bait since it was laid out or last checked, and lays out
// again what was touched. With strays it also looks for processes that attacks left behind.
func (b *Bait) touched(strays bool) []string {
	var all []string

	for _, l := range b.watched {
		if l.visited() {
			all = append(all, "the host's "+l.name+" was reached")
		}
	}

	if now := b.folder(); now != b.before {
		all = append(all, "the host's folder was changed")

		b.clear()

		if err := b.layFiles(); err != nil {
			all = append(all, err.Error())
		}
	}

	// What was changed is put back, so that no later attack is blamed for it.
	if !b.holds(b.file) {
		all = append(all, "an open file of the host's was changed")
	}

	if !bytes.HasPrefix(b.page, []byte(b.secret)) {
		all = append(all, "the host's memory was changed")

		copy(b.page, b.secret)
	}

	if b.victim != nil && !alive(b.victim.Process.Pid) {
		all = append(all, "a process of the host's was ended or stopped")

		b.stopVictim()
		b.layVictim()
	}

	// Looking through all processes takes longer than most attacks do.
	if strays {
		if n := b.killStrays(); n > 0 {
			all = append(all, fmt.Sprintf("%d processes stayed behind", n))
		}
	}

	return all
}

// holds reports whether a file still has only the secret, and writes it again if not.
func (b *Bait) holds(f *os.File) bool {
	data := make([]byte, len(b.secret)+1)

	n, _ := f.ReadAt(data, 0)
	if string(data[:n]) == b.secret {
		return true
	}

	f.Truncate(0)
	f.WriteAt([]byte(b.secret), 0)
	return false
}

// clear empties the folder except for the socket.
func (b *Bait) clear() {
	entries, _ := os.ReadDir(b.dir)
	for _, e := range entries {
		if path := filepath.Join(b.dir, e.Name()); path != b.sockets() {
			os.RemoveAll(path)
		}
	}
}

// alive reports whether a process runs or waits: it has not ended and is not stopped.
func alive(pid int) bool {
	letter, ok := processState(pid)
	return ok && !strings.Contains("ZTtX", letter)
}

// processState returns the letter of /proc/PID/stat for the state of a process.
func processState(pid int) (string, bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}

	_, rest, ok := strings.Cut(string(data), ") ")
	return rest[:min(1, len(rest))], ok
}

// killStrays kills the processes whose name is the mark, and returns how many there were.
func (b *Bait) killStrays() int {
	entries, _ := os.ReadDir("/proc") // filepath.Glob would list the folder of every process
	n := 0

	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}

		name, err := os.ReadFile(filepath.Join("/proc", e.Name(), "comm"))
		if err != nil || strings.TrimSpace(string(name)) != b.mark || !alive(pid) {
			continue
		}
		n++

		unix.Kill(pid, unix.SIGKILL)
	}
	return n
}

// stopVictim kills the victim and waits for its end. It may have ended already, so errors mean
// nothing.
func (b *Bait) stopVictim() {
	b.victimStdin.Close()
	b.victim.Process.Kill()
	b.victim.Wait()
	b.victim = nil
}

// Close removes the bait.
func (b *Bait) Close() error {
	var errs []error
	// Lay also closes a bait that it could not finish, so any part may be missing. Another bait may
	// have put its own secret into the variable.
	if os.Getenv(secretVariable) == b.secret {
		errs = append(errs, os.Unsetenv(secretVariable))
	}

	if b.victim != nil {
		b.stopVictim()
	}

	for _, l := range b.watched {
		errs = append(errs, unix.Close(l.fd))
	}

	if b.open >= 0 {
		errs = append(errs, unix.Close(b.open))
	}

	if b.file != nil {
		errs = append(errs, b.file.Close())
	}

	if b.page != nil {
		errs = append(errs, unix.Munmap(b.page))
	}

	if b.dir != "" {
		errs = append(errs, os.RemoveAll(b.dir))
	}

	// The lock goes last: a folder that nobody has locked counts as left over.
	if b.claim != nil {
		errs = append(errs, b.claim.Close())
	}
	return errors.Join(errs...)
}

package remote

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"toolevo/envs/disk"
	"toolevo/envs/keeper"
	"toolevo/envs/sandbox/worker"
	"toolevo/envs/wire"
)

// Words in commands and in values of variables that stand for what differs between instances.
const (
	dirWord     = "{dir}"
	addressWord = "{address}"
	portWord    = "{port}"
)

// mostSaid is how many bytes of a program's output an error quotes.
const mostSaid = 500

// grace is how long a program may take to end. On a busy machine, even one that ends at once may
// take more than a second.
const grace = 5 * time.Second

// programs are the commands that run for one instance.
type programs struct {
	environment map[string]string // besides PATH and HOME
	secrets     []string          // variables of this process's, by name

	dir   string            // of the instance, or ""
	lock  *os.File          // on the folder, while it is in use
	words *strings.Replacer // fills in the words of this instance
	said  worker.Tail
}

const prefixOfDirs = "toolevo-tools-"

// makeDir makes a fresh folder for the instance, and removes those whose owners were killed.
func (p *programs) makeDir() error {
	err := disk.RemoveLeftovers(os.TempDir(), prefixOfDirs, "")
	if err != nil {
		return err
	}

	if p.lock, err = disk.MkdirTemp(os.TempDir(), prefixOfDirs); err != nil {
		return err
	}

	// Servers answer with the path that links lead to.
	if p.dir, err = filepath.EvalSymlinks(p.lock.Name()); err != nil {
		p.dir = p.lock.Name()
	}
	return err
}

// checkSecrets returns an error if a secret is missing: the tools would only answer that they may
// not be used, as if that were the agent's doing.
func (p *programs) checkSecrets() error {
	for _, name := range p.secrets {
		if strings.TrimSpace(os.Getenv(name)) == "" {
			return &hopeless{fmt.Errorf("secrets: %s is not set", name)}
		}
	}
	return nil
}

// hide takes the secrets out of a text.
func (p *programs) hide(text string) string {
	var all []string

	for _, name := range p.secrets {
		value := strings.TrimSpace(os.Getenv(name))
		_, password, _ := strings.Cut(value, ":") // of basic authentication
		pair := base64.StdEncoding.EncodeToString([]byte(value))
		all = append(all, value, password, strings.TrimRight(pair, "="))
	}

	return wire.NewSecrets(all, nil).Hide(text)
}

// quiet is an error whose words show no secret.
type quiet struct {
	error
	words string
}

// Error implements [error].
func (q *quiet) Error() string { return q.words }

// Unwrap returns the error in its own words.
func (q *quiet) Unwrap() error { return q.error }

func (p *programs) quiet(err error) error { return &quiet{err, p.hide(err.Error())} }

func (p *programs) command(ctx context.Context, words []string) *exec.Cmd {
	words = slices.Clone(words)
	for i := range words {
		words[i] = p.words.Replace(words[i])
	}

	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stderr = &p.said
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}

	for _, name := range slices.Sorted(maps.Keys(p.environment)) {
		cmd.Env = append(cmd.Env, name+"="+p.words.Replace(p.environment[name]))
	}

	for _, name := range p.secrets {
		cmd.Env = append(cmd.Env, name+"="+os.Getenv(name))
	}
	return cmd
}

// runReset runs a command to its end, in a folder; "" is this process's. It may start a program
// that goes on: that keeps the output, which is a file for this reason.
func (p *programs) runReset(ctx context.Context, words []string, dir string) error {
	out, err := os.CreateTemp("", "toolevo-reset-")
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(out.Close(), os.Remove(out.Name())) }()

	cmd := p.command(ctx, words)
	cmd.Stderr, cmd.Dir = out, dir
	keeper.Bound(cmd)

	err = cmd.Run()
	_, readErr := out.Seek(0, io.SeekStart)
	if readErr == nil {
		_, readErr = io.Copy(&p.said, out)
	}

	if err = errors.Join(err, readErr); err != nil {
		return fmt.Errorf("reset by %s: %w", strings.Join(words, " "), err)
	}
	return nil
}

// lastOutput returns the end of a program's output, for an error.
func (p *programs) lastOutput() string {
	if said := strings.TrimSpace(string(p.said.Bytes())); said != "" {
		return "\n" + p.hide(said)
	}
	return ""
}

func (p *programs) remove() error {
	if p.dir == "" {
		return nil
	}
	return errors.Join(os.RemoveAll(p.dir), p.lock.Close())
}

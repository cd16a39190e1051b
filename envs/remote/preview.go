package remote

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// Previewer is a source that says beforehand what it would run and send. {address}, {port} and
// {dir} stand for what differs between instances, and $NAME for the secret in a variable.
type Previewer interface {
	Source

	// Beginning returns what brings an instance to where tasks begin, in order: commands with their
	// variables, and requests.
	Beginning() []string

	// Preview returns a call as it would be sent. A call that no request can express is an error.
	Preview(ctx context.Context, tool string, args envs.Args) (Sent, error)
}

// Sent is a call as it is sent.
type Sent struct {
	To      string   `json:"to"`                // the method and the URL, or what the server calls the tool
	Headers []string `json:"headers,omitempty"` // of a request, "Name: value", without secrets
	Body    string   `json:"body,omitempty"`    // of a request, or the arguments
}

// commandLine returns the line that shows a command with its variables.
func commandLine(command []string, environment map[string]string, secrets []string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(environment)) {
		words = append(words, name+"="+environment[name])
	}

	for _, name := range slices.Compact(slices.Sorted(slices.Values(secrets))) {
		words = append(words, name+"=$"+name)
	}
	return "run " + strings.Join(append(words, command...), " ")
}

// Beginning implements [Previewer].
func (m *MCP) Beginning() (all []string) {
	if m.URL != "" {
		return []string{"connect to " + m.URL}
	}

	all = append(all, "make the folder {dir}, in which the following is run")
	if len(m.Reset) > 0 {
		all = append(all, commandLine(m.Reset, m.Environment, m.Secrets))
	}
	return append(all, commandLine(m.Command, m.Environment, m.Secrets))
}

// Preview implements [Previewer].
func (m *MCP) Preview(_ context.Context, tool string, args envs.Args) (Sent, error) {
	text := pytext.JSON(args)
	if m.Shown != "" && len(m.Command) > 0 {
		text = strings.ReplaceAll(text, m.Shown, dirWord)
	}
	return Sent{To: "tools/call " + tool, Body: text}, nil
}

// Beginning implements [Previewer].
func (s *httpSource) Beginning() (all []string) {
	secrets := slices.Collect(maps.Values(s.Secrets))
	if s.usesDir() {
		all = append(all, "make the folder {dir}")
	}

	for _, command := range [][]string{s.ResetCommand, s.Command} {
		if len(command) > 0 {
			all = append(all, commandLine(command, s.Environment, secrets))
		}
	}

	// These are asked of the host itself, whatever path the operations have in front.
	scheme, rest, _ := strings.Cut(s.shownBase(s.home.Server), "://")
	host, _, _ := strings.Cut(rest, "/")
	home := scheme + "://" + host

	if s.Ready != "" {
		all = append(all, "GET "+home+s.Ready+", until that is answered")
	}

	if method, path, ok := strings.Cut(s.Reset, " "); ok {
		all = append(all, method+" "+home+path)
	}
	return all
}

// Preview implements [Previewer].
func (s *httpSource) Preview(ctx context.Context, tool string, args envs.Args) (
	sent Sent, err error,
) {
	o, ok := s.operations[tool]
	if !ok {
		return sent, fmt.Errorf("the document has no operation %s", tool)
	}

	// The request is made like any other, to an address that is taken out again.
	example := httpInstance{httpSource: s}
	if len(s.Command) > 0 {
		example.address = exampleAddress
	}

	r := request{Operation: o, args: args}
	if r.Server = example.base(o.Server); r.takesKey() {
		r.key = "{key}"
	}

	// A preview is printed, so it shows the variable's name in place of the secret.
	made, err := example.write(ctx, &r, func(scheme string) (string, bool) {
		name, ok := s.Secrets[scheme]
		return "$" + name, ok
	})
	if err != nil {
		return sent, err
	}

	body, err := io.ReadAll(made.Body)
	if err != nil {
		return sent, err
	}

	// In URLs and in basic authentication, the names are encoded like secrets.
	var escaped []string
	for _, name := range s.Secrets {
		secret := "$" + name
		escaped = append(escaped, url.QueryEscape(secret), secret,
			base64.StdEncoding.EncodeToString([]byte(secret)), secret)
	}

	secrets := strings.NewReplacer(escaped...)
	path := strings.TrimPrefix(made.URL.String(), r.Server)
	sent = Sent{
		To:   made.Method + " " + s.shownBase(o.Server) + secrets.Replace(path),
		Body: secrets.Replace(string(body)),
	}

	for _, name := range slices.Sorted(maps.Keys(made.Header)) {
		for _, value := range made.Header[name] {
			sent.Headers = append(sent.Headers, name+": "+secrets.Replace(value))
		}
	}

	return sent, nil
}

// shownBase returns the base URL of any instance.
func (s *httpSource) shownBase(documented string) string {
	switch {
	case s.Server != "":
		return strings.TrimRight(s.Server, "/")
	case len(s.Command) == 0:
		return documented
	}

	started := httpInstance{httpSource: s, address: addressWord}
	return started.base(documented)
}

var (
	_ Previewer = (*MCP)(nil)
	_ Previewer = (*httpSource)(nil)
)

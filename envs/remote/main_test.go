package remote_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs/keeper"
	"toolevo/envs/remote/ordertest"
)

func TestMain(m *testing.M) {
	keeper.Main() // this binary stands between itself and the servers that it starts

	if len(os.Args) == 3 && serve(os.Args[1], os.Args[2]) {
		return
	}

	m.Run()
}

// serve serves one of the services of these tests, if it is one.
func serve(what, where string) bool {
	switch what {
	case "serve-notes":
		serveNotes(where, os.Stdin)
	case "serve-strict":
		serveStrict(where, func() { os.Exit(1) })
	case "serve-silent":
		serveStrict(where, func() {})
	case "serve-odd":
		_ = oddServer().Run(context.Background(), &mcp.StdioTransport{}) // it ends with its client
	case "serve-orders":
		_ = http.ListenAndServe(where, ordertest.New()) // it ends with its user
	case "serve-folder":
		_ = http.ListenAndServe(os.Getenv("LISTEN"), folderService(where))
	default:
		return false
	}

	return true
}

// note is what a tool of notes takes.
type note struct {
	Path string `json:"path"`
	Text string `json:"text,omitempty"`
}

// revisionVariable has the only revision of the protocol that notes know, unless they know all.
const revisionVariable = "NOTES_REVISION"

// keyVariable has a secret of notes, if they have one.
const keyVariable = "NOTES_KEY"

// serveNotes is an MCP server that keeps notes in files of a folder.
func serveNotes(dir string, in io.ReadCloser) {
	var o mcp.ServerOptions
	if revision := os.Getenv(revisionVariable); revision != "" {
		o.SupportedProtocolVersions = []string{revision}
	}

	_ = notesServer(dir, o).Run(context.Background(), &mcp.IOTransport{Reader: in, Writer: os.Stdout})
}

// serveStrict is a server of before 2026-07-28 that does something else than to answer where its
// client does not begin with a handshake.
func serveStrict(dir string, otherwise func()) {
	in := bufio.NewReader(os.Stdin)

	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}

		if strings.Contains(line, `"initialize"`) {
			serveNotes(dir, io.NopCloser(io.MultiReader(strings.NewReader(line), in)))
			return
		}

		otherwise()
	}
}

func notesServer(dir string, o mcp.ServerOptions) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, &o)

	add := func(name, about string, reads bool, answer func(note) (string, error)) {
		mcp.AddTool(server, &mcp.Tool{
			Name: name, Description: about, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads},
		}, func(_ context.Context, _ *mcp.CallToolRequest, n note) (*mcp.CallToolResult, any, error) {
			if !strings.HasPrefix(n.Path, dir) {
				return nil, nil, fmt.Errorf("%s is not in %s", n.Path, dir)
			}

			text, err := answer(n)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, err
		})
	}

	add("write", "Writes a note.", false, func(n note) (string, error) {
		return "wrote " + n.Path, os.WriteFile(n.Path, []byte(n.Text), 0o600)
	})
	add("read", "Reads a note.", true, func(n note) (string, error) {
		text, err := os.ReadFile(n.Path)
		return string(text), err
	})
	add("list", "Lists the notes of a folder.", true, func(n note) (string, error) {
		paths, err := filepath.Glob(n.Path + "/*")
		return strings.Join(paths, "\n"), err
	})
	add("crash", "Ends the server.", false, func(note) (string, error) {
		fmt.Fprintln(os.Stderr, "it crashed", os.Getenv(keyVariable))
		os.Exit(1)
		return "", nil
	})
	return server
}

// oddContents are contents of replies, by the tool of [oddServer] that answers with them.
var oddContents = map[string]string{
	"media":    `{"type":"blob","data":"AQID","mimeType":"application/pdf"}`,
	"bytes":    `{"type":"resource","resource":{"uri":"a:b","mimeType":"image/png","blob":"AQID"}}`,
	"untyped":  `{"type":"resource","resource":{"uri":"a:b","blob":"AQID"}}`,
	"memo":     `{"type":"resource","resource":{"uri":"a:b","text":"buy milk"}}`,
	"bare":     `{"type":"resource"}`,
	"picture":  `{"type":"image","data":"AQID","mimeType":"image/png"}`,
	"no bytes": `{"type":"image","data":5,"mimeType":"image/png"}`,
	"endless":  `{"type":"text","text":"[1` + strings.Repeat(",1", 1<<20) + `]"}`,
}

// rawContent is content as its text says.
type rawContent struct {
	mcp.Content

	text string
}

func (r rawContent) MarshalJSON() ([]byte, error) { return []byte(r.text), nil }

// oddServer answers with contents that servers in use send.
func oddServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "odd", Version: "1"}, nil)

	for name, text := range oddContents {
		tool := &mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}
		server.AddTool(tool, func(context.Context, *mcp.CallToolRequest) (
			*mcp.CallToolResult, error) {
			contents := []mcp.Content{&mcp.TextContent{Text: "here:"}, rawContent{text: text}}
			return &mcp.CallToolResult{Content: contents}, nil
		})
	}

	return server
}

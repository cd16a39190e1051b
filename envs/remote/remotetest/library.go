// Package remotetest has an MCP server for tests of code that uses the tools of others: the books
// of a small library, with tasks and their solutions. The test's own binary is the server.
package remotetest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serve is the argument by which a binary becomes the server.
const serve = "serve-library"

// Clock is a variable that makes get_book answer with the time, too, which it cannot repeat.
const Clock = "LIBRARY_CLOCK"

// Main becomes the server if this process was started as one. TestMain calls it first.
func Main() {
	if len(os.Args) == 2 && os.Args[1] == serve {
		_ = Server().Run(context.Background(), &mcp.StdioTransport{}) // it ends with its client
		os.Exit(0)
	}
}

// Command returns the command that starts the server.
func Command(t testing.TB) []string {
	t.Helper()

	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{binary, serve}
}

// Tasks are files of tasks about the library, by split.
var Tasks = map[string]string{"train": trainTasks, "test": testTasks, "examples": exampleTasks}

//go:embed train.jsonl
var trainTasks string

//go:embed test.jsonl
var testTasks string

//go:embed examples.jsonl
var exampleTasks string

// WriteTasks writes the tasks of a split into a file of a folder.
func WriteTasks(t testing.TB, dir, split string) (path string) {
	t.Helper()

	path = filepath.Join(dir, split+".jsonl")
	if err := os.WriteFile(path, []byte(Tasks[split]), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// book is a book of the library.
type book struct {
	ID     int    `json:"id"`
	Title  string `json:"title"`
	Author string `json:"author"`
	Year   int    `json:"year"`
	Copies int    `json:"copies"` // that are there
}

// loan is a copy that somebody has.
type loan struct {
	Reader string `json:"reader"`
	Book   int    `json:"book"`
}

// library is the state of a server.
type library struct {
	books []book
	loans []loan
}

// question has the arguments of the library's tools.
type question struct {
	Author string `json:"author"`
	Book   int    `json:"book"`
	Reader string `json:"reader"`
}

// Server returns the server of a new library.
func Server() *mcp.Server {
	l := &library{books: []book{
		{1, "Persuasion", "Austen", 1817, 2}, {2, "Emma", "Austen", 1815, 1}, {3, "Middlemarch", "Eliot", 1871, 1},
		{4, "Silas Marner", "Eliot", 1861, 3}, {5, "Villette", "Brontë", 1853, 0},
	}}
	server := mcp.NewServer(&mcp.Implementation{Name: "library", Version: "1"}, nil)

	add(server, "find_books", "Lists the books of an author, or all of them.", true, nil, l.find)
	add(server, "get_book", "Shows a book by its number.", true, []string{"book"}, l.get)
	add(server, "list_loans", "Lists what a reader has taken.", true, []string{"reader"}, l.list)
	add(server, "lend_book", "Lends a copy of a book to a reader.", false, []string{"book", "reader"}, l.lend)
	add(server, "return_book", "Takes a copy of a book back from a reader.", false, []string{"book", "reader"},
		l.takeBack)

	return server
}

// add adds a tool with the parameters that it requires, or else with an optional author.
func add(
	s *mcp.Server, name, about string, reads bool, required []string,
	answer func(question) (any, error),
) {
	properties := map[string]any{
		"author": map[string]any{"type": "string", "description": "the name of an author; all without it"},
		"book":   map[string]any{"type": "integer", "description": "the number of a book"},
		"reader": map[string]any{"type": "string", "description": "the name of a reader"},
	}

	for p := range properties {
		if !slices.Contains(required, p) && (required != nil || p != "author") {
			delete(properties, p)
		}
	}

	// No argument is required of a tool that takes the author, as it lists all books without.
	schema := map[string]any{"type": "object", "properties": properties}
	if required != nil {
		schema["required"] = required
	}

	s.AddTool(&mcp.Tool{
		Name: name, Description: about, InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads},
	}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var q question
		if err := json.Unmarshal(r.Params.Arguments, &q); err != nil {
			return nil, err
		}

		value, err := answer(q)
		if err != nil {
			// A refusal is an answer for the agent to read, not an error of the protocol.
			content := []mcp.Content{&mcp.TextContent{Text: err.Error()}}
			return &mcp.CallToolResult{Content: content, IsError: true}, nil
		}

		text, err := json.Marshal(value)
		content := []mcp.Content{&mcp.TextContent{Text: string(text)}}
		return &mcp.CallToolResult{Content: content}, err
	})
}

func (l *library) find(q question) (any, error) {
	found := slices.Clone(l.books)
	if q.Author != "" {
		found = slices.DeleteFunc(found, func(b book) bool { return b.Author != q.Author })
	}
	return map[string]any{"books": found}, nil
}

func (l *library) book(id int) (*book, error) {
	for i := range l.books {
		if l.books[i].ID == id {
			return &l.books[i], nil
		}
	}

	return nil, fmt.Errorf("there is no book %d", id)
}

func (l *library) get(q question) (any, error) {
	b, err := l.book(q.Book)
	if err != nil || os.Getenv(Clock) == "" {
		return b, err
	}
	return map[string]any{"id": b.ID, "year": b.Year, "asked": time.Now().UnixNano()}, nil
}

func (l *library) list(q question) (any, error) {
	taken := []loan{}
	for _, held := range l.loans {
		if held.Reader == q.Reader {
			taken = append(taken, held)
		}
	}

	return map[string]any{"loans": taken}, nil
}

func (l *library) lend(q question) (any, error) {
	b, err := l.book(q.Book)
	if err == nil && b.Copies == 0 {
		err = fmt.Errorf("no copy of %s is left", b.Title)
	}

	if err != nil {
		return nil, err
	}

	b.Copies--
	l.loans = append(l.loans, loan{q.Reader, q.Book})
	return map[string]any{"lent": b.Title, "left": b.Copies}, nil
}

func (l *library) takeBack(q question) (any, error) {
	i := slices.Index(l.loans, loan{q.Reader, q.Book})
	if i < 0 {
		return nil, fmt.Errorf("%s has no book %d", q.Reader, q.Book)
	}

	l.loans = slices.Delete(l.loans, i, i+1)

	b, err := l.book(q.Book)
	if err == nil {
		b.Copies++
	}
	return map[string]any{"returned": q.Book}, err
}

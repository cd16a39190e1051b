// Package browser drives a headless Chromium in tests of pages.
package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Keys without a character.
const (
	Enter  = kb.Enter
	Escape = kb.Escape
)

// Browser is a headless Chromium that notes what a page must not do.
type Browser struct {
	ctx context.Context

	mu     sync.Mutex
	faults []string // errors on its console, and requests to elsewhere
}

// Start starts the browser that TOOLEVO_CHROMIUM names. TOOLEVO_SCREENSHOTS names a folder to leave
// screenshots in.
func Start(t *testing.T) *Browser {
	t.Helper()

	path := os.Getenv("TOOLEVO_CHROMIUM")
	if path == "" {
		t.Skip("TOOLEVO_CHROMIUM is not set: make test-pages sets it")
	}

	// The sandbox does not start as root, as in containers, and the pages are the tests' own.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.UserDataDir(t.TempDir()))

	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)

	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)

	b := &Browser{ctx: ctx}

	// Listening begins before anything is enabled, so that no fault is missed.
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatal(err)
	}

	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err },
		func() error { _, err := chromedp.Call(ctx, runtime.Enable, cdp.Empty{}); return err },
		func() error { _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); return err },
	} {
		if err := enable(); err != nil {
			t.Fatal(err)
		}
	}

	t.Cleanup(func() {
		// Faults fail the test wherever they come from, also in steps that look for none.
		b.mu.Lock()
		defer b.mu.Unlock()

		for _, fault := range b.faults {
			t.Error(fault)
		}
	})
	return b
}

// note notes errors on the console, and requests to elsewhere.
func (b *Browser) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()

	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults,
			fmt.Sprintf("%s: %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		b.faults = append(b.faults, fmt.Sprintf("%s on the console", e.Type))
	case *log.EventEntryAdded:
		b.faults = append(b.faults, fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text))
	case *network.EventRequestWillBeSent:
		url := e.Request.URL
		if !strings.HasPrefix(url, "http://127.0.0.1:") && !strings.HasPrefix(url, "file://") &&
			!strings.HasPrefix(url, "data:") {
			b.faults = append(b.faults, "asked for "+url)
		}
	}
}

// Open opens a page in a window of some width.
func (b *Browser) Open(t *testing.T, width int64, url string) {
	t.Helper()
	b.do(t, chromedp.EmulateViewport(width, 900), chromedp.Navigate(url))
}

func (b *Browser) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()

	ctx, cancel := context.WithTimeout(b.ctx, stepLimit)
	defer cancel()

	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// Press presses keys, one after the other.
func (b *Browser) Press(t *testing.T, keys ...string) {
	t.Helper()

	for _, key := range keys {
		b.do(t, chromedp.KeyEvent(key))
	}
}

// Search goes to the field of a search by its key, and writes into it.
func (b *Browser) Search(t *testing.T, text string) {
	t.Helper()
	b.Press(t, "/")

	// The protocol sends a key's character apart from the key: it arrives although the page took
	// the key.
	if !Value[bool](t, b, `document.activeElement.type == "search" && (document.activeElement.value = "", true)`) {
		t.Fatal("the key of the search leads elsewhere")
	}

	b.Press(t, text)
}

// Value returns the value of an expression in the page.
func Value[T any](t *testing.T, b *Browser, expression string) T {
	t.Helper()

	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// stepLimit is how long a step of a page may take.
const stepLimit = time.Minute

// unsettled selects what htmx has put into a page and not yet attended to.
const unsettled = ".htmx-added, .htmx-swapping, .htmx-settling"

// Until waits until the page, or the one that it leads to, meets a condition.
func (b *Browser) Until(t *testing.T, expression string) {
	t.Helper()

	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()

	late := time.After(stepLimit)

	for {
		// While a page, or a part of it, is exchanged there is nothing to ask, and what is new is
		// deaf to clicks.
		whole := `document.readyState == "complete" && !document.querySelector("` + unsettled + `") && !!(` +
			expression + `)`
		if met, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](whole)); err == nil && met {
			return
		}

		select {
		case <-ticker.C:
		case <-late:
			t.Fatalf("not after %v: %s", stepLimit, expression)
		}
	}
}

// Shoot leaves a screenshot if TOOLEVO_SCREENSHOTS is set.
func (b *Browser) Shoot(t *testing.T, name string) {
	t.Helper()

	dir := os.Getenv("TOOLEVO_SCREENSHOTS")
	if dir == "" {
		return
	}

	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Click clicks the element that a selector finds.
func (b *Browser) Click(t *testing.T, selector string) {
	t.Helper()
	b.do(t, chromedp.Click(chromedp.CSS(selector)))
}

// Fits makes sure that the page is no wider than the window.
func (b *Browser) Fits(t *testing.T, page string) {
	t.Helper()

	if over := Value[float64](t, b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		t.Errorf("%s is %v pixels wider than the window", page, over)
	}
}

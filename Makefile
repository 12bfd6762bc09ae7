# Everything here is a short name for commands that can be typed as well.
.PHONY: build release size test check bench fuzz docs

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)

build: ## one static binary: bin/cairn
	CGO_ENABLED=0 go build -trimpath -tags nethttpomithttp2 -ldflags "-s -w -X main.version=$(VERSION)" -o bin/cairn ./cmd/cairn

release: ## the files of a release: dist/, built twice and compared
	cd tools/release && go run . -version "$(VERSION)" -twice

size: ## fails when the binary is larger than 70,000,000 bytes
	.ci/size

test: ## the tests, as in README
	go test ./...

check: ## all that CI checks
	.ci/run

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

module github.com/cairn-kb/cairn/tools/site

go 1.26.0

require github.com/cairn-kb/cairn v0.0.0

require (
	github.com/alecthomas/chroma/v2 v2.27.0 // indirect
	github.com/dlclark/regexp2/v2 v2.2.1 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/niklasfasching/go-org v1.9.1 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	github.com/yuin/goldmark v1.8.7 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/cairn-kb/cairn => ../../

module github.com/cairn-kb/cairn/tools/release

go 1.26.0

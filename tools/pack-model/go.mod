module github.com/cairn-kb/cairn/tools/pack-model

go 1.26.0

require github.com/cairn-kb/cairn v0.0.0

require (
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/cairn-kb/cairn => ../..

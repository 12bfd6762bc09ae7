package store

import "context"

// Directories lists the contents of directories of spaces.
type Directories interface {
	// Below returns the direct contents of a directory of a space, given by its path with a
	// final "/"; "" is the root. Spellings of the path with the same Unicode normal form C
	// are equal. A missing directory is empty.
	Below(ctx context.Context, space int64, dir string) (Directory, error)
}

// Directory is the direct contents of a directory.
type Directory struct {
	Directories []Subdirectory // in order of their names
	Pages       []int64        // own pages of documents, ordered by slug
}

// Subdirectory is a directory within another one.
type Subdirectory struct {
	Name  string
	Pages int // at any depth, pages within documents included
}

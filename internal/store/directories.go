package store

import "context"

// Directories lists the contents of directories of spaces.
type Directories interface {
	// Below returns the direct contents of a directory of a space, with a path
	// that ends in "/"; "" is the root. Spellings of its name with the same
	// normal form C are equal. A missing directory is empty.
	Below(ctx context.Context, space int64, dir string) (Directory, error)
}

// Directory is the direct contents of a directory.
type Directory struct {
	Directories []Subdirectory // in order of their names
	Pages       []int64        // those of documents as a whole, in order of slug
}

// Subdirectory is a directory in another.
type Subdirectory struct {
	Name  string
	Pages int // in it, at any depth, pages within documents included
}

package store

import "context"

// Directories lists what is in the directories of spaces.
type Directories interface {
	// Below returns what is directly in a directory of a space, whose path ends in "/";
	// "" is the root. How its name is spelled makes no difference that normal form C
	// does not make. A directory that is not there is empty.
	Below(ctx context.Context, space int64, dir string) (Directory, error)
}

// Directory is what is directly in a directory.
type Directory struct {
	Directories []Subdirectory // in order of their names
	Pages       []int64        // those of documents as a whole, in order of slug
}

// Subdirectory is a directory in another.
type Subdirectory struct {
	Name  string
	Pages int // in it, at any depth, pages within documents included
}

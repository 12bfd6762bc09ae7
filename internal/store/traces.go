package store

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Traces removes for good what a memory keeps beyond the documents that it has.
type Traces interface {
	// Erase deletes all rows about documents, of spaces that were forgotten too, and
	// the rows that e lists. Documents are removed with Documents.Remove before. Bytes that
	// nothing else needs are deleted, and gone is called with those before.
	Erase(ctx context.Context, e Erasure, gone func(ErasedBytes) error) (Erased, error)
	// Values calls f with every text and every value of bytes in the memory, and the
	// name of its table, until f fails. With compressed bytes it is called as they are
	// stored, then unpacked.
	Values(ctx context.Context, f func(table string, value []byte) error) error
}

// Erasure lists the rows to delete.
type Erasure struct {
	Documents  []DocumentKey
	Versions   []int64        // Seq: only their bytes
	Titles     []int64        // Seq: versions that lose their title
	Gaps       []int64        // Row
	Messages   []int64        // writes that lose their message
	Items      []kb.Hash      // items of batches with these bytes
	ItemSpaces []int64        // only of batches of these spaces; of all when empty
	Dismissals []kb.Dismissal // Space and ID
}

// DocumentKey names a document, there or deleted.
type DocumentKey struct {
	Space int64
	ID    kb.ID
	Nodes []kb.ID // of the pages within it
}

// ErasedBytes is a text that Erase deletes.
type ErasedBytes struct {
	Hash   kb.Hash
	Bytes  []byte
	Stored []byte // as the database has it
}

// Erased counts deleted rows.
type Erased struct {
	Versions, Texts, Gaps, Items int
	Writes                       []int64   // that changed something which is gone
	Kept                         []kb.Hash // bytes that something else needs
}

// Scrubber is an Engine that can overwrite deleted data.
type Scrubber interface {
	// Scrub rewrites the memory without its unused space, so that nothing of
	// deleted rows is left in its files. Left is as in Compacter.
	Scrub(ctx context.Context) (left int64, err error)
	// Files returns the files that hold the memory, none when a server has them.
	Files() []string
}

package store

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Traces permanently removes data that a memory keeps beyond its present documents.
type Traces interface {
	// Erase deletes all rows about documents, also those of forgotten spaces, and the rows
	// that e lists. The caller removes the documents with Documents.Remove first. Bytes that
	// nothing else needs are deleted; gone is called with them before.
	Erase(ctx context.Context, e Erasure, gone func(ErasedBytes) error) (Erased, error)
	// Values calls f with every text and every value of bytes in the memory, and the name of
	// its table, until f fails. For compressed bytes it is called twice, with the stored and
	// with the unpacked bytes.
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

// DocumentKey identifies a document, existing or deleted.
type DocumentKey struct {
	Space int64
	ID    kb.ID
	Nodes []kb.ID // ids of the pages within it
}

// ErasedBytes is a text that Erase deletes.
type ErasedBytes struct {
	Hash   kb.Hash
	Bytes  []byte
	Stored []byte // as stored in the database
}

// Erased counts deleted rows.
type Erased struct {
	Versions, Texts, Gaps, Items int
	Writes                       []int64   // writes that changed something that was deleted
	Kept                         []kb.Hash // bytes that are still needed elsewhere
}

// Scrubber is an Engine that can overwrite deleted data.
type Scrubber interface {
	// Scrub rewrites the memory without its unused space, so that its files contain no
	// remains of deleted rows. left is as in Compacter.
	Scrub(ctx context.Context) (left int64, err error)
	// Files returns the files of the memory, none if a server has them.
	Files() []string
}

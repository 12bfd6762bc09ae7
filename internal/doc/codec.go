package doc

import "github.com/cairn-kb/cairn/internal/kb"

// Codec reads and edits one format. Implementations are stateless and safe for concurrent
// use. The suite doctest.Run tests their contract.
type Codec interface {
	Format() Format

	// Extensions returns the file name extensions with their dot, the one
	// for new files first.
	Extensions() []string

	// In returns the codec for documents of a syntax, itself if the format has only one.
	In(s kb.Syntax) Codec

	// Parse reads source as the page at path. It never fails.
	Parse(path string, source []byte) *Document

	// Apply performs the edits in order on the node with the given ID ("" is
	// the file) and returns the new source bytes in the document's encoding. It
	// performs all edits or returns an error with a code: kb.NotFound,
	// kb.Ambiguous, kb.Conflict, kb.Refused as each edit documents; kb.Invalid
	// when the edit cannot be expressed (a newline in a title, a character that
	// the encoding lacks, metadata that is not a map); kb.Usage for an edit
	// without content.
	Apply(d *Document, node string, edits ...Edit) ([]byte, error)

	// New renders a new page. Body is markup of this format, which is not changed.
	New(p NewPage) ([]byte, error)
}

// NewPage is the initial content of a page; empty fields are left out.
type NewPage struct {
	ID, Title, Type, Status, Created, Summary string
	Tags                                      []string
	Metadata                                  []Property // Key, Values and List only
	Body                                      string
}

// Encoding is how Source encodes Text.
type Encoding string

// The supported encodings. Opaque marks bytes that are not text in any of them;
// such a document has an empty Text and takes no edits.
const (
	UTF8    Encoding = "utf-8"
	UTF8BOM Encoding = "utf-8-bom"
	UTF16LE Encoding = "utf-16le" // with byte order mark
	UTF16BE Encoding = "utf-16be" // with byte order mark
	Latin1  Encoding = "latin-1"
	Opaque  Encoding = "opaque"
)

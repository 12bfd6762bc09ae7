package lexical

import "context"

// Stream names one of a segment's byte streams.
type Stream uint8

// The streams. Their numbers are part of the stored format, and a store may
// rely on them being below 8.
const (
	streamDocs      Stream = iota // document ids and lengths
	streamTerms                   // the dictionary
	streamPostings                // documents and frequencies of each term
	streamPositions               // positions of each posting
	streamCount
)

// streamMarks has one page, which a segment may lack; see languages.go. It is not part of
// the sizes and the fingerprint of a segment, since earlier versions do not know it.
const streamMarks Stream = 7

// Segment is an immutable part of the index as stored. Header and Deletes are opaque to the
// store.
type Segment struct {
	ID      int64
	Header  []byte
	Deletes []byte // empty while none of its documents is deleted
}

// Reader reads the index in one transaction of the store. Callers may keep the returned
// slices; the store must not change them afterwards.
type Reader interface {
	// Segments returns all segments, ascending by ID.
	Segments(ctx context.Context) ([]Segment, error)

	// Pages returns the pages [from, to) of a stream, concatenated. Missing pages are left
	// out: the index detects the damage.
	Pages(ctx context.Context, segment int64, s Stream, from, to int) ([]byte, error)

	// IsFar reports whether Ahead saves time.
	IsFar() bool

	// Ahead announces calls of Pages for single pages, so that a remote store can answer all
	// of them together.
	Ahead(ctx context.Context, pages []PageAt) error
}

// PageAt identifies a page of a stream.
type PageAt struct {
	Segment int64
	Stream  Stream
	Page    int
}

// Writer changes the index in one writing transaction of the store.
type Writer interface {
	Reader

	// CreateSegment returns the ID of a new, empty segment. It is greater than
	// every ID present and below 2^31.
	CreateSegment(ctx context.Context) (int64, error)

	// PutPage stores a page of a segment just created. The store must have copied or written
	// data when it returns.
	PutPage(ctx context.Context, segment int64, s Stream, page int, data []byte) error

	// PutHeader stores a segment's header: after this it is complete.
	PutHeader(ctx context.Context, segment int64, header []byte) error

	// PutDeletes replaces the list of a segment's deletions.
	PutDeletes(ctx context.Context, segment int64, deletes []byte) error

	// DropSegment removes a segment with all its pages.
	DropSegment(ctx context.Context, segment int64) error
}

package relational

import (
	"encoding/binary"

	"github.com/cairn-kb/cairn/internal/kb"
)

// encodeList encodes strings for one column: their number, then each with its length,
// numbers as varints. Any bytes survive, and the result is never empty.
func encodeList(list []string) []byte {
	n := binary.MaxVarintLen32
	for _, s := range list {
		n += len(s) + 2
	}
	out := binary.AppendUvarint(make([]byte, 0, n), uint64(len(list)))
	for _, s := range list {
		out = binary.AppendUvarint(out, uint64(len(s)))
		out = append(out, s...)
	}
	return out
}

// decodeList decodes the result of encodeList; nil for an empty list.
func decodeList(b []byte) ([]string, error) {
	count, n := binary.Uvarint(b)
	if n <= 0 || count > uint64(len(b)) {
		return nil, errList()
	}
	if count == 0 {
		return nil, nil
	}
	rest := string(b[n:])
	out := make([]string, 0, count)
	for range count {
		// The lengths are read from b; the strings share the memory of one string.
		at := len(b) - len(rest)
		size, n := binary.Uvarint(b[at:])
		if n <= 0 || size > uint64(len(rest)-n) {
			return nil, errList()
		}
		out = append(out, rest[n:n+int(size)])
		rest = rest[n+int(size):]
	}
	return out, nil
}

func errList() error {
	return kb.Errorf(kb.Damaged, "a list in the memory cannot be read").
		WithReason(kb.ListDamaged)
}

// List reads a column written by encodeList.
func (r Row) List(i int) ([]string, error) { return decodeList(r.Blob(i)) }

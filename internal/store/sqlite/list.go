package sqlite

import (
	"encoding/binary"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// encodeList packs strings into one column: their number, then each with its
// length, numbers as varints. Any bytes survive, and it is never empty.
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

// decodeList reads what encodeList wrote; nil for an empty list.
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
		// The header is read from b, the text shares one string.
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

// list reads a column that encodeList wrote.
func (r row) list(i int) ([]string, error) { return decodeList(r.blob(i)) }

// inSizes are the lengths of value lists in SQL. Shorter lists repeat their
// last value, so that few statements are ever prepared.
var inSizes = []int{1, 4, 16, 64, 256}

// inLists holds "?,?,…" for each of inSizes.
var inLists = func() map[int]string {
	m := make(map[int]string)
	for _, n := range inSizes {
		m[n] = marks(n)
	}
	return m
}()

// marks returns n comma-separated placeholders.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// chunks calls f with the values in portions, each as the inside of IN (…)
// and its arguments after the given first ones.
func chunks[T ~int64 | ~string](values []T, first []any, f func(list string, args []any) error) error {
	for len(values) > 0 {
		size := inSizes[len(inSizes)-1]
		for _, s := range inSizes {
			if s >= len(values) {
				size = s
				break
			}
		}
		n := min(size, len(values))
		args := make([]any, 0, len(first)+size)
		args = append(args, first...)
		for i := range size {
			args = append(args, plain(values[min(i, n-1)]))
		}
		if err := f(inLists[size], args); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}

// plain strips a named type, which the driver does not know.
func plain[T ~int64 | ~string](v T) any {
	switch v := any(v).(type) {
	case int64, string:
		return v
	case kb.ID:
		return string(v)
	case kb.Status:
		return string(v)
	}
	panic("sqlite: plain needs a case for a named type")
}

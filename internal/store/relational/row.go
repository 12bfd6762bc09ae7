package relational

import (
	"database/sql/driver"
	"time"
)

// Row holds the columns of one row: int64, float64, string, []byte, bool or nil. Reading a
// column as a type that it does not have returns the zero value, as for NULL; the schema
// determines the types. SQL drivers fill this type, so that no row is copied.
type Row []driver.Value

// Int returns a column with a number, or 0 and 1 for a condition.
func (r Row) Int(i int) int64 {
	switch v := r[i].(type) {
	case int64:
		return v
	case bool:
		if v {
			return 1
		}
	}
	return 0
}

// Num is Int as an int.
func (r Row) Num(i int) int { return int(r.Int(i)) }

// Float returns nil for NULL.
func (r Row) Float(i int) *float64 {
	if v, ok := r[i].(float64); ok {
		return &v
	}
	return nil
}

// Text returns a column with text.
func (r Row) Text(i int) string { v, _ := r[i].(string); return v }

// Blob returns a column with bytes.
func (r Row) Blob(i int) []byte { v, _ := r[i].([]byte); return v }

// Null reports whether a column is NULL.
func (r Row) Null(i int) bool { return r[i] == nil }

// Time reads microseconds.
func (r Row) Time(i int) time.Time {
	if r.Null(i) {
		return time.Time{}
	}
	return time.UnixMicro(r.Int(i)).UTC()
}

// TimeNS reads nanoseconds.
func (r Row) TimeNS(i int) time.Time {
	if r.Null(i) {
		return time.Time{}
	}
	return time.Unix(0, r.Int(i)).UTC()
}

// micros returns t as a column value; NULL for the zero time.
func micros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// nanos is micros for columns that end in _ns.
func nanos(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixNano()
}

// orNull returns s as a column value; NULL for an empty string.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func realOrNull(f *float64) any {
	if f == nil {
		return nil
	}
	return *f
}

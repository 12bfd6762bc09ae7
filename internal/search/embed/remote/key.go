package remote

import (
	"fmt"
)

// Key is an API key. When it, or a struct with it, is printed, the output shows only whether
// it is set.
type Key string

// Format implements fmt.Formatter for every verb.
func (k Key) Format(f fmt.State, _ rune) {
	text, _ := k.MarshalText()
	// A fmt.State writes to memory and does not fail.
	_, _ = f.Write(text)
}

// MarshalText implements encoding.TextMarshaler, which JSON and structured logs use.
func (k Key) MarshalText() ([]byte, error) {
	if k == "" {
		return []byte("(no key)"), nil
	}
	return []byte("(key)"), nil
}

// header returns the value of the Authorization header.
func (k Key) header() string { return "Bearer " + string(k) }

package kb

import (
	"errors"
	"fmt"
)

// Code is the kind of an error. Surfaces map codes to exit codes, MCP tool
// errors and HTTP problems, each in one place.
type Code string

// Codes, the same on every surface.
const (
	Usage     Code = "usage"     // the request itself is invalid
	NotFound  Code = "not_found" // no such page, space, section, version
	Ambiguous Code = "ambiguous" // a ref names several pages
	Conflict  Code = "conflict"  // the page changed since it was read
	Invalid   Code = "invalid"   // content violates a rule of its format or schema
	Refused   Code = "refused"   // policy does not allow this to this actor
	Secret    Code = "secret"    // content has a credential
	Damaged   Code = "damaged"   // no memory, or an unreadable one
	Internal  Code = "internal"  // a fault of the machine or of cairn
)

// Error is a failure with a code and text that may be shown to anyone. Message,
// Hint and Facts never contain a page's content or a secret; Err is the cause and
// is not shown.
type Error struct {
	Code    Code
	Message string
	Hint    string         // what to do next; below the surfaces it names no commands, flags or tools
	Reason  Reason         // a situation with advice in the words of each surface, "" for none
	Facts   Facts          // parameters of the advice
	Details map[string]any // machine-readable facts, such as current_version
	Err     error
}

// Error returns the public message, followed by the cause's text if any.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	if _, inMessage := e.Err.(*silent); inMessage {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an error with a code and a formatted public message. A %w
// verb keeps the cause for errors.Is and errors.As.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Err: hidden(err)}
}

// hidden keeps the wrapped causes of a formatted error reachable without
// printing the message twice.
func hidden(err error) error {
	switch u := err.(type) {
	case interface{ Unwrap() error }:
		return &silent{[]error{u.Unwrap()}}
	case interface{ Unwrap() []error }:
		return &silent{u.Unwrap()}
	}
	return nil
}

// WithHint replaces the hint and returns the error. A hint below the surfaces
// names no commands, flags or tools (errors have a Reason for that), and is
// never a complete destructive command.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint, e.Reason, e.Facts = fmt.Sprintf(format, args...), "", nil
	return e
}

// With adds one machine-readable detail and returns the error.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = make(map[string]any)
	}
	e.Details[key] = value
	return e
}

// Because adds a cause for errors.Is and errors.As that is not part of the message,
// and returns the error.
func (e *Error) Because(cause error) *Error {
	e.Err = &silent{[]error{cause}}
	return e
}

// CodeOf returns the code of the outermost Error in err's chain, Internal for
// any other error, and the empty code for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// AsError returns the outermost Error in err's chain, or wraps err as an
// internal one.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: Internal, Message: err.Error()}
}

// silent carries causes that are part of the message already.
type silent struct{ causes []error }

func (s *silent) Error() string   { return "" }
func (s *silent) Unwrap() []error { return s.causes }

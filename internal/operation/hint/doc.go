// Package hint says what to do about an error: to programs that call tools, which may have
// no command line, and to users.
package hint

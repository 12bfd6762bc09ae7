// Package author has pages summed up by a program or a server that a person set: it
// quotes the pages as data, waits no longer and reads no more than it should, and takes
// the answer for the words of a stranger, which whoever asked has to check.
//
// Nothing is started or contacted without a setting, and only what the setting names: a
// redirect is an error. No error holds what was sent or answered, nor a key.
package author

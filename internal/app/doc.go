// Package app holds cairn's use cases: one method of App per operation, the
// same for every surface. Requests and answers are plain values with the
// field names that JSON shows; nothing here formats text for people or knows
// of flags, tools or routes.
package app

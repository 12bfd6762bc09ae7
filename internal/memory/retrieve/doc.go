// Package retrieve answers questions: it plans a search, gathers candidates by
// words, names and meaning, fuses and boosts them, makes hits of them, and serves
// the best passages of these within a budget of tokens. It answers as of a time in the past with the
// same code, over a temporary memory of that time.
//
// It only reads. A caller that wants the directories synced or pages embedded first does
// that between planning a search and running it. Any text is a query: what cannot
// be understood as meant is searched as text, and noted in the answer. Where
// meaning cannot be had, words answer, and the answer reports it.
package retrieve

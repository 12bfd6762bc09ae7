// Package foreign reads the databases of other programs, as plain values, for importers. It
// writes nothing to them, and code that their schemas define, such as triggers, does not
// run. Interpreting the rows is left to the importers, so the package must not import store.
//
// The programs are Basic Memory (only data that its notes lack), kt, MemPalace, OpenCode,
// and quaid in any of its versions, by the columns that exist.
package foreign

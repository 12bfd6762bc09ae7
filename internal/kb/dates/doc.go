// Package dates computes days and due times for a person: in a time zone, with days
// that begin at a configurable hour. It takes the time as an argument and returns
// decisions.
//
// Changes of the clock neither skip nor repeat a day. A time of day that clocks
// skip maps to the first moment after the gap; one that they show twice maps to the
// first of both; a date that a zone skipped, as Samoa did in 2011, is not a day.
//
// The zone database is embedded in the binary, so that zone names have the same
// meaning on every machine.
package dates

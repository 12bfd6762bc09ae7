// Package dates computes days and due times for a person: in a time zone, with
// days that begin at an hour of the person's choice. It takes the time as an
// argument and returns decisions.
//
// Changes of the clock neither skip nor repeat a day. A time of day that clocks
// skip is the first moment after the gap; one that they show twice is the first
// of the two; a date that a zone skipped, as Samoa did in 2011, is not a day.
//
// The zone database is part of the binary, so that a name has the same meaning
// on every machine.
package dates

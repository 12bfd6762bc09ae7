// Package dates says which day it is and when something is due, where a person
// lives: in a time zone, with days that begin at an hour of their own. It takes the
// time and returns decisions.
//
// Clocks that are set forward or back neither skip a day nor repeat one: a time of day
// that clocks never show comes at the first moment after it, one that they show twice
// comes once, the first time, and a date that a zone left out, as Samoa did in 2011, is
// no day.
//
// The zones are in the binary, so that a name means the same on every machine.
package dates

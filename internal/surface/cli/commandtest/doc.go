// Package commandtest holds what tests of several packages of commands need.
package commandtest

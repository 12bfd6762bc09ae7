// Package scenarios holds tests of several use cases over one memory: faults at every
// call, rebuilds, a simulated year, and questions after changes.
package scenarios

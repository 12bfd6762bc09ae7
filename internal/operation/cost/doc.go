// Package cost counts what tools cost an agent before it calls any.
package cost

// Package contradictiontest makes pages with contradictions planted among decoys, for tests and
// benchmarks of what finds them.
package contradictiontest

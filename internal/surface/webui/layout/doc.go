// Package layout computes where the nodes of a graph are drawn.
//
// Invariants:
//   - The result is a function of the graph, and of the positions that it begins with: no
//     chance, no clock, no map order.
//   - Positions are finite; those that Fit returns are within [0, 1] in both directions.
//
// It is pure.
package layout

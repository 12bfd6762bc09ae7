package vector

// Kernel computes the dot products of a query with adjacent rows: out[i] of
// query and rows[i*len(query):]. len(rows) is len(query)*len(out). Values are
// within [-127, 127]; the sums are exact, which int32 holds up to 130,000
// dimensions. It must be safe for concurrent use. kernel.Set has the
// implementations.
type Kernel func(out []int32, query, rows []int8)

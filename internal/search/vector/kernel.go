package vector

// Kernel computes the dot products of a query with rows that stand one after
// the other: out[i] of query and rows[i*len(query):]. len(rows) is
// len(query)*len(out). Values are within [-127, 127]; the sums are exact,
// which int32 holds up to 130,000 dimensions. It must be safe for concurrent
// use.
//
// It takes many rows, since a call for each would take a third of the time
// that a good kernel takes for a row.
type Kernel func(query, rows []int8, out []int32)

// PerRow makes a Kernel of a function for two vectors of equal length.
func PerRow(dot func(a, b []int8) int32) Kernel {
	return func(query, rows []int8, out []int32) {
		for i := range out {
			out[i] = dot(query, rows[i*len(query):(i+1)*len(query)])
		}
	}
}

// Dot is the portable dot product of two vectors of equal length.
func Dot(a, b []int8) int32 {
	var s0, s1, s2, s3 int32
	for len(a) >= 16 && len(b) >= 16 {
		x, y := (*[16]int8)(a), (*[16]int8)(b)
		s0 += int32(x[0])*int32(y[0]) + int32(x[4])*int32(y[4]) + int32(x[8])*int32(y[8]) + int32(x[12])*int32(y[12])
		s1 += int32(x[1])*int32(y[1]) + int32(x[5])*int32(y[5]) + int32(x[9])*int32(y[9]) + int32(x[13])*int32(y[13])
		s2 += int32(x[2])*int32(y[2]) + int32(x[6])*int32(y[6]) + int32(x[10])*int32(y[10]) + int32(x[14])*int32(y[14])
		s3 += int32(x[3])*int32(y[3]) + int32(x[7])*int32(y[7]) + int32(x[11])*int32(y[11]) + int32(x[15])*int32(y[15])
		a, b = a[16:], b[16:]
	}
	for i, v := range a {
		s0 += int32(v) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}

package modeldir

// distanceBuckets is the number of buckets of distances. MPNet has an embedding for each of
// them, half of them for keys after the query.
const distanceBuckets = 32

// bucketStarts are the minimum distances of the buckets of one side. Each small distance has
// its own bucket; from 8 on each doubling has two. The last bucket has no upper limit.
var bucketStarts = [distanceBuckets / 2]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91}

// bucket returns the bucket of a key at a distance after the query, or before it if distance
// is negative.
func bucket(distance int) int {
	side := 0
	if distance > 0 {
		side = len(bucketStarts)
	} else {
		distance = -distance
	}
	n := len(bucketStarts) - 1
	for bucketStarts[n] > distance {
		n--
	}
	return side + n
}

// distances expands the embeddings of buckets, [distanceBuckets][heads], to all distances
// between two of that many tokens: [heads][2*tokens-1].
func distances(buckets []float32, heads, tokens int) []float32 {
	all := make([]float32, 0, heads*(2*tokens-1))
	for head := range heads {
		for d := 1 - tokens; d < tokens; d++ {
			all = append(all, buckets[bucket(d)*heads+head])
		}
	}
	return all
}

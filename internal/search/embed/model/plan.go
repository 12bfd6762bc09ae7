package model

const (
	// chunkTokens is the maximum number of tokens of a thread's chunk, unless a single text
	// is longer: few enough for quick cancellation.
	chunkTokens = 256
	// leastTokens is the minimum, if there are as many tokens: a block of rows, for which
	// weights are read once.
	leastTokens = blockRows
	// sharing is the factor by which threads that share a chunk take longer, since they wait
	// for each other in every layer.
	sharing = 1.15
)

// plan cuts sequences, sorted by length with the longest first, into chunks and returns
// their starts, and the end. The first alone chunks are each for a single thread, and get
// smaller towards the end, so that threads finish together. Chunks that would keep one
// thread busy while the others are idle are processed by all threads, one by one.
func plan(sequences [][]int32, threads int) (bounds []int, alone int) {
	left := 0
	for _, ids := range sequences {
		left += len(ids)
	}
	bounds = []int{0}
	busy := make([]int, threads) // tokens assigned to each thread so far
	longest, best, cut := 0, sharing*float64(left)/float64(threads), 0
	for i := 0; i < len(sequences); {
		size, most := 0, max(leastTokens, min(chunkTokens, left/(2*threads)))
		for ; i < len(sequences) && (size == 0 || size+len(sequences[i]) <= most); i++ {
			size += len(sequences[i])
		}
		bounds = append(bounds, i)
		left -= size
		next := 0
		for t, tokens := range busy {
			if tokens < busy[next] {
				next = t
			}
		}
		busy[next] += size
		longest = max(longest, busy[next])
		if took := float64(longest) + sharing*float64(left)/float64(threads); took <= best {
			best, cut = took, len(bounds)-1
		}
	}
	bounds = bounds[:cut+1]
	for at := bounds[cut]; at < len(sequences); {
		size := 0
		for ; at < len(sequences) && (size == 0 || size+len(sequences[at]) <= chunkTokens); at++ {
			size += len(sequences[at])
		}
		bounds = append(bounds, at)
	}
	return bounds, cut
}

package model

const (
	// chunkTokens is how many tokens a thread takes at once at most, if a single text
	// is not longer: few enough that cancelling is quick.
	chunkTokens = 256
	// leastTokens is how many it takes at least, where there are as many: a block of
	// rows, for which weights are read once.
	leastTokens = blockRows
	// sharing is how much longer threads take that share a chunk, since they wait for
	// one another in every layer.
	sharing = 1.15
)

// plan cuts sequences, sorted by length with the longest first, into chunks and
// returns their starts, and the end. The first alone of them are for one thread
// each, and get smaller towards the end, so that threads finish together.
// Chunks that would keep one thread busy while the others are idle are
// processed by all of them, one by one.
func plan(sequences [][]int32, threads int) (bounds []int, alone int) {
	left := 0
	for _, ids := range sequences {
		left += len(ids)
	}
	bounds = []int{0}
	busy := make([]int, threads) // tokens that each thread has by then
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

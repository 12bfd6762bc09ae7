package write

// Waiting returns how many callers stand in line for a space, with the one
// who leads until it has the lock.
func (w *Writer) Waiting(space int64) int {
	q := w.queues.of(space)
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

package vault

// Steps is how many elements of paths were looked at.
func (s *Spellings) Steps() int { return s.steps }

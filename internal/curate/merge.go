package curate

// MergedInto is the relation from a page to the one in which its text is now.
const MergedInto = "merged_into"

package relational

// tables are all tables with the contents of a memory, in the order of their references. The
// counts of pages are derived, and unfinished writes belong to the process that began them.
var tables = []table{
	{"spaces", "row id name kind root policy created synced origin derivation syntax filing accepted host", "", "row"},
	{"mappings", "glob space", "", ""},
	{"documents", "row space path id declared format hash size mod_time_ns indexed version path_fold recorded file_sum side_hash side_size side_mod_time_ns", "hash", "row"},
	{"pages", "row document space node position id declared slug title title_fold type type_fold status line created updated summary tags aliases names day wing wing_key room truth_sum timeline_sum truth_updated timeline_updated permalink as_of", "tags aliases names", "row"},
	{"names", "key page", "", ""},
	{"tags", "tag_fold page tag", "", ""},
	{"links", "row target candidates kind type name key heading text valid_from valid_until context line", "", ""},
	{"observations", "row category text tags context line", "tags", ""},
	{"entries", "row date source text detail line", "", ""},
	{"warnings", "row code text line", "", ""},
	{"properties", "row key text text_fold number", "", ""},
	{"items", "row kind text state done due scheduled start completed created line", "", ""},
	{"endings", "row subject object name until said_on source entry quote line", "", ""},
	{"assertions", "row subject subject_key predicate object object_key valid_from valid_until nth supersedes confidence asserted_by source evidence first_line last_line created line", "", ""},
	{"lexical_segments", "row header deletes", "", "row"},
	{"lexical_pages", "row bytes", "bytes", ""},
	{"models", "row name source dims active created config", "", "row"},
	{"embedded", "model page document hash version chunks", "hash", ""},
	{"bundles", "seq model number bytes", "bytes", "seq"},
	{"spare_vectors", "upto model info vals size", "info vals", ""},
	{"writes", "id time kind name operation message undoes first last", "", "id"},
	{"versions", "seq write space page version change path title hash size mod_time_ns pruned side_hash side_size", "", "seq"},
	{"blobs", "row hash size codec bytes", "hash bytes", "row"},
	{"failures", "space path reason count size mod_time_ns last", "", ""},
	{"settings", "key value", "", ""},
	{"gaps", "row space hash context score count first last kind name sensitivity question redacted approver approved approved_kind approved_name resolved page page_space resolved_kind resolved_name confidence candidate candidate_space words", "hash", "row"},
	{"dismissals", "space id note time kind name", "", ""},
	{"batches", "row id space kind source plan created items", "", "row"},
	{"batch_items", "batch path page hash", "hash", ""},
	{"uses", "space page day", "", ""},
	{"forgotten_spaces", "row id name kind root origin policy accepted created time host", "", ""},
	{"forgotten_mappings", "space glob", "", ""},
	{"forgotten_documents", "space path id declared format hash size mod_time_ns indexed version path_fold recorded file_sum side_hash side_size side_mod_time_ns", "hash", ""},
	{"forgotten_writes", "space id time kind name operation message undoes first last", "", ""},
	{"forgotten_versions", "space seq write page version change path title hash size mod_time_ns pruned side_hash side_size", "", ""},
	{"forgotten_gaps", "space row hash context score count first last kind name sensitivity question redacted approver approved approved_kind approved_name resolved page page_space resolved_kind resolved_name confidence candidate candidate_space", "hash", ""},
	{"forgotten_dismissals", "space id note time kind name", "", ""},
	{"forgotten_batches", "space id kind source plan created items", "", ""},
	{"forgotten_batch_items", "space batch path page hash", "hash", ""},
	{"forgotten_uses", "space page day", "", ""},
}

// Tables returns the names of these tables.
func Tables() (names []string) {
	for _, t := range tables {
		names = append(names, t.name)
	}
	return names
}

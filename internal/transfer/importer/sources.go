package importer

// noteSources are the readers of notes. A reader whose exports could be mistaken for those
// of another comes first.
var noteSources = []Source{
	{Program: "joplin", Takes: "a JEX file, or the directory of a RAW export", read: joplin, fits: isJoplin},
	{Program: "notion", Takes: "the exported archive of Notion, or its directory", read: notion, fits: isNotion},
	{Program: "evernote", Takes: "ENEX files, or a directory of them", read: evernote, fits: having(enexFiles)},
	{Program: "keep", Takes: "an archive of Google Takeout with Keep, or its directory", read: keep, fits: having(keepFiles)},
	{Program: "bear", Takes: "a backup of Bear (bear2bk), or a directory of text bundles", read: bear, fits: isBear},
	{Program: "simplenote", Takes: "the exported archive of Simplenote, or notes.json", read: simplenote, fits: having(simplenoteFiles)},
	{Program: "logseq", Takes: "the JSON export of a graph of Logseq", read: logseq, ahead: namedBlocks(eachLogseq), fits: having(logseqFiles)},
	{Program: "roam", Takes: "the JSON export of Roam Research", read: roam, ahead: namedBlocks(eachRoam), fits: having(roamFiles)},
	{Program: "apple-notes", Takes: "Apple Notes as privacy.apple.com sends them, or that directory", read: apple, fits: isApple},
	{Program: "pocket", Takes: "the CSV files of Pocket, or their archive", read: pocket, fits: having(pocketFiles)},
	{Program: "readwise", Takes: "the CSV file of Readwise", read: readwise, fits: having(readwiseFiles)},
	{Program: "letta", Takes: "agent files (.af) of Letta", read: letta, ahead: lettaShared, fits: having(lettaFiles)},
	{Program: "mem0", Takes: "memories of mem0 as JSON", read: mem0, fits: having(mem0Files)},
	{Program: "mempalace", Takes: "the directory of MemPalace, one of its databases, or its export as Markdown", read: mempalace, fits: hasRooms, guessed: isMemPalace},
	{Program: "agentmemory", Takes: "the JSON export of agentmemory, or its standalone.json", read: agentMemory, ahead: agentAhead, fits: having(agentFiles)},
	{Program: "gbrain", Takes: "the directory of a brain of gbrain, or its archive", read: gbrain, fits: having(gbrainFiles), guessed: isGBrain},
	{Program: "documents", Takes: "PDF, DOCX, EPUB and HTML files, or a directory of them", read: documentsIn, ahead: readDocuments, fits: having(documentFiles), guessed: onlyDocuments},
}

// having reports whether a tree has files of a source.
func having(files func(*tree) []File) func(*tree) bool {
	return func(t *tree) bool { return len(files(t)) > 0 }
}

package servers

// CompileDatabase keeps a private folder with one merged compile_commands.json
// for the roots, so that clangd keeps its index there and writes nothing into
// the workspace.
//
// Write merges the databases found (absolute paths) into dir and reports how
// many translation units they name and whether the merged file changed. Relative
// "directory" members stay relative to the database they come from. A broken
// database is an error that names it by its answer path; the others are merged.
func CompileDatabase(dir string, found []string) (units []string, changed bool, err error) {
	panic("todo")
}

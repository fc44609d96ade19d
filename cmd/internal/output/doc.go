// Package output renders the answers of the tools for the command line: text for
// people, vimgrep for editors and grep-like tools, json and jsonl for machines.
//
// json is one object: schema_version, question, and then the members of the
// tool's structured answer. jsonl is a line for each item (for a formatting
// preview: each file) and a last line, the summary: the same object without the
// items. Either way a question that got no answer is one object with
// schema_version, question and error. [SchemaVersion] changes when a member
// changes its meaning or goes away, not when one is added.
//
// vimgrep is path:line:column:text. Places outside the workspace have no path
// and are left out; what is left out is always reported.
//
// sarif and github tell diagnostics, and files that formatting would change, to
// programs that show them beside a change. sarif is a log of SARIF 2.1.0 with
// columns in UTF-16 code units; github is the workflow commands of GitHub's
// runners.
//
// On a terminal, text from files is escaped so that it cannot steer it; a pipe
// gets the bytes as they are.
package output

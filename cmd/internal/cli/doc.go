// Package cli is lspbridge's command line: its commands, their flags, and the
// exit codes that scripts rely on.
//
// Standard output holds the answer alone. Errors are one line on standard error,
// "lspbridge: " and what is wrong, and usually a line with the next step; in the
// formats json and jsonl the error is an object on standard output as well.
// Progress goes to standard error and only to a terminal, except that --install
// always says what it installs and how far it is.
//
// The commands ask [lspbridge/tools.Bridge] what an agent asks: there is one code
// path.
package cli

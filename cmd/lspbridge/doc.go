// Command lspbridge starts the language servers of a workspace and answers
// questions about its code, for agents over the Model Context Protocol and on
// the command line. See lspbridge --help.
package main

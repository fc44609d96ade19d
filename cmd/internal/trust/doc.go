// Package trust keeps the list of workspaces that the user trusts.
//
// A language server runs code of its workspace: build tools, generators,
// toolchains that the workspace names. So none is started for a workspace that
// nobody has vouched for. The rules:
//
//   - Trust is a record in the user's state folder, in trust.json, which only
//     the user can have written: a file or folder that belongs to somebody
//     else, that others can write, or that does not parse is refused and left
//     as it is. Nothing inside a workspace is read.
//   - A record names one canonical folder. Folders inside it and around it are
//     not covered: what was looked at is what is trusted.
//   - A record is bound to the folder itself, by its inode and the time of its
//     birth, or by inode and device where the system tells no birth. A folder
//     that was put in its place is not trusted.
//   - Changes are made under a file lock, by replacing the file as a whole.
package trust

// Package acceptance holds tests that meet the built program as its users do: a
// client that speaks raw lines over stdio, real language servers, real
// processes that are killed. It has no code of its own.
package acceptance

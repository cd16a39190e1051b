// Package chart draws shares with their intervals, as bars or as lines, in panels side by side, for reports and papers.
//
// # Guarantees
//
// The same figure gives the same bytes of SVG and PNG. Its colours can be told apart by everybody (Okabe and Ito).
package chart

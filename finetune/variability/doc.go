// Package variability says what a single change of the APIs costs: accuracies under versions in which only names, only
// parameters or only the form of answers changed, beside those under the original (ToolEvo, section 5.3).
//
// # Words
//
// The original is the version that policies are shown, deployed as it is. A factor is what alone changes in the others
// (package drift); versions of one factor are a family, of which each question meets one.
//
// # Guarantees
//
//   - Figures are those of the evaluation's report: means over datasets, and paired tests on the same questions.
//   - A question lost to a failure of ours is in no accuracy.
//   - The same report gives the same bytes of CSV, SVG and PNG.
//
// # Caveats
//
// A change is the difference of two means. Where questions were lost under one of them, the means are not over the
// same questions; the paired test is.
package variability

// Package write makes the corpus file of a dataset from rows of cells, and from parts that fill the side tables. A file
// is complete or absent: it is built under a temporary name and renamed at the end.
package write

// Command orders serves the order service of the worked example at an address, such as
// 127.0.0.1:8090, until it is ended.
package main

import (
	"fmt"
	"net/http"
	"os"

	"toolevo/envs/remote/ordertest"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: orders HOST:PORT")
		os.Exit(2)
	}

	fmt.Fprintln(os.Stderr, http.ListenAndServe(os.Args[1], ordertest.New()))
	os.Exit(1)
}

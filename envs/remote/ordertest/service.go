package ordertest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// Document is the OpenAPI document of the service.
//
//go:embed openapi.yaml
var Document []byte

// Tasks are questions, one a line: the answer and how it is compared (match, tolerance), calls
// whose answers have some members when the task has ended (after), and calls that solve it
// (solution), with the answer that is said then (final). In these, {{N /pointer}} is the value at a
// JSON pointer in the answer of the N-th call.
//
//go:embed tasks.jsonl
var Tasks []byte

//go:embed shop.json
var shopText []byte

// Service is the service, a handler. It is safe for concurrent use.
type Service struct {
	http.ServeMux

	mu   sync.Mutex
	shop shop
}

// New returns a service in the state in which every task begins.
func New() *Service {
	s := &Service{}
	s.reset()

	s.serve("GET /customers", s.listCustomers, "city")
	s.serve("GET /customers/{customer_id}", s.getCustomer)
	s.serve("GET /products", s.listProducts, "category", "sort")
	s.serve("GET /products/{product_id}", s.getProduct)
	s.serve("GET /orders", s.listOrders, "customer", "status")
	s.serve("GET /orders/{order_id}", s.getOrder)
	s.serve("POST /orders", s.createOrder)
	s.serve("POST /orders/{order_id}/pay", s.payOrder)
	s.serve("POST /orders/{order_id}/cancel", s.cancelOrder)
	s.serve("POST /orders/{order_id}/notes", s.addNote)
	s.serve("GET /health", func(*http.Request) (any, error) { return map[string]string{"status": "up"}, nil })
	s.serve("POST /reset", func(*http.Request) (any, error) { s.reset(); return nil, nil })

	return s
}

func (s *Service) reset() {
	s.shop = shop{}
	if err := json.Unmarshal(shopText, &s.shop); err != nil {
		panic(err) // the file is part of the package
	}
}

// problem is the error of a request that is not carried out.
type problem struct {
	status  int
	message string
}

func (p *problem) Error() string { return p.message }

func refuse(status int, format string, values ...any) error {
	return &problem{status, fmt.Sprintf(format, values...)}
}

// serve answers requests one at a time. Their queries may have only some parameters.
func (s *Service) serve(pattern string, answer func(*http.Request) (any, error), query ...string) {
	s.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()

		value, err := any(nil), checkQuery(r, query)
		if err == nil {
			value, err = answer(r)
		}

		status := http.StatusOK

		switch p, isProblem := err.(*problem); {
		case isProblem:
			status, value = p.status, map[string]string{"message": p.message}
		case value == nil:
			w.WriteHeader(http.StatusNoContent)
			return
		case pattern == "POST /orders":
			status = http.StatusCreated
		}

		text, _ := json.MarshalIndent(value, "", "  ") // of types that JSON can say

		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(append(text, '\n'))
	})
}

func checkQuery(r *http.Request, known []string) error {
	values := r.URL.Query()
	for _, name := range known {
		delete(values, name)
	}

	for name := range values {
		return refuse(http.StatusBadRequest, "unknown parameter %q", name)
	}
	return nil
}

// read reads the body of a request.
func read(r *http.Request, into any) error {
	decoder := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 1<<16))
	decoder.DisallowUnknownFields()

	if err := decoder.Decode(into); err != nil {
		return refuse(http.StatusBadRequest, "the body cannot be read: %v", err)
	}
	return nil
}

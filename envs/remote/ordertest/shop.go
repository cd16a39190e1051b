package ordertest

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
)

// shop is the state of the service. Lists are in the order of ids.
type shop struct {
	Customers []customer `json:"customers"`
	Products  []product  `json:"products"`
	Orders    []order    `json:"orders"`
}

type customer struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	City string `json:"city"`
	Tier string `json:"tier"`
}

type product struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Category string `json:"category"`
	Price    cents  `json:"price"`
	Stock    int    `json:"stock"`
}

type item struct {
	Product  string `json:"product"`
	Quantity int    `json:"quantity"`
	Price    cents  `json:"price"` // of one, when it was ordered
}

type order struct {
	ID       int      `json:"id"`
	Customer string   `json:"customer"`
	Status   string   `json:"status"`
	Items    []item   `json:"items"`
	Total    cents    `json:"total"`
	Payment  string   `json:"payment,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Notes    []string `json:"notes"`
}

// cents are an amount of money, in JSON with two decimals.
type cents int64

func (c cents) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%d.%02d", c/100, c%100), nil }

func (c *cents) UnmarshalJSON(text []byte) error {
	amount, err := strconv.ParseFloat(string(text), 64)
	*c = cents(math.Round(100 * amount))
	return err
}

func (o order) withTotal() order {
	o.Total = 0
	for _, i := range o.Items {
		o.Total += i.Price * cents(i.Quantity)
	}
	return o
}

// list returns an answer: the values of a list that pass, under its name.
func list[T any](name string, all []T, passes func(T) bool) map[string][]T {
	some := []T{}
	for _, v := range all {
		if passes(v) {
			some = append(some, v)
		}
	}

	return map[string][]T{name: some}
}

// fits reports whether a request has no such filter, or one of this value.
func fits(r *http.Request, filter, value string) bool {
	wanted := r.URL.Query().Get(filter)
	return wanted == "" || wanted == value
}

func (s *Service) listCustomers(r *http.Request) (any, error) {
	return list("customers", s.shop.Customers, func(c customer) bool { return fits(r, "city", c.City) }), nil
}

func (s *Service) customer(id string) (customer, error) {
	i := slices.IndexFunc(s.shop.Customers, func(c customer) bool { return c.ID == id })
	if i < 0 {
		return customer{}, refuse(http.StatusNotFound, "there is no customer %q", id)
	}
	return s.shop.Customers[i], nil
}

func (s *Service) getCustomer(r *http.Request) (any, error) {
	return s.customer(r.PathValue("customer_id"))
}

// sorts are how products can be sorted.
var sorts = map[string]func(a, b product) int{
	"":           func(product, product) int { return 0 },
	"name":       func(a, b product) int { return cmp.Compare(a.Name, b.Name) },
	"price":      func(a, b product) int { return cmp.Compare(a.Price, b.Price) },
	"price_desc": func(a, b product) int { return cmp.Compare(b.Price, a.Price) },
	"stock":      func(a, b product) int { return cmp.Compare(a.Stock, b.Stock) },
}

func (s *Service) listProducts(r *http.Request) (any, error) {
	by := sorts[r.URL.Query().Get("sort")]
	if by == nil {
		return nil, refuse(http.StatusUnprocessableEntity, "sort is one of name, price, price_desc and stock")
	}

	all := list("products", s.shop.Products, func(p product) bool { return fits(r, "category", p.Category) })
	slices.SortStableFunc(all["products"], by)
	return all, nil
}

func (s *Service) product(id string) (*product, error) {
	i := slices.IndexFunc(s.shop.Products, func(p product) bool { return p.ID == id })
	if i < 0 {
		return nil, refuse(http.StatusNotFound, "there is no product %q", id)
	}
	return &s.shop.Products[i], nil
}

func (s *Service) getProduct(r *http.Request) (any, error) {
	p, err := s.product(r.PathValue("product_id"))
	if err != nil {
		return nil, err
	}
	return *p, nil
}

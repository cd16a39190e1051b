package ordertest

import (
	"net/http"
	"slices"
	"strconv"
	"unicode/utf8"
)

func (s *Service) listOrders(r *http.Request) (any, error) {
	all := list("orders", s.shop.Orders, func(o order) bool {
		return fits(r, "customer", o.Customer) && fits(r, "status", o.Status)
	})
	for i, o := range all["orders"] {
		all["orders"][i] = o.withTotal()
	}

	return all, nil
}

func (s *Service) order(r *http.Request) (*order, error) {
	id := r.PathValue("order_id")

	number, err := strconv.Atoi(id)
	if err != nil {
		return nil, refuse(http.StatusUnprocessableEntity, "%q is no number of an order", id)
	}

	if number < 1 || number > len(s.shop.Orders) {
		return nil, refuse(http.StatusNotFound, "there is no order %d", number)
	}
	return &s.shop.Orders[number-1], nil
}

func (s *Service) getOrder(r *http.Request) (any, error) {
	o, err := s.order(r)
	if err != nil {
		return nil, err
	}
	return o.withTotal(), nil
}

func (s *Service) createOrder(r *http.Request) (any, error) {
	var wanted struct {
		Customer string `json:"customer"`
		Items    []struct {
			Product  string `json:"product"`
			Quantity int    `json:"quantity"`
		} `json:"items"`
		Note string `json:"note"`
	}
	if err := read(r, &wanted); err != nil {
		return nil, err
	}

	// The path exists, and a value of the body is wrong: 422 in place of the customer's own 404.
	if _, err := s.customer(wanted.Customer); err != nil {
		return nil, refuse(http.StatusUnprocessableEntity, "%v", err)
	}

	o := order{
		ID: len(s.shop.Orders) + 1, Customer: wanted.Customer, Status: "open", Notes: []string{},
	}
	if wanted.Note != "" {
		o.Notes = []string{wanted.Note}
	}

	for _, i := range wanted.Items {
		p, err := s.product(i.Product)

		switch {
		case err != nil:
			return nil, refuse(http.StatusUnprocessableEntity, "%v", err)
		case i.Quantity < 1:
			return nil, refuse(http.StatusUnprocessableEntity,
				"the quantity of %s has to be at least 1", i.Product)
		case slices.ContainsFunc(o.Items, func(o item) bool { return o.Product == i.Product }):
			return nil, refuse(http.StatusUnprocessableEntity,
				"%s is there twice: add up the quantities", i.Product)
		case i.Quantity > p.Stock:
			return nil, refuse(http.StatusConflict, "there are only %d of %s in stock", p.Stock,
				i.Product)
		}

		o.Items = append(o.Items, item{i.Product, i.Quantity, p.Price})
	}

	if len(o.Items) == 0 {
		return nil, refuse(http.StatusUnprocessableEntity, "an order has at least one item")
	}

	// Only now, so that a refused order takes nothing out of the stock.
	s.shop.Orders = append(s.shop.Orders, o)
	s.move(o, -1)
	return o.withTotal(), nil
}

// move puts the items of an order into the stock (+1), or takes them out (-1).
func (s *Service) move(o order, sign int) {
	for _, i := range o.Items {
		if p, err := s.product(i.Product); err == nil {
			p.Stock += sign * i.Quantity
		}
	}
}

func (s *Service) payOrder(r *http.Request) (any, error) {
	o, err := s.order(r)
	if err != nil {
		return nil, err
	}

	var payment struct {
		Method string `json:"method"`
	}
	if err := read(r, &payment); err != nil {
		return nil, err
	}

	switch {
	case !slices.Contains([]string{"card", "invoice", "transfer"}, payment.Method):
		return nil, refuse(http.StatusUnprocessableEntity, "method is one of card, invoice and transfer")
	case o.Status != "open":
		return nil, refuse(http.StatusConflict, "order %d is %s: only open orders can be paid", o.ID, o.Status)
	}

	o.Status, o.Payment = "paid", payment.Method
	return o.withTotal(), nil
}

func (s *Service) cancelOrder(r *http.Request) (any, error) {
	o, err := s.order(r)
	if err != nil {
		return nil, err
	}

	var why struct {
		Reason string `json:"reason"`
	}
	if r.ContentLength != 0 {
		if err := read(r, &why); err != nil {
			return nil, err
		}
	}

	if o.Status != "open" && o.Status != "paid" {
		return nil, refuse(http.StatusConflict, "order %d is %s: it cannot be cancelled", o.ID, o.Status)
	}

	o.Status, o.Reason = "cancelled", why.Reason
	s.move(*o, +1)
	return o.withTotal(), nil
}

func (s *Service) addNote(r *http.Request) (any, error) {
	o, err := s.order(r)
	if err != nil {
		return nil, err
	}

	var note struct {
		Text string `json:"text"`
	}
	if err := read(r, &note); err != nil {
		return nil, err
	}

	if n := utf8.RuneCountInString(note.Text); n < 1 || n > 200 {
		return nil, refuse(http.StatusUnprocessableEntity, "a note has 1 to 200 characters, not %d", n)
	}

	o.Notes = append(o.Notes, note.Text)
	return o.withTotal(), nil
}

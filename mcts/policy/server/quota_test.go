package server_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"toolevo/envs"
	"toolevo/mcts/policy/server"
)

// prepaid is a server whose account may make a number of requests.
func prepaid(address string, may int64) *echo {
	e := &echo{address: address}
	e.before = func(context.Context, server.Completion) error {
		if e.asked.Load() <= may {
			return nil
		}
		return &server.Fault{
			Kind: server.OutOfQuota, Address: address, Status: 429, Message: "check your plan",
		}
	}
	return e
}

// An account that may not ask any more ends the run at once, also where it could ask before; while
// another server may be asked, that one is.
func TestOutOfQuota(t *testing.T) {
	for _, test := range []struct {
		name string
		may  []int64 // what each server takes
		want int     // questions that are answered
	}{
		{"from the beginning", []int64{0}, 0},
		{"after a while", []int64{5}, 5},
		{"one of two", []int64{3, 1000}, 40},
		{"both", []int64{3, 8}, 11},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var servers []server.Backend
				for i, may := range test.may {
					servers = append(servers, prepaid(fmt.Sprint("server", i), may))
				}

				p := newPolicy(t, options(servers...))
				began, answered := time.Now(), 0

				var err error
				for answered < 40 && err == nil {
					if _, err = p.Propose(t.Context(), request(answered, 1)); err == nil {
						answered++
					}
				}

				var fault *server.Fault
				if answered != test.want || err != nil &&
					!(envs.IsFinal(err) && errors.As(err, &fault) && fault.Kind == server.OutOfQuota) {
					t.Errorf("%d questions are answered, then %v", answered, err)
				}

				if waited := time.Since(began); waited > time.Minute {
					t.Errorf("it waited for %v", waited)
				}
			})
		})
	}
}

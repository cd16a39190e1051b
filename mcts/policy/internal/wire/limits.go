package wire

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	shared "toolevo/envs/wire"
)

// Wait is how long the server, or a gateway before it, asks to be left alone, or 0. Many send with
// every reply when their counts begin anew, which counts only with a 429.
func (a Answer) Wait() time.Duration {
	// OpenRouter repeats the headers of the server behind it in the error.
	return cmp.Or(shared.Wait(a.Status, a.Header), shared.Wait(a.Status, ReadComplaint(a.Body).Header))
}

// How servers say, in small letters, that an account may not ask any more: by codes, and in words.
// The words are also used for limits per minute, but then beside passing words.
var (
	quotaCodes = []string{
		"insufficient_quota", "insufficient_user_quota", "insufficient_balance",
		"insufficient_credits", "billing_hard_limit_reached", "billing_not_active",
	}
	quotaWords = []string{
		"quota exceeded", "exceeded your current quota", "exceeded your monthly",
		"quota has been exceeded", "quota exhausted", "insufficient quota",
		"insufficient balance", "insufficient credit", "insufficient funds",
		"credit balance is too low", "out of credits", "billing hard limit",
	}
	passingWords = []string{
		"per second", "per minute", "/min", "per hour", "rate limit", "retry in", "retry after",
		"try again", "retrydelay", "replenish",
	}
)

// OutOfQuota reports whether a complaint under a status says that the account may not ask any more,
// which no wait helps. waits says that the server asks for a wait.
func (c Complaint) OutOfQuota(status int, waits bool) bool {
	switch status {
	case http.StatusPaymentRequired:
		return true
	case http.StatusOK, http.StatusBadRequest, http.StatusForbidden, http.StatusTooManyRequests:
	default:
		return false
	}

	text := strings.ToLower(c.Message + " " + c.Code)
	mentioned := func(words string) bool { return strings.Contains(text, words) }
	return slices.ContainsFunc(quotaCodes, mentioned) || !waits &&
		slices.ContainsFunc(quotaWords, mentioned) && !slices.ContainsFunc(passingWords, mentioned)
}

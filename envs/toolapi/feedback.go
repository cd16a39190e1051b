package toolapi

// Feedback is how much an environment says about a call that the deployed version does not take.
// The mistake is the same in any case, but not what a policy can learn from it.
type Feedback string

// The feedbacks, beginning with the one that says most. The zero Feedback is FeedbackDeprecation.
const (
	// FeedbackDeprecation is the notice about what replaces a name, or parameters, of a deprecated
	// version, or else what the API says about wrong arguments (ToolEvo).
	FeedbackDeprecation Feedback = "deprecation"

	// FeedbackInvocation names the API, the parameter or the type that is wrong, but nothing that
	// would be right.
	FeedbackInvocation Feedback = "invocation"

	// FeedbackGeneric says that something is wrong, but not what.
	FeedbackGeneric Feedback = "generic"

	// FeedbackNone says that the call failed (DynamicToolBench).
	FeedbackNone Feedback = "none"
)

package toolapi

// Feedback is what an environment tells of a call that the deployed version does not take. Whatever
// it tells, the call is the same mistake; what a policy can learn from it is not.
type Feedback string

// The feedbacks, from the one that tells most. The zero Feedback is FeedbackDeprecation.
const (
	// FeedbackDeprecation is the notice about what replaces a name, or parameters, that a
	// deprecated version had, and else what the API says of wrong arguments (ToolEvo).
	FeedbackDeprecation Feedback = "deprecation"

	// FeedbackInvocation names the API, the parameter or the type that is wrong, and nothing that
	// would be right.
	FeedbackInvocation Feedback = "invocation"

	// FeedbackGeneric says that something is wrong, and not what.
	FeedbackGeneric Feedback = "generic"

	// FeedbackNone says that the call failed (DynamicToolBench).
	FeedbackNone Feedback = "none"
)

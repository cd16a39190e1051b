package failure

// Class is why an episode failed.
type Class string

// The classes of Table 7, and two that it does not have.
const (
	// InvalidInvocation is a new tool that was found and not called as it should be: wrong
	// parameters, or a misspelt name.
	InvalidInvocation Class = "invalid-invocation"

	// RepeatedDeprecated is calling tools of the prompt even after a notice said that they are
	// deprecated.
	RepeatedDeprecated Class = "repeated-deprecated"

	// InvocationLooping is repeating valid calls that bring nothing new.
	InvocationLooping Class = "invocation-looping"

	// IncorrectOutput is a wrong answer, or giving up, where nothing stood in the way.
	IncorrectOutput Class = "incorrect-output"

	// InstructionsNotFollowed is text that cannot be read as a call, or no text at all.
	InstructionsNotFollowed Class = "instructions-not-followed"

	// ToolMisuse is calling tools that exist in no version of the episode.
	ToolMisuse Class = "tool-misuse"

	// Infrastructure is a failure of the infrastructure, which says nothing about the agent.
	Infrastructure Class = "infrastructure"

	// Undecided is a failure that no rule decides.
	Undecided Class = "undecided"
)

// Heading is what Table 7 groups classes under.
type Heading string

// The headings of Table 7, and one for what is not a class of it.
const (
	InvocationErrors Heading = "invocation error in new tools"
	PlanningErrors   Heading = "planning error"
	OtherErrors      Heading = "other error"
	NoHeading        Heading = "not in Table 7"
)

// Classes returns every class, in the order of Table 7.
func Classes() []Class {
	return []Class{
		InvalidInvocation, RepeatedDeprecated, InvocationLooping, IncorrectOutput,
		InstructionsNotFollowed, ToolMisuse, Infrastructure, Undecided,
	}
}

// Heading returns the heading that Table 7 has the class under.
func (c Class) Heading() Heading {
	switch c {
	case InvalidInvocation, RepeatedDeprecated:
		return InvocationErrors
	case InvocationLooping, IncorrectOutput:
		return PlanningErrors
	case InstructionsNotFollowed, ToolMisuse:
		return OtherErrors
	}

	return NoHeading
}

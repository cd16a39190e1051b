package stategen

// Program is a program of calls. Its variables are the names of Init and what statements assign.
type Program struct {
	Domain string `json:"domain"`
	// APIs is the set of APIs that the program is for: "" is the domain's own, [Paper] StateEval's.
	APIs string `json:"apis,omitempty"`
	// Python is the program as others wrote it, or "". With it, the statements are what it was seen
	// to do in the cases of its task.
	Python string `json:"python,omitempty"`

	Init   []Variable `json:"init"`             // in the order of their declaration
	Server Value      `json:"server,omitempty"` // what the service has at the start, in the domain's own form
	Main   []Stmt     `json:"main"`             // up to the branch, or all
	Result *Expr      `json:"result,omitempty"` // of a program without a branch
	Branch *Branch    `json:"branch,omitempty"` // may be nil
}

// Paper names the set of APIs that StateEval has: their parameters, results and effects are as
// published.
const Paper = "paper"

// Branch is the end of a program that has two.
type Branch struct {
	Test Test `json:"test"`
	If   Path `json:"if"`
	Else Path `json:"else"`
}

// Path is one end of a program.
type Path struct {
	Stmts  []Stmt `json:"stmts"`
	Result Expr   `json:"result"`
}

// Role says where the value of a variable comes from.
type Role string

// The roles.
const (
	User     Role = "user"     // given by the user: a text, an object, a number
	Constant Role = "constant" // what a condition compares with; flipping it takes the other branch
	Loaded   Role = "loaded"   // an object that the service has at the start, known by its handle
)

// Variable is a variable that a program begins with.
type Variable struct {
	Name  string `json:"name"`
	Role  Role   `json:"role"`
	Type  string `json:"type"` // in words, for instructions: "a session", "a tensor of shape (2, 3)"
	Value Value  `json:"value"`
}

// Stmt is one statement: exactly one of its fields is set.
type Stmt struct {
	Call *Call `json:"call,omitempty"`
	Edit *Edit `json:"edit,omitempty"`
	Each *Each `json:"each,omitempty"`
}

// Call calls a tool of the base version and keeps its result.
type Call struct {
	Assign string  `json:"assign,omitempty"` // the variable for the result; "" discards it
	Tool   string  `json:"tool"`
	Args   []Named `json:"args"`
}

// Named is an expression with a name.
type Named struct {
	Name string `json:"name"`
	Expr Expr   `json:"expr"`
}

// Edit changes a part of a local variable, which the service does not see. It is no call.
type Edit struct {
	Var  string   `json:"var"`
	Path []string `json:"path"`
	To   Expr     `json:"to"`
}

// Each makes a call for every element of a list that passes a test. It counts as one call.
type Each struct {
	Item  string `json:"item"` // the variable that holds the element
	In    Expr   `json:"in"`
	Where Test   `json:"where"`
	Do    Call   `json:"do"`
}

// Test is a comparison. If Any is set, Left is a list, and one of its elements has to equal Right
// at that path; otherwise Left itself has to.
type Test struct {
	Left  Expr     `json:"left"`
	Any   []string `json:"any,omitempty"`
	Right Expr     `json:"right"`
}

// Expr is an expression: a variable or a part of one, a literal, a list, an object, or a function
// of others.
type Expr struct {
	Var    string   `json:"var,omitempty"`
	Path   []string `json:"path,omitempty"` // of Var: keys of objects, and indexes of lists in digits
	Value  *Value   `json:"value,omitempty"`
	List   []Expr   `json:"list,omitempty"`
	Object []Named  `json:"object,omitempty"`
	Func   Func     `json:"func,omitempty"` // of the expressions in List
}

// Func is a function of expressions.
type Func string

// The functions, of one value each.
const (
	Length    Func = "length"    // of a list
	Sentences Func = "sentences" // how many a text has: runs of characters that end with '.', '!' or '?'
)

// Var returns the expression of a variable, or of a part of it.
func Var(name string, path ...string) Expr { return Expr{Var: name, Path: path} }

// Literal returns the expression of a value.
func Literal(v any) Expr { return Expr{Value: &Value{v}} }

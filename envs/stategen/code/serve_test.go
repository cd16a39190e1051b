package code

import (
	"testing"

	"toolevo/envs/sandbox/sandboxtest"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
)

// What a program asks of a service that it cannot do has a cause, which stays what its failure
// comes from.
func TestCausesOfRefusals(t *testing.T) {
	e := sandboxtest.Engine(t)
	c := catalog(t, domains.All()...)
	base := version(t, c, "p_c")

	for domain, programs := range map[string]map[string]Cause{
		"session": {
			`requests.get("http://localhost:1/api/sessions/abc/group")`:                  WrongURL,
			`requests.get("nowhere")`:                                                    WrongURL,
			`requests.get(f"{BASE_URL}/sessions/abc/group").raise_for_status()`:          WrongURL,
			`requests.patch(f"{BASE_URL}/api/sessions/abc/group").raise_for_status()`:    WrongURL,
			`requests.post(f"{BASE_URL}/api/list_all", json={}).raise_for_status()`:      UnknownAPI,
			`requests.post(f"{BASE_URL}/api/sessions/abc/group").raise_for_status()`:     Arguments,
			`requests.get(f"{BASE_URL}/api/sessions/abc/x/query").raise_for_status()`:    Arguments,
			`requests.get(f"{BASE_URL}/api/sessions/abc/cat").raise_for_status()`:        Arguments,
			`requests.get(f"{BASE_URL}/api/sessions/ab/group").raise_for_status()`:       Arguments,
			`requests.get(f"{BASE_URL}/api/sessions/abc/group/none").raise_for_status()`: Refused,
			`requests.get(f"{BASE_URL}/api/sessions/abc/group").json()[0]`:               Data,
			`requests.delete(f"{BASE_URL}/api/sessions/abc/group/none").json()["id"]`:    Refused,
		},
		"tensor": {
			`torch.reshape(user_tensor_0, (2, -1))`:              UnknownAPI,
			`torch.permute(user_tensor_0, "x")`:                  Arguments,
			`torch.permute(user_tensor_0, (0, 0, 0, 0))`:         Arguments,
			`torch.permute(user_tensor_0, (0, 1))`:               Refused,
			`user_tensor_0.transpose(9, 1)`:                      Refused,
			`user_tensor_0.reshape(2)`:                           Data,
			`F.conv2d(user_tensor_0, user_tensor_0, bias=3)`:     Arguments,
			`(user_tensor_0 > 1).sum()`:                          Exception,
			`torch.cat([user_tensor_0, "tensor_77"], axis=0)`:    Data,
			`torch.split(user_tensor_0, 1, dim=17)[0].permute()`: Refused,
		},
	} {
		d, err := domains.Lookup(domain)
		if err != nil {
			t.Fatal(err)
		}

		g := Grader{Surface: Surface{Domain: d, Base: base, Deployed: base}, Engine: e}
		task := tasks(t, d, 1)[0]

		for program, cause := range programs {
			if v := grade(t, &g, &task, program); v.Class != Execution || v.Cause != cause {
				t.Errorf("%s: %+v, want %s", program, v, cause)
			}
		}
	}
}

// A request may be written as clients write it: its query in the URL, its body as a text, in a
// session of its own.
func TestRequestsAsClientsWriteThem(t *testing.T) {
	base := version(t, catalog(t, domains.All()...), "p_c")

	d, err := domains.Lookup("session")
	if err != nil {
		t.Fatal(err)
	}

	g := Grader{Surface: Surface{Domain: d, Base: base, Deployed: base}, Engine: sandboxtest.Engine(t)}
	task := stategen.Task{
		ID: "by hand",
		Program: stategen.Program{
			Domain: "session",
			Main: []stategen.Stmt{
				call("", "add_session", arg("source", stategen.Literal("my lab")),
					arg("type", stategen.Literal("group")),
					arg("data", stategen.Expr{Object: []stategen.Named{arg("title", stategen.Literal("a & b"))}})),
				call("r_1", "list_sessions", arg("source", stategen.Literal("my lab")),
					arg("type", stategen.Literal("group"))),
			},
			Result: new(stategen.Var("r_1")),
		},
		Cases: []stategen.Case{{Path: "main"}},
	}

	for _, program := range []string{
		`import json as j
from requests.exceptions import HTTPError
url = BASE_URL + "/api/sessions/my lab/group"
with requests.Session() as client:
    made = client.post(url, data=j.dumps({"title": "a & b"}), headers={"x": "y"}, timeout=5)
    made.raise_for_status()
    RESULT = client.get(url + "/query?field=data.title&value=a%20%26%20b").json()
`,
		`requests.request("post", BASE_URL + "/api/sessions/my%20lab/group", json={"title": "a & b"})
made = requests.post(f"{BASE_URL}/api/sessions/my lab/group", json={"title": "a & b"}).json()
RESULT = requests.get(f"{BASE_URL}/api/sessions/my lab/group/query",
                      params={"field": "data.title", "value": "a & b"}).json()
`,
	} {
		if v := grade(t, &g, &task, program); !v.Passed() {
			t.Errorf("%+v\n%s", v, program)
		}
	}
}

// Command conformance drives kumiko's CEL engine through the conformance tests of the language (google/cel-spec, as the
// Go module cel.dev/expr has them). The engine runs in a server process: one JSON test a line in, one answer a line out
// (../conformance_server.cc). It exits 1 when fewer tests pass than the bar, or when one fails that skips.txt does not name.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	testpb "cel.dev/expr/conformance/test"
	"google.golang.org/protobuf/encoding/prototext"
)

// The files that apply to the engine in full; the others test libraries that Kubernetes does not have, or messages.
var files = []string{"basic", "bindings_ext", "comparisons", "conversions", "fields", "fp_math", "integer_math", "lists",
	"lists_ext", "logic", "macros", "macros2", "namespace", "optionals", "parse", "plumbing", "sets_ext", "string",
	"string_ext", "timestamps", "type_deduction"}

type question struct {
	Expression    string           `json:"expr"`
	Container     string           `json:"container,omitempty"`
	TypeEnv       []declaration    `json:"typeEnv,omitempty"`
	Bindings      map[string]value `json:"bindings,omitempty"`
	Objects       []object         `json:"objects,omitempty"`
	DisableCheck  bool             `json:"disableCheck,omitempty"`
	DisableMacros bool             `json:"disableMacros,omitempty"`
	CheckOnly     bool             `json:"checkOnly,omitempty"`
}

type answer struct {
	CompileError string `json:"compileError"`
	Type         string `json:"type"`
	Value        value  `json:"value"`
	Error        string `json:"error"`
}

type server struct {
	in  io.WriteCloser
	out *bufio.Reader
	cmd *exec.Cmd
}

func startServer(path string) (*server, error) {
	cmd := exec.Command(path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &server{in, bufio.NewReaderSize(out, 1<<20), cmd}, cmd.Start()
}

func (s *server) ask(q question) (answer, error) {
	var a answer
	line, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		return a, err
	}
	line, err = s.out.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("the server ended: %w", err)
	}
	return a, json.Unmarshal(line, &a)
}

// judge says how the answer misses what the test wants; "" when it does not.
func judge(test *testpb.SimpleTest, a answer) string {
	if test.GetEvalError() != nil || test.GetAnyEvalErrors() != nil {
		// Kubernetes reports some errors (of literals) before anything runs.
		if a.Error == "" && a.CompileError == "" {
			return fmt.Sprintf("want an error, got %v", a.Value)
		}
		return ""
	}
	if a.CompileError != "" {
		return a.CompileError
	}
	if typed := test.GetTypedResult(); typed != nil && typed.DeducedType != nil {
		if want := typeText(typed.DeducedType); want != normalType(a.Type) {
			return fmt.Sprintf("want type %s, got %s", want, a.Type)
		}
	}
	if test.CheckOnly {
		return ""
	}
	if a.Error != "" {
		return a.Error
	}
	want := value{"bool": true}
	if v := test.GetValue(); v != nil {
		want = valueOf(v)
	} else if v := test.GetTypedResult().GetResult(); v != nil {
		want = valueOf(v)
	}
	if !sameValue(want, a.Value) {
		return fmt.Sprintf("want %v, got %v", want, a.Value)
	}
	return ""
}

func questionOf(test *testpb.SimpleTest) (question, error) {
	q := question{Expression: test.Expr, Container: test.Container, DisableCheck: test.DisableCheck,
		DisableMacros: test.DisableMacros, CheckOnly: test.CheckOnly, Bindings: map[string]value{}, Objects: objectsFor(test)}
	for _, decl := range test.TypeEnv {
		q.TypeEnv = append(q.TypeEnv, declarationOf(decl))
	}
	for name, v := range test.Bindings {
		if v.GetValue() == nil {
			return q, fmt.Errorf("binding %s has no value", name)
		}
		q.Bindings[name] = valueOf(v.GetValue())
	}
	return q, nil
}

func readTests(file string) (*testpb.SimpleTestFile, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	tests := &testpb.SimpleTestFile{}
	return tests, prototext.Unmarshal(text, tests)
}

// The module's folder in the module cache.
func testDataFolder() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "cel.dev/expr").Output()
	if err != nil {
		return "", fmt.Errorf("looking for module cel.dev/expr: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "tests", "simple", "testdata"), nil
}

func run() error {
	path := flag.String("server", "", "the server program, build/PRESET/bin/cel_conformance_server")
	skipFile := flag.String("skips", "skips.txt", "tests that need not pass")
	data := flag.String("data", "", "folder of test files (default: from the module cache)")
	bar := flag.Int("bar", 1750, "how many tests must pass")
	all := flag.Bool("all", false, "run the tests of the skip list too and show how they fail")
	quiet := flag.Bool("quiet", false, "print the last line only")
	flag.Parse()
	if *data == "" {
		folder, err := testDataFolder()
		if err != nil {
			return err
		}
		*data = folder
	}
	skips, err := readSkips(*skipFile)
	if err != nil {
		return err
	}
	engine, err := startServer(*path)
	if err != nil {
		return err
	}

	total := tally{skipped: map[string]int{}}
	if !*quiet {
		fmt.Printf("%-16s %6s %6s %6s %7s\n", "file", "tests", "passed", "failed", "skipped")
	}
	var failures []string
	for _, name := range files {
		tests, err := readTests(filepath.Join(*data, name+".textproto"))
		if err != nil {
			return err
		}
		here := tally{skipped: map[string]int{}}
		for _, section := range tests.Section {
			for _, test := range section.Test {
				id := name + "/" + section.Name + "/" + test.Name
				here.tests++
				reason := skips.reason(id)
				if reason != "" && !*all {
					here.skipped[reason]++
					continue
				}
				q, err := questionOf(test)
				var miss string
				if err != nil {
					miss = err.Error()
				} else if a, err := engine.ask(q); err != nil {
					return fmt.Errorf("%s (%s): %w", id, test.Expr, err)
				} else {
					miss = judge(test, a)
				}
				switch {
				case miss == "" && reason != "":
					failures = append(failures, fmt.Sprintf("%s passes; take it off the skip list", id))
					here.passed++
				case miss == "":
					here.passed++
				case reason != "":
					here.skipped[reason]++
					fmt.Printf("%s: %s\n    %s\n", id, test.Expr, oneLine(miss))
				default:
					here.failed++
					failures = append(failures, fmt.Sprintf("%s: %s\n    %s", id, test.Expr, oneLine(miss)))
				}
			}
		}
		if !*quiet {
			here.print(name)
		}
		total.add(here)
	}
	engine.in.Close()
	if err := engine.cmd.Wait(); err != nil {
		return fmt.Errorf("the server failed: %w", err)
	}

	if !*quiet {
		total.print("all")
		total.printReasons()
	}
	for _, failure := range failures {
		fmt.Println(failure)
	}
	for _, pattern := range skips.unused() {
		failures = append(failures, pattern)
		fmt.Printf("skip list: nothing is called %s\n", pattern)
	}
	fmt.Printf("conformance: %d of %d tests pass, %d needed; %d failed, %d skipped\n", total.passed, total.tests, *bar,
		total.failed, total.skipCount())
	if total.passed < *bar || len(failures) > 0 {
		return fmt.Errorf("not good enough")
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// Command celbench times kumiko's CEL engine against the one of Kubernetes: both evaluate and compile each expression of a
// file in turns, on one device that stays in memory. It fails when a verdict differs or a bar is missed.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
)

const (
	driver      = "drv.io"
	windows     = 5
	window      = 60 * time.Millisecond
	evaluateBar = 10.0
	compileBar  = 20.0
	worstBar    = 1.0
)

var features = cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true}

// engine is kumiko's program, which answers one line with another.
type engine struct {
	in  io.Writer
	out *bufio.Reader
}

func (e engine) ask(format string, args ...any) (string, error) {
	if _, err := fmt.Fprintf(e.in, format+"\n", args...); err != nil {
		return "", err
	}
	line, err := e.out.ReadString('\n')
	return strings.TrimSpace(line), err
}

func (e engine) nanoseconds(format string, args ...any) (float64, error) {
	line, err := e.ask(format, args...)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(line, 64)
}

// timeLoop gives nanoseconds for each call in the fastest of the windows: other processes take time too.
func timeLoop(call func()) float64 {
	fastest := math.Inf(1)
	for range windows {
		calls, batch := 0, 1
		start := time.Now()
		took := time.Duration(0)
		for took < window {
			for range batch {
				call()
			}
			calls += batch
			batch = min(2*batch, 1000)
			took = time.Since(start)
		}
		fastest = min(fastest, float64(took.Nanoseconds())/float64(calls))
	}
	return fastest
}

// resident is the input of a program made once, without the copies that DeviceMatches makes for each call. Only domains
// that the device has are there.
func resident(device cel.Device) map[string]any {
	attributes, capacity := map[string]map[string]any{}, map[string]map[string]any{}
	put := func(in map[string]map[string]any, name resourcev1.QualifiedName, value any) {
		domain, id, found := strings.Cut(string(name), "/")
		if !found {
			domain, id = device.Driver, domain
		}
		if in[domain] == nil {
			in[domain] = map[string]any{}
		}
		in[domain][id] = value
	}
	for name, attribute := range device.Attributes {
		switch {
		case attribute.IntValue != nil:
			put(attributes, name, *attribute.IntValue)
		case attribute.BoolValue != nil:
			put(attributes, name, *attribute.BoolValue)
		case attribute.StringValue != nil:
			put(attributes, name, *attribute.StringValue)
		case attribute.VersionValue != nil:
			put(attributes, name, semverOf(*attribute.VersionValue))
		case attribute.IntValues != nil:
			put(attributes, name, attribute.IntValues)
		case attribute.StringValues != nil:
			put(attributes, name, attribute.StringValues)
		}
	}
	for name, value := range device.Capacity {
		put(capacity, name, quantityOf(value.Value))
	}
	multiple := device.AllowMultipleAllocations != nil && *device.AllowMultipleAllocations
	return map[string]any{"device": map[string]any{"driver": device.Driver, "allowMultipleAllocations": multiple,
		"attributes": attributes, "capacity": capacity}}
}

type means struct {
	logs  float64
	count int
	worst float64
}

func (m *means) add(ratio float64) {
	if m.count == 0 || ratio < m.worst {
		m.worst = ratio
	}
	m.logs += math.Log(ratio)
	m.count++
}

func (m *means) mean() float64 { return math.Exp(m.logs / float64(m.count)) }

func run() error {
	ours := flag.String("ours", "", "build/release/bin/cel_engine_bench")
	expressions := flag.String("expressions", "expressions.txt", "one expression a line")
	deviceFile := flag.String("device", "device.json", "the device")
	flag.Parse()
	text, err := os.ReadFile(*expressions)
	if err != nil {
		return err
	}
	deviceText, err := os.ReadFile(*deviceFile)
	if err != nil {
		return err
	}
	device := resourcev1.Device{}
	if err := json.Unmarshal(deviceText, &device); err != nil {
		return err
	}
	input := cel.Device{Driver: driver, AllowMultipleAllocations: device.AllowMultipleAllocations,
		Attributes: device.Attributes, Capacity: device.Capacity}
	variables := resident(input)

	cmd := exec.Command(*ours)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	kumiko := engine{in, bufio.NewReader(out)}
	compiler := cel.GetCompiler(features)
	ctx := context.Background()

	fmt.Println("evaluate: nanoseconds of kumiko, of Go as the scheduler calls it, of Go with its input maps made beforehand;")
	fmt.Println("compile: microseconds of kumiko, of Go")
	fmt.Printf("%8s %8s %8s %7s %7s | %8s %8s %7s\n", "kumiko", "Go", "Go maps", "ratio", "ratio", "kumiko", "Go", "ratio")
	var evaluate, evaluateMaps, compile means
	different := 0
	for i, expression := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		compiled := compiler.CompileCELExpression(expression, cel.Options{})
		if compiled.Error != nil {
			return fmt.Errorf("%s: %w", expression, compiled.Error)
		}
		verdict := ""
		match, _, err := compiled.DeviceMatches(ctx, input)
		if verdict = strconv.FormatBool(match); err != nil {
			verdict = "error " + err.Error()
		}
		question, err := json.Marshal(map[string]any{"expression": expression, "driver": driver, "device": json.RawMessage(deviceText)})
		if err != nil {
			return err
		}
		answer, err := kumiko.ask("load %d %s", i, question)
		if err != nil {
			return err
		}
		if answer != verdict {
			fmt.Printf("%s: kumiko says %s, Go says %s\n", expression, answer, verdict)
			different++
			continue
		}

		own, err := kumiko.nanoseconds("evaluate %d", i)
		if err != nil {
			return err
		}
		matches := timeLoop(func() { compiled.DeviceMatches(ctx, input) })
		maps := timeLoop(func() { compiled.Program.ContextEval(ctx, variables) })
		ownCompile, err := kumiko.nanoseconds("compile %d", i)
		if err != nil {
			return err
		}
		goCompile := timeLoop(func() { compiler.CompileCELExpression(expression, cel.Options{}) })
		fmt.Printf("%8.0f %8.0f %8.0f %7.1f %7.1f | %8.1f %8.1f %7.1f  %s\n", own, matches, maps, matches/own, maps/own,
			ownCompile/1000, goCompile/1000, goCompile/ownCompile, expression)
		evaluate.add(matches / own)
		evaluateMaps.add(maps / own)
		compile.add(goCompile / ownCompile)
	}
	for _, row := range []struct {
		name  string
		means means
		bar   float64
	}{{"evaluate", evaluate, evaluateBar}, {"evaluate, Go with its maps made beforehand", evaluateMaps, evaluateBar}, {"compile", compile, compileBar}} {
		fmt.Printf("%s: %.1f times faster (geometric mean of %d), worst %.1f", row.name, row.means.mean(), row.means.count, row.means.worst)
		fmt.Printf("; at least %.0f and %.0f wanted\n", row.bar, worstBar)
		if row.means.mean() < row.bar || row.means.worst < worstBar {
			err = fmt.Errorf("%s is too slow", row.name)
		}
	}
	if different > 0 {
		return fmt.Errorf("%d verdicts differ", different)
	}
	return err
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "celbench:", err)
		os.Exit(1)
	}
}

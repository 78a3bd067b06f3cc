// Command oracle fills objects at random and writes them as client-go sends them and as encoding/json has them.
// Input: one "APIVERSION KIND" per line. Output: one JSON line per object; ../compare.cc reads them.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"
)

type line struct {
	Protobuf []byte          `json:"protobuf"`
	JSON     json.RawMessage `json:"json,omitempty"`
	Error    string          `json:"error,omitempty"`
}

const maxSchemaDepth = 2

// Texts that a writer or reader could take for something else.
var texts = []string{"", "a", "name-1", "<&>\u2028", "é中😀", "\"\\\n\x00\x7f", "\xff\xc0\x80x\xe4\xb8", "0", "null"}

var rawValues = []string{`null`, `{}`, `[]`, `0`, `-1`, `1.5`, `1e3`, `"text"`, `true`, `{"b":1,"a":[{"c":null}]}`,
	`{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{}}`, ` {"x" : 18446744073709551615} `}

var quantities = []string{"0", "1", "100m", "1500m", "1.5Gi", "80Gi", "12e6", "1E3", "1000000", "0.1", "123456789n",
	"9223372036854775807", "18446744073709551616", "-3k", "1.0", "1024Ki"}

type filler struct {
	random      *rand.Rand
	schemaDepth int
}

func (f *filler) raw() []byte {
	if f.random.Intn(4) == 0 {
		return nil
	}
	return []byte(rawValues[f.random.Intn(len(rawValues))])
}

func (f *filler) seconds() time.Time {
	return time.Unix(f.random.Int63n(8e9)-4e9, 0).UTC()
}

func (f *filler) functions() []interface{} {
	return []interface{}{
		func(s *string, c randfill.Continue) {
			*s = texts[f.random.Intn(len(texts))]
			if f.random.Intn(2) == 0 {
				*s += fmt.Sprint(f.random.Intn(1000))
			}
		},
		func(q *resource.Quantity, c randfill.Continue) {
			*q = resource.MustParse(quantities[f.random.Intn(len(quantities))])
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			*v = intstr.FromInt32(int32(f.random.Intn(5)))
			if f.random.Intn(2) == 0 {
				*v = intstr.FromString(texts[f.random.Intn(len(texts))])
			}
		},
		func(t *metav1.Time, c randfill.Continue) {
			if f.random.Intn(3) > 0 {
				*t = metav1.NewTime(f.seconds())
			}
		},
		func(t *metav1.MicroTime, c randfill.Continue) {
			if f.random.Intn(3) > 0 {
				*t = metav1.NewMicroTime(f.seconds().Add(time.Duration(f.random.Intn(1e6)) * time.Microsecond))
			}
		},
		func(v *runtime.RawExtension, c randfill.Continue) { v.Raw = f.raw() },
		func(v *apiextensionsv1.JSON, c randfill.Continue) { v.Raw = f.raw() },
		func(v *metav1.FieldsV1, c randfill.Continue) { v.Raw = f.raw() },
		func(n *float64, c randfill.Continue) {
			*n = []float64{0, 1, -1, 0.5, -2.25e-7, 1e20, 1e21, 1e22, 9007199254740993, 1.7e308}[f.random.Intn(10)]
		},
		func(p *apiextensionsv1.JSONSchemaProps, c randfill.Continue) {
			if f.schemaDepth >= maxSchemaDepth {
				p.Type = "string"
				return
			}
			f.schemaDepth++
			c.FillNoCustom(p)
			f.schemaDepth--
		},
	}
}

// damage changes bytes behind the magic: some stay readable, some do not.
func damage(random *rand.Rand, body []byte) []byte {
	out := append([]byte(nil), body...)
	for n := 1 + random.Intn(3); n > 0 && len(out) > 5; n-- {
		at := 4 + random.Intn(len(out)-4)
		switch random.Intn(4) {
		case 0:
			out[at] ^= 1 << random.Intn(8)
		case 1:
			out = append(out[:at], out[at+1:]...)
		case 2:
			out[at] = byte(random.Intn(256))
		default:
			from := 4 + random.Intn(len(out)-4)
			to := from + random.Intn(len(out)-from)
			part := append([]byte(nil), out[from:to]...)
			out = append(out[:at], append(part, out[at:]...)...)
		}
	}
	return out
}

func readAsGo(serializer runtime.Serializer, body []byte) line {
	read, _, err := serializer.Decode(body, nil, nil)
	if err != nil {
		return line{Protobuf: body, Error: err.Error()}
	}
	text, err := json.Marshal(read)
	if err != nil {
		return line{Protobuf: body, Error: err.Error()}
	}
	// Go does not look at the text of a RawExtension.
	return line{Protobuf: body, JSON: bytes.ToValidUTF8(text, []byte("\ufffd"))}
}

func readKinds() (kinds []schema.GroupVersionKind) {
	for input := bufio.NewScanner(os.Stdin); input.Scan(); {
		apiVersion, kind, _ := strings.Cut(input.Text(), " ")
		kinds = append(kinds, schema.FromAPIVersionAndKind(apiVersion, kind))
	}
	return kinds
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

func main() {
	count := flag.Int("count", 10000, "objects")
	seed := flag.Int64("seed", 1, "of the random numbers")
	damaged := flag.Bool("damaged", false, "bytes changed at random")
	flag.Parse()
	kinds := readKinds()
	check(apiextensionsv1.AddToScheme(scheme.Scheme))
	serializer := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	random := rand.New(rand.NewSource(*seed))
	values := &filler{random: random}
	output := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(output)
	for i := 0; i < *count; i++ {
		gvk := kinds[i%len(kinds)]
		object, err := scheme.Scheme.New(gvk)
		check(err)
		randfill.NewWithSeed(random.Int63()).NilChance(0.2+0.6*random.Float64()).NumElements(0, 2).
			Funcs(values.functions()...).Fill(object)
		object.GetObjectKind().SetGroupVersionKind(gvk)
		var body strings.Builder
		check(serializer.Encode(object, &body))
		sent := []byte(body.String())
		if *damaged {
			sent = damage(random, sent)
		}
		check(encoder.Encode(readAsGo(serializer, sent)))
	}
	check(output.Flush())
}

// Writes how Go names the types of members, as errors of the API server about wrong types do and as the published OpenAPI
// documents do not tell. The kinds come from standard input, one a line: "group/version kind", the core group without a
// slash.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	autoscaling "k8s.io/api/autoscaling/v1"
	batch "k8s.io/api/batch/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	events "k8s.io/api/events/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	resource "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
)

// What the documents do not tell of a struct's members.
type names struct {
	Types  map[string]string `json:"types,omitempty"`  // Go's name of a type that is not plain
	Within map[string]string `json:"within,omitempty"` // the embedded structs that hold the member
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// name is the struct's name in OpenAPI documents.
func name(t reflect.Type) string {
	path := strings.Split(t.PkgPath(), "/")
	host := strings.Split(path[0], ".")
	for i, j := 0, len(host)-1; i < j; i, j = i+1, j-1 {
		host[i], host[j] = host[j], host[i]
	}
	return strings.Join(append(host, path[1:]...), ".") + "." + t.Name()
}

func isLeaf(t reflect.Type) bool {
	return t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)
}

type collector struct {
	structs map[string]*names
}

func (c *collector) visit(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		c.visit(t.Elem())
	case reflect.Struct:
		if isLeaf(t) || c.structs[name(t)] != nil {
			return
		}
		f := &names{Types: map[string]string{}, Within: map[string]string{}}
		c.structs[name(t)] = f
		c.members(t, f, nil)
	}
}

func (c *collector) members(t reflect.Type, f *names, within []string) {
	for i := 0; i < t.NumField(); i++ {
		field := t.Field(i)
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || key == "-" {
			continue
		}
		if field.Anonymous && key == "" {
			embedded := field.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			c.members(embedded, f, append(within[:len(within):len(within)], field.Name))
			continue
		}
		if key == "" {
			key = field.Name
		}
		if len(within) > 0 && within[0] != "TypeMeta" {
			f.Within[key] = strings.Join(within, ".")
		}
		c.member(field.Type, key, f)
	}
}

func (c *collector) member(t reflect.Type, key string, f *names) {
	base := t
	for base.Kind() == reflect.Pointer {
		base = base.Elem()
	}
	switch base.Kind() {
	case reflect.Slice, reflect.Map, reflect.Struct:
		if base.Kind() == reflect.Map || base.Kind() == reflect.Slice {
			inner := base.Elem()
			named := base.PkgPath() != "" || (inner.PkgPath() != "" && inner.Kind() != reflect.Struct) ||
				(base.Kind() == reflect.Map && base.Key().PkgPath() != "")
			if named && !isLeaf(base) {
				f.Types[key] = base.String()
			}
		}
		c.visit(base)
	default:
		if base.PkgPath() != "" {
			f.Types[key] = base.String()
		}
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "go-structs:", err)
	os.Exit(1)
}

func main() {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		admissionregistration.AddToScheme, apiextensions.AddToScheme, apps.AddToScheme, authentication.AddToScheme,
		authorization.AddToScheme, autoscaling.AddToScheme, batch.AddToScheme, coordination.AddToScheme,
		core.AddToScheme, discovery.AddToScheme, events.AddToScheme, networking.AddToScheme, policy.AddToScheme,
		rbac.AddToScheme, resource.AddToScheme, resourcev1alpha3.AddToScheme, resourcev1beta1.AddToScheme,
		resourcev1beta2.AddToScheme, scheduling.AddToScheme, storage.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			fatal(err)
		}
	}
	c := &collector{structs: map[string]*names{}}
	c.visit(reflect.TypeFor[metav1.Status]())
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		version, kind, _ := strings.Cut(input.Text(), " ")
		parsed, err := schema.ParseGroupVersion(version)
		if err != nil {
			fatal(err)
		}
		object, err := scheme.New(parsed.WithKind(kind))
		if err != nil {
			fatal(err)
		}
		c.visit(reflect.TypeOf(object))
	}
	var sorted []string
	for key, f := range c.structs {
		if len(f.Types)+len(f.Within) > 0 {
			sorted = append(sorted, key)
		}
	}
	sort.Strings(sorted)
	output := bufio.NewWriter(os.Stdout)
	fmt.Fprint(output, "{")
	for i, key := range sorted {
		text, err := json.Marshal(c.structs[key])
		if err != nil {
			fatal(err)
		}
		separator := ",\n"
		if i == 0 {
			separator = "\n"
		}
		fmt.Fprintf(output, "%s%q:%s", separator, key, text)
	}
	fmt.Fprint(output, "\n}\n")
	if err := output.Flush(); err != nil {
		fatal(err)
	}
}

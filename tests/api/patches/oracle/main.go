// Command oracle applies patches and keeps managedFields with the libraries of kube-apiserver.
// Input: one JSON question per line. Output: one JSON answer per line. ../compare.py asks.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

type step struct {
	// Apply: a configuration, in Object. Else an update: Object is a merge patch of the live object.
	Apply       bool            `json:"apply,omitempty"`
	Force       bool            `json:"force,omitempty"`
	Manager     string          `json:"manager"`
	Subresource string          `json:"subresource,omitempty"`
	Reset       []string        `json:"reset,omitempty"`
	Object      json.RawMessage `json:"object"`
	Time        string          `json:"time"`
}

type question struct {
	Type       string          `json:"type"` // json, merge, strategic or fields
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Object     json.RawMessage `json:"object,omitempty"`
	Patch      json.RawMessage `json:"patch,omitempty"`
	Steps      []step          `json:"steps,omitempty"`
	// Of a custom resource; absent for built-in kinds.
	Schema *spec.Schema `json:"schema,omitempty"`
}

type cause struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

type entry struct {
	Manager     string `json:"manager"`
	Operation   string `json:"operation"`
	APIVersion  string `json:"apiVersion"`
	Time        string `json:"time"`
	Subresource string `json:"subresource"`
	Fields      string `json:"fields"` // as they go over the wire
}

type answer struct {
	Result  json.RawMessage `json:"result,omitempty"`
	Managed []entry         `json:"managed,omitempty"`
	Error   string          `json:"error,omitempty"`
	Causes  []cause         `json:"causes,omitempty"`
	Panic   string          `json:"panic,omitempty"`
	Steps   []answer        `json:"steps,omitempty"`
}

// The objects are trees of one version, so that nothing is converted, defaulted or left out.
type sameVersion struct{}

func (sameVersion) Convert(in, out, context any) error { return fmt.Errorf("not converted") }
func (sameVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}
func (sameVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}
func (sameVersion) Default(runtime.Object) {}
func (sameVersion) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(kind)
	return object, nil
}

var builtIn = applyconfigurations.NewTypeConverter(scheme.Scheme)

func typeConverter(q question, kind schema.GroupVersionKind) (managedfields.TypeConverter, error) {
	if q.Schema == nil {
		return builtIn, nil
	}
	q.Schema.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{"group": kind.Group, "version": kind.Version, "kind": kind.Kind}})
	return managedfields.NewTypeConverter(map[string]*spec.Schema{kind.Kind: q.Schema}, false)
}

func fieldManager(converter managedfields.TypeConverter, kind schema.GroupVersionKind, s step) (*managedfields.FieldManager, error) {
	reset := fieldpath.NewSet()
	for _, field := range s.Reset {
		reset.Insert(fieldpath.MakePathOrDie(field))
	}
	filters := fieldpath.NewExcludeFilterSetMap(map[fieldpath.APIVersion]*fieldpath.Set{fieldpath.APIVersion(kind.GroupVersion().String()): reset})
	return managedfields.NewDefaultFieldManager(converter, sameVersion{}, sameVersion{}, sameVersion{}, kind, kind.GroupVersion(), s.Subresource, filters)
}

func parse(text []byte) (map[string]any, error) {
	object := map[string]any{}
	err := utiljson.Unmarshal(text, &object)
	return object, err
}

// Times of this run become the one of the step.
func (a *answer) setManaged(object *unstructured.Unstructured, s step) error {
	entries := object.GetManagedFields()
	at, err := time.Parse(time.RFC3339, s.Time)
	if err != nil {
		return err
	}
	for i := range entries {
		e := &entries[i]
		out := entry{Manager: e.Manager, Operation: string(e.Operation), APIVersion: e.APIVersion, Subresource: e.Subresource}
		if e.Time != nil {
			if e.Time.Year() >= 2026 {
				e.Time = &metav1.Time{Time: at}
			}
			out.Time = e.Time.UTC().Format(time.RFC3339)
		}
		set := fieldpath.Set{}
		if err := set.FromJSON(e.FieldsV1.GetRawReader()); err != nil {
			return err
		}
		raw, err := set.ToJSON()
		if err != nil {
			return err
		}
		out.Fields = string(raw)
		a.Managed = append(a.Managed, out)
	}
	if entries != nil {
		object.SetManagedFields(entries)
	}
	return nil
}

func (a *answer) fail(err error) {
	a.Error = err.Error()
	if status, ok := err.(*apierrors.StatusError); ok && status.ErrStatus.Details != nil {
		for _, c := range status.ErrStatus.Details.Causes {
			a.Causes = append(a.Causes, cause{c.Field, c.Message})
		}
	}
}

func doStep(converter managedfields.TypeConverter, live *unstructured.Unstructured, kind schema.GroupVersionKind, s step) (next *unstructured.Unstructured, a answer) {
	next = live
	manager, err := fieldManager(converter, kind, s)
	if err != nil {
		a.fail(err)
		return
	}
	var result runtime.Object
	if s.Apply {
		config, err := parse(s.Object)
		if err != nil {
			a.fail(err)
			return next, a
		}
		result, err = manager.Apply(live.DeepCopy(), &unstructured.Unstructured{Object: config}, s.Manager, s.Force)
		if err != nil {
			a.fail(err)
			return next, a
		}
	} else {
		before, err := json.Marshal(live.Object)
		if err != nil {
			a.fail(err)
			return next, a
		}
		after, err := jsonpatch.MergePatch(before, s.Object)
		if err != nil {
			a.fail(err)
			return next, a
		}
		object, err := parse(after)
		if err != nil {
			a.fail(err)
			return next, a
		}
		result = manager.UpdateNoErrors(live.DeepCopy(), &unstructured.Unstructured{Object: object}, s.Manager)
	}
	next = result.(*unstructured.Unstructured)
	if err := a.setManaged(next, s); err != nil {
		a.fail(err)
		return
	}
	stripped := next.DeepCopy()
	stripped.SetManagedFields(nil)
	a.Result, err = json.Marshal(stripped.Object)
	if err != nil {
		a.fail(err)
	}
	return
}

func ask(q question) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Panic: fmt.Sprint(r)}
		}
	}()
	kind := schema.FromAPIVersionAndKind(q.APIVersion, q.Kind)
	switch q.Type {
	case "json":
		patch, err := jsonpatch.DecodePatch(q.Patch)
		if err != nil {
			a.fail(err)
			return
		}
		// What the API server hands over has no blanks.
		var compact bytes.Buffer
		if err := json.Compact(&compact, q.Object); err != nil {
			a.fail(err)
			return
		}
		result, err := patch.Apply(compact.Bytes())
		if err != nil {
			a.fail(err)
			return
		}
		a.Result = result
	case "merge":
		result, err := jsonpatch.MergePatch(q.Object, q.Patch)
		if err != nil {
			a.fail(err)
			return
		}
		a.Result = result
	case "strategic":
		object, err := parse(q.Object)
		if err != nil {
			a.fail(err)
			return
		}
		patch, err := parse(q.Patch)
		if err != nil {
			a.fail(err)
			return
		}
		typed, err := scheme.Scheme.New(kind)
		if err != nil {
			a.fail(err)
			return
		}
		// Copies have lists without room at their end, like those that the API server makes of its objects.
		result, err := strategicpatch.StrategicMergeMapPatch(runtime.DeepCopyJSON(object), patch, typed)
		if err != nil {
			a.fail(err)
			return
		}
		if a.Result, err = json.Marshal(result); err != nil {
			a.fail(err)
		}
	case "fields":
		object, err := sameVersion{}.New(kind)
		if err != nil {
			a.fail(err)
			return
		}
		live := object.(*unstructured.Unstructured)
		converter, err := typeConverter(q, kind)
		if err != nil {
			a.fail(err)
			return
		}
		for _, s := range q.Steps {
			var done answer
			live, done = doStep(converter, live, kind, s)
			a.Steps = append(a.Steps, done)
		}
	}
	return
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var q question
			var a answer
			if err := json.Unmarshal(line, &q); err != nil {
				a.fail(err)
			} else {
				a = ask(q)
			}
			if err := encoder.Encode(a); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(2)
			}
			if err := out.Flush(); err != nil {
				os.Exit(2)
			}
		}
		if err != nil {
			return
		}
	}
}

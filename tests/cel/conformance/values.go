package main

import (
	"encoding/base64"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	exprpb "cel.dev/expr"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// A value on the wire is an object with one member that says its type:
//
//	{"null":true} {"bool":true} {"int":"-1"} {"uint":"1"} {"double":"1.5"} {"string":"x"} {"bytes":"base64"}
//	{"list":[...]} {"map":[[key, value], ...]} {"type":"int"} {"optional":null or a value}
//	{"timestamp":["seconds", nanos]} {"duration":["seconds", nanos]} {"object":"name of its type"} for values of no other kind
type value map[string]any

// Types are text where they are simple, else {"list":t} {"map":[k,v]} {"wrapper":t} {"optional":t} {"type":t}
// {"object":"name"} {"parameter":"T"} {"opaque":"name","of":[...]}.
type declaration struct {
	Name      string     `json:"name"`
	Type      any        `json:"type,omitempty"`
	Overloads []overload `json:"overloads,omitempty"`
}

type overload struct {
	Member     bool  `json:"member"`
	Parameters []any `json:"parameters"`
	Result     any   `json:"result"`
}

func number(n float64) string {
	switch {
	case math.IsNaN(n):
		return "nan"
	case math.IsInf(n, 1):
		return "inf"
	case math.IsInf(n, -1):
		return "-inf"
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}

func valueOf(v *exprpb.Value) value {
	switch kind := v.Kind.(type) {
	case *exprpb.Value_NullValue:
		return value{"null": true}
	case *exprpb.Value_BoolValue:
		return value{"bool": kind.BoolValue}
	case *exprpb.Value_Int64Value:
		return value{"int": strconv.FormatInt(kind.Int64Value, 10)}
	case *exprpb.Value_Uint64Value:
		return value{"uint": strconv.FormatUint(kind.Uint64Value, 10)}
	case *exprpb.Value_DoubleValue:
		return value{"double": number(kind.DoubleValue)}
	case *exprpb.Value_StringValue:
		return value{"string": kind.StringValue}
	case *exprpb.Value_BytesValue:
		return value{"bytes": base64.StdEncoding.EncodeToString(kind.BytesValue)}
	case *exprpb.Value_TypeValue:
		return value{"type": kind.TypeValue}
	case *exprpb.Value_EnumValue:
		return value{"int": strconv.FormatInt(int64(kind.EnumValue.Value), 10)}
	case *exprpb.Value_ListValue:
		items := []any{}
		for _, item := range kind.ListValue.Values {
			items = append(items, valueOf(item))
		}
		return value{"list": items}
	case *exprpb.Value_MapValue:
		pairs := []any{}
		for _, entry := range kind.MapValue.Entries {
			pairs = append(pairs, []any{valueOf(entry.Key), valueOf(entry.Value)})
		}
		return value{"map": pairs}
	case *exprpb.Value_ObjectValue:
		message, err := kind.ObjectValue.UnmarshalNew()
		if err != nil {
			return value{"object": kind.ObjectValue.TypeUrl}
		}
		return valueOfMessage(message)
	}
	return value{"object": "?"}
}

// valueOfMessage unpacks the messages that are plain values to CEL; others are maps of their fields.
func valueOfMessage(message proto.Message) value {
	switch m := message.(type) {
	case *timestamppb.Timestamp:
		return value{"timestamp": []any{strconv.FormatInt(m.Seconds, 10), float64(m.Nanos)}}
	case *durationpb.Duration:
		return value{"duration": []any{strconv.FormatInt(m.Seconds, 10), float64(m.Nanos)}}
	case *wrapperspb.BoolValue:
		return value{"bool": m.Value}
	case *wrapperspb.BytesValue:
		return value{"bytes": base64.StdEncoding.EncodeToString(m.Value)}
	case *wrapperspb.StringValue:
		return value{"string": m.Value}
	case *wrapperspb.Int32Value:
		return value{"int": strconv.FormatInt(int64(m.Value), 10)}
	case *wrapperspb.Int64Value:
		return value{"int": strconv.FormatInt(m.Value, 10)}
	case *wrapperspb.UInt32Value:
		return value{"uint": strconv.FormatUint(uint64(m.Value), 10)}
	case *wrapperspb.UInt64Value:
		return value{"uint": strconv.FormatUint(m.Value, 10)}
	case *wrapperspb.FloatValue:
		return value{"double": number(float64(m.Value))}
	case *wrapperspb.DoubleValue:
		return value{"double": number(m.Value)}
	case *structpb.Value:
		if _, null := m.Kind.(*structpb.Value_NullValue); null {
			return value{"null": true}
		}
	}
	return valueOfFields(message.ProtoReflect())
}

func valueOfScalar(f protoreflect.FieldDescriptor, v protoreflect.Value) value {
	switch kind := v.Interface().(type) {
	case bool:
		return value{"bool": kind}
	case int32:
		return value{"int": strconv.FormatInt(int64(kind), 10)}
	case int64:
		return value{"int": strconv.FormatInt(kind, 10)}
	case uint32:
		return value{"uint": strconv.FormatUint(uint64(kind), 10)}
	case uint64:
		return value{"uint": strconv.FormatUint(kind, 10)}
	case float32:
		return value{"double": number(float64(kind))}
	case float64:
		return value{"double": number(kind)}
	case string:
		return value{"string": kind}
	case []byte:
		return value{"bytes": base64.StdEncoding.EncodeToString(kind)}
	case protoreflect.EnumNumber:
		return value{"int": strconv.FormatInt(int64(kind), 10)}
	case protoreflect.Message:
		return valueOfMessage(kind.Interface())
	}
	return value{"object": string(f.FullName())}
}

// sameValue compares what JSON decoding and valueOf made; the pairs of maps may stand in any order.
func sameValue(want, got any) bool {
	wanted, gotten := asMap(want), asMap(got)
	if len(wanted) != 1 || len(gotten) != 1 {
		return false
	}
	for kind, w := range wanted {
		g, ok := gotten[kind]
		if !ok {
			return false
		}
		switch kind {
		case "list":
			a, b := w.([]any), g.([]any)
			if len(a) != len(b) {
				return false
			}
			for i := range a {
				if !sameValue(a[i], b[i]) {
					return false
				}
			}
			return true
		case "map":
			return samePairs(w.([]any), g.([]any))
		case "double":
			a, errA := strconv.ParseFloat(w.(string), 64)
			b, errB := strconv.ParseFloat(g.(string), 64)
			return errA == nil && errB == nil && (a == b || math.IsNaN(a) && math.IsNaN(b))
		case "optional":
			return w == nil && g == nil || w != nil && g != nil && sameValue(w, g)
		default:
			return reflect.DeepEqual(w, g)
		}
	}
	return false
}

func samePairs(wanted, gotten []any) bool {
	if len(wanted) != len(gotten) {
		return false
	}
	for _, w := range wanted {
		found := false
		for _, g := range gotten {
			a, b := w.([]any), g.([]any)
			if sameValue(a[0], b[0]) && sameValue(a[1], b[1]) {
				found = true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

func asMap(v any) map[string]any {
	switch m := v.(type) {
	case value:
		return m
	case map[string]any:
		return m
	}
	return nil
}

func declarationOf(decl *exprpb.Decl) declaration {
	d := declaration{Name: decl.Name}
	if ident := decl.GetIdent(); ident != nil {
		d.Type = typeOf(ident.Type)
	}
	for _, o := range decl.GetFunction().GetOverloads() {
		made := overload{Member: o.IsInstanceFunction, Parameters: []any{}, Result: typeOf(o.ResultType)}
		for _, parameter := range o.Params {
			made.Parameters = append(made.Parameters, typeOf(parameter))
		}
		d.Overloads = append(d.Overloads, made)
	}
	return d
}

var primitives = map[exprpb.Type_PrimitiveType]string{exprpb.Type_BOOL: "bool", exprpb.Type_INT64: "int", exprpb.Type_UINT64: "uint",
	exprpb.Type_DOUBLE: "double", exprpb.Type_STRING: "string", exprpb.Type_BYTES: "bytes"}
var wellKnown = map[exprpb.Type_WellKnownType]string{exprpb.Type_ANY: "any", exprpb.Type_TIMESTAMP: "timestamp", exprpb.Type_DURATION: "duration"}

func typeOf(t *exprpb.Type) any {
	switch kind := t.TypeKind.(type) {
	case *exprpb.Type_Dyn:
		return "dyn"
	case *exprpb.Type_Null:
		return "null"
	case *exprpb.Type_Primitive:
		return primitives[kind.Primitive]
	case *exprpb.Type_Wrapper:
		return value{"wrapper": primitives[kind.Wrapper]}
	case *exprpb.Type_WellKnown:
		return wellKnown[kind.WellKnown]
	case *exprpb.Type_ListType_:
		return value{"list": typeOf(kind.ListType.ElemType)}
	case *exprpb.Type_MapType_:
		return value{"map": []any{typeOf(kind.MapType.KeyType), typeOf(kind.MapType.ValueType)}}
	case *exprpb.Type_MessageType:
		return value{"object": kind.MessageType}
	case *exprpb.Type_TypeParam:
		return value{"parameter": kind.TypeParam}
	case *exprpb.Type_Type:
		if kind.Type == nil || kind.Type.TypeKind == nil {
			return "type"
		}
		return value{"type": typeOf(kind.Type)}
	case *exprpb.Type_AbstractType_:
		of := []any{}
		for _, parameter := range kind.AbstractType.ParameterTypes {
			of = append(of, typeOf(parameter))
		}
		if kind.AbstractType.Name == "optional_type" && len(of) == 1 {
			return value{"optional": of[0]}
		}
		return value{"opaque": kind.AbstractType.Name, "of": of}
	}
	return "dyn"
}

// typeText spells a type as the engine does.
func typeText(t *exprpb.Type) string {
	switch kind := t.TypeKind.(type) {
	case *exprpb.Type_Wrapper:
		return "wrapper(" + primitives[kind.Wrapper] + ")"
	case *exprpb.Type_ListType_:
		return "list(" + typeText(kind.ListType.ElemType) + ")"
	case *exprpb.Type_MapType_:
		return "map(" + typeText(kind.MapType.KeyType) + ", " + typeText(kind.MapType.ValueType) + ")"
	case *exprpb.Type_MessageType:
		return normalType(kind.MessageType)
	case *exprpb.Type_TypeParam:
		return kind.TypeParam
	case *exprpb.Type_Type:
		if kind.Type == nil || kind.Type.TypeKind == nil {
			return "type"
		}
		return "type(" + typeText(kind.Type) + ")"
	case *exprpb.Type_AbstractType_:
		var parts []string
		for _, parameter := range kind.AbstractType.ParameterTypes {
			parts = append(parts, typeText(parameter))
		}
		if len(parts) == 0 {
			return kind.AbstractType.Name
		}
		return fmt.Sprintf("%s(%s)", kind.AbstractType.Name, strings.Join(parts, ", "))
	}
	return typeOf(t).(string)
}

// normalType takes the long names of types back to the short ones.
func normalType(text string) string {
	return strings.NewReplacer("google.protobuf.Timestamp", "timestamp", "google.protobuf.Duration", "duration",
		"google.protobuf.Any", "any", "null_type", "null").Replace(text)
}

package main

import (
	"strings"

	"cel.dev/expr/conformance/proto2"
	"cel.dev/expr/conformance/proto3"
	testpb "cel.dev/expr/conformance/test"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// An object type that tests use, with its fields: to the engine a message is an object that the environment declares.
type object struct {
	Name   string  `json:"name"`
	Fields []field `json:"fields"`
}

type field struct {
	Name string `json:"name"`
	Type any    `json:"type"`
}

var testObjects = objectsOf(&proto2.TestAllTypes{}, &proto2.NestedTestAllTypes{}, &proto2.TestAllTypes_NestedMessage{},
	&proto3.TestAllTypes{}, &proto3.NestedTestAllTypes{}, &proto3.TestAllTypes_NestedMessage{})

// objectsFor gives the types that a test may name; most name none.
func objectsFor(test *testpb.SimpleTest) []object {
	if strings.Contains(prototext.Format(test), "TestAllTypes") {
		return testObjects
	}
	return nil
}

func objectsOf(messages ...proto.Message) []object {
	var objects []object
	for _, message := range messages {
		descriptor := message.ProtoReflect().Descriptor()
		o := object{Name: string(descriptor.FullName())}
		fields := descriptor.Fields()
		for i := range fields.Len() {
			o.Fields = append(o.Fields, field{string(fields.Get(i).Name()), fieldType(fields.Get(i))})
		}
		objects = append(objects, o)
	}
	return objects
}

func fieldType(f protoreflect.FieldDescriptor) any {
	switch {
	case f.IsMap():
		return value{"map": []any{singleType(f.MapKey()), singleType(f.MapValue())}}
	case f.IsList():
		return value{"list": singleType(f)}
	}
	return singleType(f)
}

var wellKnownMessages = map[protoreflect.FullName]any{"google.protobuf.Any": "any", "google.protobuf.Timestamp": "timestamp", "google.protobuf.Duration": "duration", "google.protobuf.Value": "dyn",
	"google.protobuf.Struct": value{"map": []any{"string", "dyn"}}, "google.protobuf.ListValue": value{"list": "dyn"},
	"google.protobuf.BoolValue": value{"wrapper": "bool"}, "google.protobuf.BytesValue": value{"wrapper": "bytes"}, "google.protobuf.StringValue": value{"wrapper": "string"},
	"google.protobuf.DoubleValue": value{"wrapper": "double"}, "google.protobuf.FloatValue": value{"wrapper": "double"}, "google.protobuf.Int32Value": value{"wrapper": "int"},
	"google.protobuf.Int64Value": value{"wrapper": "int"}, "google.protobuf.UInt32Value": value{"wrapper": "uint"}, "google.protobuf.UInt64Value": value{"wrapper": "uint"}}

func singleType(f protoreflect.FieldDescriptor) any {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return "bool"
	case protoreflect.StringKind:
		return "string"
	case protoreflect.BytesKind:
		return "bytes"
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return "double"
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		return "uint"
	case protoreflect.MessageKind, protoreflect.GroupKind:
		name := f.Message().FullName()
		if known, ok := wellKnownMessages[name]; ok {
			return known
		}
		return value{"object": string(name)}
	}
	return "int"
}

// valueOfFields is a message as the map of the fields that are set.
func valueOfFields(message protoreflect.Message) value {
	pairs := []any{}
	message.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		pairs = append(pairs, []any{value{"string": string(f.Name())}, valueOfField(f, v)})
		return true
	})
	return value{"map": pairs}
}

func valueOfField(f protoreflect.FieldDescriptor, v protoreflect.Value) value {
	switch {
	case f.IsList():
		items := []any{}
		for i := range v.List().Len() {
			items = append(items, valueOfScalar(f, v.List().Get(i)))
		}
		return value{"list": items}
	case f.IsMap():
		pairs := []any{}
		v.Map().Range(func(key protoreflect.MapKey, item protoreflect.Value) bool {
			pairs = append(pairs, []any{valueOfScalar(f.MapKey(), key.Value()), valueOfScalar(f.MapValue(), item)})
			return true
		})
		return value{"map": pairs}
	}
	return valueOfScalar(f, v)
}

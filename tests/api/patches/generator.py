"""Random objects of built-in kinds, as their schemas describe them, and random patches of them.

Few names and values are used, so that patches, objects and the requests of several managers meet in the same places.
"""
import copy
import json
import os

REFERENCE = "#/components/schemas/"
SCHEMAS = os.path.join(os.path.dirname(__file__), "../../../data/openapi/schemas.json")
KINDS = [("apps/v1", "Deployment", "io.k8s.api.apps.v1.Deployment"), ("v1", "Pod", "io.k8s.api.core.v1.Pod"),
         ("v1", "Service", "io.k8s.api.core.v1.Service"), ("v1", "ConfigMap", "io.k8s.api.core.v1.ConfigMap"),
         ("batch/v1", "CronJob", "io.k8s.api.batch.v1.CronJob"), ("v1", "Node", "io.k8s.api.core.v1.Node"),
         ("policy/v1", "PodDisruptionBudget", "io.k8s.api.policy.v1.PodDisruptionBudget"),
         ("resource.k8s.io/v1", "ResourceClaim", "io.k8s.api.resource.v1.ResourceClaim"),
         ("apps/v1", "ControllerRevision", "io.k8s.api.apps.v1.ControllerRevision"),
         ("v1", "ServiceAccount", "io.k8s.api.core.v1.ServiceAccount")]
WORDS = ["a", "b", "c", "d"]
# Members that requests set most, so that several meet in them.
LIKELY = {"spec", "template", "containers", "metadata", "labels", "annotations", "ports", "env", "name", "data",
          "finalizers", "replicas", "image", "volumes", "volumeMounts", "ownerReferences", "conditions", "status",
          "tolerations", "strategy", "securityContext", "resources", "initContainers", "args",
          "topologySpreadConstraints"}


class Schemas:
    def __init__(self):
        with open(SCHEMAS, encoding="utf-8") as file:
            self.named = json.load(file)

    def resolve(self, schema):
        """The schema with the words beside a reference, which concern lists and maps."""
        for key in ("$ref",):
            if key in schema:
                return self.named[schema[key][len(REFERENCE):]]
        if "allOf" in schema:
            merged = dict(self.named[schema["allOf"][0]["$ref"][len(REFERENCE):]])
            merged.update({k: v for k, v in schema.items() if k.startswith("x-")})
            return merged
        return schema


class Generator:
    def __init__(self, rng, schemas):
        self.rng = rng
        self.schemas = schemas

    def chance(self, share):
        return self.rng.random() < share

    def scalar(self, schema):
        rng, kind = self.rng, schema.get("type")
        if kind == "integer":
            return rng.choice([0, 1, 2, 80, 8080, 443])
        if kind == "number":
            return rng.choice([0, 0.5, 1])
        if kind == "boolean":
            return rng.random() < 0.5
        if schema.get("format") == "date-time":
            return rng.choice(["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"])
        if schema.get("format") == "byte":
            return rng.choice(["YQ==", "Yg=="])
        if "oneOf" in schema or schema.get("x-kubernetes-int-or-string"):
            return rng.choice([1, 2, "1", "50%", "1Gi", "500m"])
        return rng.choice(WORDS if self.chance(0.97) else ["<&>", "é\"\\", "", "x\ny"])

    def anything(self, depth=0):
        rng = self.rng
        roll = rng.random()
        if depth > 2 or roll < 0.5:
            return rng.choice(["a", "b", 1, 2, 0.5, True, False])
        if roll < 0.75:
            return [self.anything(depth + 1) for _ in range(rng.randrange(3))]
        return {rng.choice(WORDS): self.anything(depth + 1) for _ in range(rng.randrange(3))}

    def value(self, schema, depth, fill):
        schema = self.schemas.resolve(schema)
        kind = schema.get("type")
        if kind == "array":
            return self.items(schema, depth, fill)
        if kind == "object":
            return self.object(schema, depth, fill)
        if kind is None and "oneOf" not in schema and "x-kubernetes-int-or-string" not in schema:
            return self.anything()
        return self.scalar(schema)

    def items(self, schema, depth, fill):
        rng, count = self.rng, self.rng.choice([0, 1, 1, 2, 2, 3, 4])
        if depth > 9:
            return []
        items = [self.value(schema["items"], depth + 1, fill) for _ in range(count)]
        keys = schema.get("x-kubernetes-list-map-keys") or filter(None, [schema.get("x-kubernetes-patch-merge-key")])
        inner = self.schemas.resolve(schema["items"])
        for item in items:
            for key in keys if isinstance(item, dict) else ():
                if key not in item and not self.chance(0.15 if "default" in inner["properties"][key] else 0.01):
                    item[key] = self.value(inner["properties"][key], depth + 1, fill)
        if schema.get("x-kubernetes-list-type") in ("set", "map") and not self.chance(0.04):
            seen, unique = set(), []
            for item in items:
                marks = [json.dumps({k: item.get(k) for k in schema["x-kubernetes-list-map-keys"]}, sort_keys=True)] \
                    if schema["x-kubernetes-list-type"] == "map" else [json.dumps(item)]
                if schema.get("x-kubernetes-patch-merge-key") and not self.chance(0.2):
                    marks.append("merge " + json.dumps(item.get(schema["x-kubernetes-patch-merge-key"])))
                if seen.isdisjoint(marks):
                    seen.update(marks)
                    unique.append(item)
            items = unique
        rng.shuffle(items)
        return items

    def object(self, schema, depth, fill):
        rng = self.rng
        unknown = {}
        if schema.get("x-kubernetes-preserve-unknown-fields") or not (
                schema.get("properties") or schema.get("additionalProperties")):
            unknown = {rng.choice(WORDS): self.anything() for _ in range(rng.randrange(3))}
            if not schema.get("properties"):
                return unknown
        if "additionalProperties" in schema:
            return {rng.choice(WORDS): self.value(schema["additionalProperties"], depth + 1, fill)
                    for _ in range(rng.choice([0, 1, 2, 2, 3]))}
        members = schema["properties"]
        result = {name: value for name, value in unknown.items() if name not in members}
        for name, member in members.items():
            likely = fill if name in LIKELY else min(fill, 2.5 / (len(members) + depth))
            if depth < 10 and self.chance(likely):
                result[name] = self.value(member, depth + 1, fill)
        return result

    def whole(self, api_version, kind, name, fill=0.55):
        """An object with the metadata that objects have."""
        result = self.object(self.schemas.named[name], 0, fill)
        result.update(apiVersion=api_version, kind=kind)
        metadata = result.setdefault("metadata", {})
        for member in ("managedFields", "uid", "resourceVersion", "generation", "creationTimestamp", "selfLink"):
            metadata.pop(member, None)
        metadata.update(name="x", namespace="n")
        return result

    # Schemas of custom resources.

    def custom_schema(self):
        """The schema of a whole object."""
        return {"type": "object", "properties": {
            "apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"},
            "spec": self.structural(0), "status": self.structural(1)}}

    def structural(self, depth):
        rng, roll = self.rng, self.rng.random()
        if depth == 0 or (depth < 4 and roll < 0.4):
            schema = {"type": "object"}
            shape = rng.random()
            if shape < 0.75 or depth == 0:
                names = ["name", "key"] + WORDS + ["spec", "data", "ports", "conditions"]
                schema["properties"] = {name: self.structural(depth + 1) for name in names if self.chance(0.45)}
                if self.chance(0.12):
                    schema["x-kubernetes-preserve-unknown-fields"] = True
            elif shape < 0.9:
                schema["additionalProperties"] = self.structural(depth + 1)
            elif shape < 0.97:
                schema["x-kubernetes-preserve-unknown-fields"] = True
            if self.chance(0.15):
                schema["x-kubernetes-map-type"] = rng.choice(["atomic", "granular"])
            return schema
        if depth < 4 and roll < 0.65:
            return self.structural_list(depth)
        if roll < 0.72:
            return {"x-kubernetes-int-or-string": True}
        if roll < 0.77:
            return {"x-kubernetes-preserve-unknown-fields": True}
        schema = {"type": rng.choice(["string", "string", "integer", "number", "boolean"])}
        if schema["type"] == "string" and self.chance(0.15):
            schema["format"] = rng.choice(["date-time", "byte"])
        if schema["type"] in ("string", "integer") and self.chance(0.15):
            schema["default"] = rng.choice(WORDS) if schema["type"] == "string" else 7
        if self.chance(0.1):
            schema["nullable"] = True
        return schema

    def structural_list(self, depth):
        shape = self.rng.random()
        if shape < 0.3:
            return {"type": "array", "items": self.structural(depth + 1),
                    "x-kubernetes-list-type": "atomic"} if self.chance(0.5) else {
                        "type": "array", "items": self.structural(depth + 1)}
        if shape < 0.55:
            return {"type": "array", "items": {"type": self.rng.choice(["string", "integer"])},
                    "x-kubernetes-list-type": "set"}
        item = {"type": "object", "properties": {name: self.structural(depth + 2) for name in WORDS}}
        keys = self.rng.choice([["name"], ["name", "port"]])
        item["properties"]["name"] = {"type": "string"}
        item["properties"]["port"] = {"type": "integer", **({"default": 80} if self.chance(0.5) else {})}
        item["required"] = keys
        return {"type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys}

    # JSON patches.

    def pointer(self, document):
        """A path into the document, mostly one that exists."""
        path, at = "", document
        while True:
            if isinstance(at, dict) and at and not (path and self.chance(0.25)):
                key = self.rng.choice(list(at))
                path, at = path + "/" + key.replace("~", "~0").replace("/", "~1"), at[key]
            elif isinstance(at, list) and at and not (path and self.chance(0.25)):
                index = self.rng.randrange(len(at))
                path, at = path + "/%d" % (index if self.chance(0.9) else index - len(at)), at[index]
            else:
                break
        roll = self.rng.random()
        if roll < 0.12:
            path += "/" + self.rng.choice(["x", "0", "-", "-1", "9", "+1", "01", "~0", "a~1b", "", "1e2"])
        elif roll < 0.22 and path:
            path = path.rsplit("/", 1)[0] + "/" + self.rng.choice(WORDS + ["0", "-", "7", "-7", "metadata"])
        elif roll < 0.24:
            path = self.rng.choice(["", "/", "x", "a/b"])
        return path

    def found(self, document, path):
        at = document
        for token in path.split("/")[1:]:
            token = token.replace("~1", "/").replace("~0", "~")
            try:
                at = at[int(token)] if isinstance(at, list) else at[token]
            except (KeyError, ValueError, IndexError, TypeError):
                return None
        return at

    def json_patch(self, document):
        patch = []
        for _ in range(self.rng.choice([1, 1, 1, 2, 3, 5])):
            op = self.rng.choice(["add", "add", "remove", "replace", "replace", "move", "copy", "test"])
            if op == "copy" and any(s.get("value", 0) is None for s in patch):
                op = "move"
            step = {"op": op, "path": self.pointer(document)}
            if op in ("move", "copy"):
                step["from"] = self.pointer(document)
            if op == "test" and self.chance(0.85):
                step["value"] = copy.deepcopy(self.found(document, step["path"]))
            elif op in ("add", "replace", "test") and self.chance(0.97):
                # The reference takes a null that was copied for a map.
                null = self.chance(0.05) and op != "test" and not any(s.get("op") == "copy" for s in patch)
                step["value"] = None if null else self.anything()
            if self.chance(0.02):
                step.pop(self.rng.choice(list(step)))
            if self.chance(0.01):
                step["op"] = "increase"
            patch.append(step)
        return patch

    # Merge patches and strategic ones.

    def merge_patch(self, document, schema, fresh, directives, depth=0):
        """A patch of `document`, which `schema` describes; new values come from `fresh`, another object."""
        rng, patch = self.rng, {}
        members = schema.get("properties", {})
        for name in sorted(set(document) | set(fresh)):
            member = self.schemas.resolve(members.get(name) or schema.get("additionalProperties") or {})
            if isinstance(member, bool):
                member = {}
            old, new = document.get(name), fresh.get(name)
            if not self.chance(0.9 if depth == 0 or name in LIKELY else 0.5):
                continue
            if self.chance(0.08) and depth > 0:
                patch[name] = None
            elif isinstance(old, dict):
                patch[name] = self.merge_patch(old, member, new if isinstance(new, dict) else {}, directives, depth + 1)
            elif isinstance(old, list) and directives:
                self.list_patch(patch, name, old, member, new if isinstance(new, list) else [], depth)
            elif new is not None:
                patch[name] = copy.deepcopy(new)
        if directives and depth > 0:
            self.map_directives(patch, document)
        return patch

    def map_directives(self, patch, document):
        roll = self.rng.random()
        if roll < 0.02:
            patch["$patch"] = self.rng.choice(["replace", "replace", "delete", "merge", "x"])
        elif roll < 0.04:
            keys = [k for k in patch if self.chance(0.97)] + [k for k in document if self.chance(0.5)]
            patch["$retainKeys"] = keys if self.chance(0.97) else "x"
        elif roll < 0.045:
            patch[self.rng.choice(["$setElementOrder", "$deleteFromPrimitiveList", "$setElementOrder/gadgets"])] = ["x"]

    def list_patch(self, patch, name, old, schema, new, depth):
        rng = self.rng
        key = schema.get("x-kubernetes-patch-merge-key")
        inner = self.schemas.resolve(schema.get("items", {}))
        items = []
        if key:
            of_new = {json.dumps(i.get(key)): i for i in new if isinstance(i, dict)}
            for item in old + new:
                if not isinstance(item, dict) or not self.chance(0.6) or key not in item:
                    continue
                mark = {key: item[key]}
                if self.chance(0.15):
                    items.append(dict(mark, **{"$patch": "delete"}))
                elif item in old:
                    items.append(dict(self.merge_patch(item, inner, of_new.get(json.dumps(item[key]), {}), True,
                                                       depth + 1), **mark))
                else:
                    items.append(copy.deepcopy(item))
            seen, unique = set(), []
            for item in items:
                if json.dumps(item[key]) not in seen or self.chance(0.05):
                    unique.append(item)
                seen.add(json.dumps(item[key]))
            items = unique
            if self.chance(0.3):
                rng.shuffle(items)
            if self.chance(0.03):
                items.append(rng.choice([{"$patch": "replace"}, {"$patch": "merge"}, {"x": 1}, "x", {key: "z"},
                                         {"$patch": "delete"}]))
            if self.chance(0.35):
                order = [{key: i[key]} for i in items if isinstance(i, dict) and key in i and
                         i.get("$patch") != "delete"]
                order += [{key: i[key]} for i in old if isinstance(i, dict) and key in i and self.chance(0.6)]
                self.order(patch, name, order)
        else:
            items = [i for i in new + old if self.chance(0.5)]
            if schema.get("x-kubernetes-patch-strategy") == "merge" or self.chance(0.05):
                if self.chance(0.4):
                    gone = [i for i in old + WORDS[:1] if self.chance(0.4)]
                    patch["$deleteFromPrimitiveList/" + name] = gone
                    # The reference does both in random order.
                    items = [i for i in items if i not in gone]
                if self.chance(0.4) and not any(isinstance(i, (dict, list)) for i in items + old):
                    self.order(patch, name, items + [i for i in old if self.chance(0.6)])
        if items or self.chance(0.2):
            patch[name] = items

    def order(self, patch, name, order):
        unique = []
        for item in order:
            if item not in unique:
                unique.append(item)
        if self.chance(0.1):
            self.rng.shuffle(unique)
        if self.chance(0.02):
            unique.append(self.rng.choice(["x", {"x": 1}]))
        patch["$setElementOrder/" + name] = unique

    # Requests of several managers.

    def steps(self, api_version, kind, name):
        rng, steps, base = self.rng, [], self.whole(api_version, kind, name)
        for at in range(rng.choice([1, 2, 3, 4, 6, 14 if self.chance(0.1) else 5])):
            fresh = self.whole(api_version, kind, name)
            step = {"time": "2020-01-01T00:00:%02dZ" % at, "manager": rng.choice(["kubectl", "a", "b", "c", ""])}
            if rng.random() < 0.15:
                step["subresource"] = "status"
                step["reset"] = ["spec"]
            elif self.chance(0.3):
                step["reset"] = ["status"]
            if self.chance(0.5):
                step["apply"] = True
                if self.chance(0.4):
                    step["force"] = True
                step["object"] = self.configuration(base, fresh)
            else:
                step["object"] = self.update(base, fresh, self.schemas.named[name], api_version, kind, at)
                if at > 8:
                    step["manager"] = "m%d" % at
            steps.append(step)
        return steps

    def configuration(self, base, fresh):
        """Part of what all of them share, with some values of its own."""
        config = self.part(base, 0.6)
        if self.chance(0.5):
            self.overlay(config, fresh)
        config.update(apiVersion=base["apiVersion"], kind=base["kind"])
        config.setdefault("metadata", {}).update(name="x", namespace="n")
        if self.chance(0.01):
            config["kind"] = "Gadget"
        if self.chance(0.01):
            config["gadget"] = 1
        if self.chance(0.005):
            config["metadata"]["managedFields"] = []
        return config

    def part(self, value, share):
        if isinstance(value, dict):
            kept = {k: self.part(v, share) for k, v in value.items() if self.chance(share + 0.1 * (k in LIKELY))}
            for key in ("name", "containerPort", "port", "mountPath", "uid", "type", "topologyKey", "protocol", "key"):
                if key in value and key not in kept and self.chance(0.97):
                    kept[key] = value[key]
            return kept
        if isinstance(value, list):
            return [self.part(v, share) for v in value if self.chance(share + 0.1)]
        return value

    def overlay(self, target, fresh):
        for key, value in fresh.items():
            if isinstance(value, dict) and isinstance(target.get(key), dict):
                self.overlay(target[key], value)
            elif self.chance(0.5):
                target[key] = copy.deepcopy(value)

    def update(self, base, fresh, schema, api_version, kind, at):
        if at == 0 or self.chance(0.1):
            patch = copy.deepcopy(base if self.chance(0.5) else fresh)
            if self.chance(0.7):
                patch["metadata"]["uid"] = "u"
            if self.chance(0.4):
                # As kubectl apply leaves it. Order and blanks do not count there.
                patch["metadata"].setdefault("annotations", {})[
                    "kubectl.kubernetes.io/last-applied-configuration"] = json.dumps(self.configuration(base, fresh))
        else:
            patch = self.merge_patch(base, schema, fresh, False)
            for member in ("apiVersion", "kind"):
                patch.pop(member, None)
            metadata = patch.setdefault("metadata", {})
            for member in ("name", "namespace"):
                metadata.pop(member, None)
            if self.chance(0.04):
                metadata["managedFields"] = self.rng.choice([[], [{}], None, [{"operation": "Apply"}], [
                    {"manager": "m", "operation": "Update", "apiVersion": api_version, "fieldsType": "FieldsV1",
                     "fieldsV1": {"f:metadata": {"f:labels": {"f:a": {}, ".": {}}}, "f:spec": {}},
                     "time": "2019-01-01T00:00:00Z"}]])
        return patch

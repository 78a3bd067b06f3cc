"""The tables that the rules read. To allow something new, change a table here and say why in the commit."""

# Which folder of src/ may include which. Arrows point only to what a line names; a folder may include itself.
ARROWS = {
    "base": [],
    "cel": ["base"],
    "api": ["base", "cel"],
    "gpu": ["base", "api"],
    "kube": ["base", "api"],
    "node": ["base", "api", "kube", "gpu"],
    "allocator": ["base", "cel", "api"],
    "report": ["base"],
    "localcluster": ["base", "cel", "api", "gpu", "kube", "allocator", "report"],
    "cli": ["base", "cel", "api", "gpu", "kube", "allocator", "report", "localcluster"],
}

# Third-party headers by prefix, and the files of src/ that may include them. A name ending in "/" is a folder.
# The first match counts, so a longer prefix stands before a shorter one.
THIRD_PARTY = [
    ("boost/json", ["base/json.h", "base/json.cc"]),
    ("boost/unordered/unordered_flat", ["base/flat_map.h"]),
    ("boost/multiprecision", ["base/quantity.cc"]),
    ("boost/beast", ["localcluster/http/http_server.cc"]),
    ("boost/asio", ["localcluster/http/http_server.cc", "localcluster/http/tls_stream.h"]),
    ("sqlite3", ["localcluster/state_file.cc"]),
    ("openssl/", ["localcluster/apiserver/certificate.cc", "localcluster/apiserver/digest.cc",
                  "localcluster/http/tls_stream.h",
                  "bench/apiserver/tls_connection.cc"]),
    ("curl/", ["kube/http/"]),
    ("boost/", []),
    ("simdjson", ["api/"]),
    ("yaml-cpp/", ["base/yaml.cc", "base/yaml_events.cc", "base/yaml_events.h"]),
    ("spdlog/", ["base/log.cc"]),
    ("zstd", ["base/compression.cc"]),
    ("CLI/", ["base/flags.cc", "cli/", "node/command_line.cc"]),
    ("grpcpp/", ["node/kubelet_server.cc", "node/health_server.cc", "*_test"]),
    ("kubelet/", ["node/kubelet_server.cc", "node/health_server.cc", "*_test"]),
    ("re2/", ["api/schema/", "cel/"]),
    ("fmt/", [""]),
    ("tl/", ["base/result.h", "cel/", "kube/api_error.h"]),
    ("gtest/", ["*_test"]),
    ("gmock/", ["*_test"]),
    ("rapidcheck", ["*_test"]),
]

# Prefixes that may stand in headers of the named files; all others only in .cc files.
IN_HEADERS = {
    "boost/json": ["base/json.h"],
    "boost/unordered/unordered_flat": ["base/flat_map.h"],
    "boost/asio": ["localcluster/http/tls_stream.h"],
    "openssl/": ["localcluster/http/tls_stream.h"],
    "yaml-cpp/": ["base/yaml_events.h"],
    "fmt/": [""],
    "tl/": ["base/result.h", "cel/", "kube/api_error.h"],
    "gtest/": ["*_test"],
    "gmock/": ["*_test"],
    "rapidcheck": ["*_test"],
}

# Parts of file and folder names that say nothing about what is inside.
EMPTY_NAMES = ["util", "utils", "utility", "common", "helper", "helpers", "misc", "manager"]

LINE_LENGTH = 120
README_LINES = 60

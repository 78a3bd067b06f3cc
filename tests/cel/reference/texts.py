"""Texts that random expressions are made of: arguments that functions parse, and mistakes of every kind."""

# By what a text argument should look like (see function_table.py). Good ones first, most of them.
ARGUMENTS = {
    "regex": ["a", "^a+$", "[0-9]+", "(a|b)c?", "", ".*", "\\\\d{2,}", "h.l", "(?i)H", "a(", "[", "\\\\pL+", "x*"],
    "number_text": ["1", "-7", "+3", "0", "1.5", "9223372036854775807", "9223372036854775808", "x", "", "1e3", "0x1F",
                    "NaN", "-0.0", " 1", "18446744073709551615", "1_000", "Infinity"],
    "bool_text": ["true", "false", "TRUE", "True", "t", "1", "0", "f", "yes", "", "False", "tRUE"],
    "timestamp_text": ["2023-02-03T23:31:20Z", "1970-01-01T00:00:00Z", "2009-02-13T23:31:30.123456789+05:30",
                       "2024-02-29T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "0001-01-01T00:00:00Z",
                       "2023-13-01T00:00:00Z", "2023-01-01", "x", "2020-12-31T23:59:59.5-08:00",
                       "10000-01-01T00:00:00Z"],
    "duration_text": ["1s", "1h30m", "-2.5s", "100ms", "1us", "0", "1h1m1s1ms1us1ns", "x", "1d", "", "1000000h",
                      "3000000h", ".5s"],
    "quantity_text": ["80Gi", "1", "0", "1500m", "1.5", "-2k", "1e3", "12E", "1Ki", "x", "", "1.5.5", "1K", "100n",
                      "+5", ".5", "1.", "9999999999999999999", "1e", "0.5Ki", "1Pi", "999999999999999999"],
    "semver_text": ["1.2.3", "0.0.1", "1.2.3-alpha.1", "1.2.3+build", "v1.2.3", "1.2", "01.2.3", "x", "",
                    "10.20.30-rc.1+b.2", "1.2.3-01", "1", "1.2.3.4", "18446744073709551615.0.0"],
    "ip_text": ["127.0.0.1", "10.0.0.1", "::1", "fe80::1", "2001:db8::1", "2001:DB8::1", "0.0.0.0", "224.0.0.1",
                "ff02::1", "1.2.3", "::ffff:1.2.3.4", "fe80::1%eth0", "01.2.3.4", "x", "", "169.254.1.1",
                "255.255.255.255", "::"],
    "cidr_text": ["10.0.0.0/8", "10.1.2.3/8", "192.168.0.0/24", "::/0", "2001:db8::/32", "1.2.3.4/33", "1.2.3.4", "x",
                  "0.0.0.0/0", "fe80::1/64", "10.0.0.0/08", "::ffff:1.2.3.4/112"],
    "url_text": ["https://example.com:443/a/b?x=1&y=2&x=3", "http://[::1]:80/p%20q", "/just/path", "https://u:p@h.io/",
                 "x", "", "://", "http://a b", "ftp://h/%zz", "https://example.com?k=v%20w&empty=", "mailto:a@b.c",
                 "HTTP://Host.IO/A"],
    "format_text": ["%s", "%d", "%f", "%e", "%x", "%X", "%o", "%b", "%.2f", "%.3e", "a%%b", "%s-%s", "plain", "%",
                    "%q", "%.1s", "[%s]"],
    "format_name": ["dns1123Label", "uuid", "date", "nope", "", "dns1035Label", "qualifiedName", "labelValue",
                    "datetime"],
    "format_value": ["abc", "a-b", "A_B", "", "-x", "123", "a.b.c", "2024-01-31", "2024-01-31T01:02:03Z", "aGVsbG8=",
                     "123e4567-e89b-12d3-a456-426614174000", "https://x.io/", "example.com/name", "a" * 64],
    "time_zone": ["UTC", "America/New_York", "Asia/Kolkata", "+05:30", "-08:00", "02:00", "nowhere", "",
                  "Europe/Berlin"],
    "domain": ["drv.io", "drv.io", "drv.io", "drv.io", "other.com", "nope.org"],
    "string": ["", "a", "b", "abc", "hello", "H200", "héllo", "日本", "a b c", "tab\\t", "q\\\"q", "x,y,z", "  pad ",
               "AAA", "1", "\\u00e9", "ab" * 20, "😀", "drv.io"],
}

# Messages that are plain values; some hold too much, or are none.
MESSAGES = {
    "int": ["google.protobuf.Int64Value{value: 7}", "google.protobuf.Int32Value{}",
            "google.protobuf.Int32Value{value: 5000000000}",
            "google.protobuf.Int64Value{?value: optional.of(3)}"],
    "uint": ["google.protobuf.UInt64Value{value: 7u}", "google.protobuf.UInt32Value{value: 5000000000u}"],
    "double": ["google.protobuf.DoubleValue{value: 1.5}", "google.protobuf.FloatValue{value: 0.1}"],
    "bool": ["google.protobuf.BoolValue{value: true}", "google.protobuf.BoolValue{}"],
    "string": ['google.protobuf.StringValue{value: "abc"}', "google.protobuf.StringValue{}"],
    "bytes": ["google.protobuf.BytesValue{value: b'abc'}"],
    "timestamp": ["google.protobuf.Timestamp{seconds: 1, nanos: 5}",
                  "google.protobuf.Timestamp{seconds: 999999999999}"],
    "duration": ["google.protobuf.Duration{seconds: 90}", "google.protobuf.Duration{}"],
    "dyn": ["google.protobuf.Value{string_value: \"a\"}", "google.protobuf.Value{}",
            "google.protobuf.Value{number_value: 1.0}"],
}

UNDECLARED = ["google.protobuf.Int64Value{nope: 1}", "google.protobuf.Nope{}", "nope", "a.b.c", "foo(1)", "x.y()",
              "Int", "__x", ".z"]

DEVICE_MISUSES = ["device.nope", "device", "device.driver.x", 'device["driver"]', "has(device.nope)", "device.capacity",
                  "device.attributes.a.b.c"]

MIXED_TYPES = ['[1, "a"]', '{"a": 1, 2: 3}', "[1, 1.0]", 'true ? 1 : "a"', '{"a": 1, "b": "c"}', "[1, null]",
               '[[1], ["a"]]', "1 == 1.0", "1u in [1]", "!1", "-true"]

SYNTAX_ERRORS = ["", "(", ")", "@", "'", "1.", "&", "?", " x ", "[", "}", "\\", "#"]

# The same value by ways on which its type is lost.
DETOURS = [
    "dyn({0})", "dyn(optional.of({0})).value()", "optional.of(dyn({0})).value()", "dyn([{0}])[0]",
    "dyn([{0}]).first().value()", "dyn([{0}]).reverse()[0]", 'dyn({{"a": {0}}}).a', 'dyn({{"a": {0}}}).?a.value()',
    'dyn(optional.of({{"a": {0}}})).a.value()', "[dyn({0})].map(w, w)[0]", "cel.bind(w, dyn({0}), w)",
    "(true ? dyn({0}) : {0})", "dyn(optional.of({0})).orValue({0})", "dyn(optional.of({0}))", "optional.of({0})",
    "[{0}]", "dyn([{0}, {0}]).distinct()[0]", "dyn([[{0}]]).flatten()[0]", "[{0}][?0]", "dyn([{0}]).filter(w, true)[0]",
    "[{0}].filter(w, true)[0]", "dyn([optional.of({0})]).unwrapOpt()[0]", "dyn(optional.none()).orValue({0})",
    "optional.none().or(optional.of(dyn({0}))).value()"]

# Keys that maps seldom have; a key in dyn() may be of any kind.
ODD_KEYS = ["null", "dyn(1.0)", "dyn(1u)", "dyn(1)", "dyn(true)", 'dyn("a")', "dyn(1.5)", 'duration("1s")',
            "timestamp(0)", "[1]", "int", "optional.none()", 'ip("127.0.0.1")', 'cidr("10.0.0.0/8")', 'quantity("1")',
            "{}", "[]", 'url("http://a")', "dyn(device.driver)", "dyn(null)", "optional.of(1)", "device",
            "device.attributes", 'device.capacity["drv.io"]', 'device.capacity["nope.org"]', "[1].first()",
            'quantity("1").add(1)', 'timestamp("2020-01-01T00:00:00+01:30")', 'timestamp("2020-01-01T00:00:00+02:00")',
            'timestamp("2020-01-01T00:00:00+00:00")', 'timestamp("2020-01-01T00:00:00" + "+05:45")']

# Expressions of a type that fail when they run.
FAILING = {
    "int": ["(1 / 0)", "(5 % 0)", "[1, 2][7]", "(9223372036854775807 + 1)", "optional.none().value()",
            '{"a": 1}["b"]', 'quantity("1.5").asInteger()', 'int("x" + "y")', "[0].map(x, 1 / x)[0]",
            'semver("nope").major()'],
    "bool": ["(1 / 0 == 1)", '(device.attributes["drv.io"].i.size() > 0)', '"a".matches("(" + "")', "[true][3]",
             'isIP("" + dyn(1))'],
    "string": ['["a"][4]', '"abc".charAt(9)', '"abc".substring(2, 1)', '"%d".format([dyn("x")])', "string(b'\\xff')"],
    "uint": ["(1u - 2u)", "uint(-1 * 1)", "(1u / 0u)"],
    "double": ['double("x" + "")', "[1.0][2]"],
    "timestamp": ['timestamp("x" + "y")', '(timestamp("9999-12-31T00:00:00Z") + duration("48h"))'],
    "duration": ['duration("x" + "y")', '(duration("2000000h") + duration("2000000h"))'],
    "quantity": ['quantity("nope")', 'device.capacity["drv.io"].missing', 'quantity("")'],
    "semver": ['semver("nope")', 'semver("1.2")'],
    "ip": ['ip("nope")', 'ip("1.2.3")'],
    "cidr": ['cidr("nope")', 'cidr("1.2.3.4/33")'],
    "url": ['url("://")', 'url("nope")'],
}

#include "api/validation.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"

namespace kumiko::api {

namespace {

bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsLetter(char c) {
  return IsLower(c) || (c >= 'A' && c <= 'Z');
}

bool IsDnsLabel(std::string_view text) {
  const auto inner = [](char c) { return IsLower(c) || IsDigit(c) || c == '-'; };
  return !text.empty() && text.front() != '-' && text.back() != '-' && std::all_of(text.begin(), text.end(), inner);
}

bool IsLabelName(std::string_view text) {
  const auto outer = [](char c) { return IsLetter(c) || IsDigit(c); };
  const auto inner = [&](char c) { return outer(c) || c == '-' || c == '_' || c == '.'; };
  return !text.empty() && text.size() <= 63 && outer(text.front()) && outer(text.back()) &&
         std::all_of(text.begin(), text.end(), inner);
}

bool IsDnsSubdomain(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!IsDnsLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool IsCIdentifier(std::string_view text) {
  const auto inner = [](char c) { return IsLetter(c) || IsDigit(c) || c == '_'; };
  return !text.empty() && !IsDigit(text.front()) && std::all_of(text.begin(), text.end(), inner);
}

// As Go's %q writes it.
std::string Quoted(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (c == '\r') {
      text += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += c;
    }
  }
  return text + '"';
}

std::string WithReason(std::string text, std::string_view why) {
  if (!why.empty()) text += fmt::format(": {}", why);
  return text;
}

constexpr std::string_view kNameFormat =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

constexpr std::size_t kMaxAnnotationBytes = 256 * 1024;

bool IsIp(std::string_view text) {
  const std::string copy(text);
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return inet_pton(AF_INET, copy.c_str(), address.data()) == 1 ||
         inet_pton(AF_INET6, copy.c_str(), address.data()) == 1;
}

void ValidateFinalizer(const std::string& name, const FieldPath& path, FieldErrors& errors) {
  if (const std::string reason = CheckQualifiedName(name); !reason.empty()) {
    errors.Invalid(path, name, reason);
  } else if (name.find('/') == std::string::npos && name != "orphan" && name != "foregroundDeletion" &&
             name != "kubernetes") {
    errors.Invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified");
  }
}

}  // namespace

std::string Describe(const std::vector<FieldError>& errors) {
  std::string text;
  for (const FieldError& error : errors) {
    if (!text.empty()) text += "; ";
    if (!error.path.empty()) text += error.path + ": ";
    text += error.message;
  }
  return text;
}

FieldPath FieldPath::Member(std::string_view name) const {
  return FieldPath(text_.empty() ? std::string(name) : text_ + "." + std::string(name));
}
FieldPath FieldPath::Index(std::size_t index) const {
  return FieldPath(fmt::format("{}[{}]", text_, index));
}
FieldPath FieldPath::Key(std::string_view key) const {
  return FieldPath(fmt::format("{}[{}]", text_, key));
}

void FieldErrors::Required(const FieldPath& path, std::string_view why) {
  errors_.push_back({path.text(), WithReason("Required value", why)});
}
void FieldErrors::Invalid(const FieldPath& path, std::string_view value, std::string_view why) {
  errors_.push_back({path.text(), WithReason("Invalid value: " + Quoted(value), why)});
}
void FieldErrors::Invalid(const FieldPath& path, std::int64_t value, std::string_view why) {
  errors_.push_back({path.text(), WithReason(fmt::format("Invalid value: {}", value), why)});
}
void FieldErrors::InvalidJson(const FieldPath& path, const Json* value, std::string_view why) {
  if (value != nullptr && value->is_string()) return Invalid(path, std::string_view(value->get_string()), why);
  errors_.push_back(
      {path.text(), WithReason("Invalid value: " + (value == nullptr ? "null" : WriteJson(*value)), why)});
}
void FieldErrors::Unsupported(const FieldPath& path, std::string_view value,
                              std::span<const std::string_view> allowed) {
  std::string list;
  for (const std::string_view item : allowed) {
    if (!list.empty()) list += ", ";
    list += Quoted(item);
  }
  errors_.push_back({path.text(), fmt::format("Unsupported value: {}: supported values: {}", Quoted(value), list)});
}
void FieldErrors::TooMany(const FieldPath& path, std::size_t count, std::size_t limit) {
  errors_.push_back({path.text(), fmt::format("Too many: {}: must have at most {} items", count, limit)});
}
void FieldErrors::TooLong(const FieldPath& path, std::size_t limit_bytes) {
  errors_.push_back({path.text(), fmt::format("Too long: may not be more than {} bytes", limit_bytes)});
}
void FieldErrors::Duplicate(const FieldPath& path, std::string_view value) {
  errors_.push_back({path.text(), fmt::format("Duplicate value: {}", Quoted(value))});
}
void FieldErrors::DuplicateJson(const FieldPath& path, const Json& value) {
  errors_.push_back({path.text(), fmt::format("Duplicate value: {}", WriteJson(value))});
}
void FieldErrors::NotFound(const FieldPath& path, std::string_view value, std::string_view why) {
  errors_.push_back({path.text(), WithReason("Not found: " + Quoted(value), why)});
}
void FieldErrors::Forbidden(const FieldPath& path, std::string_view why) {
  errors_.push_back({path.text(), fmt::format("Forbidden: {}", why)});
}

std::string_view Field::text() const {
  return value_ != nullptr && value_->is_string() ? std::string_view(value_->get_string()) : std::string_view();
}
std::int64_t Field::number() const {
  return value_ != nullptr && value_->is_int64() ? value_->get_int64() : 0;
}
bool Field::flag() const {
  return value_ != nullptr && value_->is_bool() && value_->get_bool();
}
std::size_t Field::size() const {
  return value_ != nullptr && value_->is_array() ? value_->get_array().size() : 0;
}
Field Field::operator[](std::string_view member) const {
  return {value_ == nullptr ? nullptr : Find(*value_, member), path_.Member(member)};
}
Field Field::operator[](std::size_t index) const {
  return {index < size() ? &value_->get_array()[index] : nullptr, path_.Index(index)};
}
const JsonObject& Field::members() const {
  static const JsonObject nothing;
  return value_ != nullptr && value_->is_object() ? value_->get_object() : nothing;
}

std::string CheckDnsLabel(std::string_view text) {
  if (text.size() > 63) return "must be no more than 63 characters";
  if (!IsDnsLabel(text)) {
    return "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and "
           "end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
           "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
  }
  return "";
}

std::string CheckDnsSubdomain(std::string_view text) {
  if (text.size() > 253) return "must be no more than 253 characters";
  if (!IsDnsSubdomain(text)) {
    return "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
           "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
           "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  }
  return "";
}

std::string CheckQualifiedName(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    if (slash == 0) return "prefix part must be non-empty";
    if (std::string reason = CheckDnsSubdomain(text.substr(0, slash)); !reason.empty()) return "prefix part " + reason;
    text.remove_prefix(slash + 1);
  }
  if (text.empty()) return "name part must be non-empty";
  if (text.size() > 63) return "name part must be no more than 63 characters";
  if (!IsLabelName(text)) return fmt::format("name part {}", kNameFormat);
  return "";
}

std::string CheckLabelValue(std::string_view text) {
  if (text.empty()) return "";
  if (text.size() > 63) return "must be no more than 63 bytes";
  if (IsLabelName(text)) return "";
  return "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
         "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
         "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
}

std::string CheckAttributeName(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view domain = text.substr(0, slash);
    if (domain.size() > 63 || !IsDnsSubdomain(domain)) return "the domain must be a DNS subdomain of at most 63 bytes";
    text.remove_prefix(slash + 1);
  }
  if (!IsCIdentifier(text)) {
    return "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric "
           "characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is "
           "'[A-Za-z_][A-Za-z0-9_]*')";
  }
  if (text.size() > 32) return "must be no more than 32 characters";
  return "";
}

std::string CheckFullAttributeName(std::string_view text) {
  if (text.find('/') == std::string_view::npos) {
    return "a fully qualified name must be a domain and a name separated by a slash";
  }
  return CheckAttributeName(text);
}

std::string CheckPortName(std::string_view text) {
  if (text.size() > 15) return "must be no more than 15 characters";
  const auto inner = [](char c) { return IsLower(c) || IsDigit(c) || c == '-'; };
  if (!std::ranges::all_of(text, inner)) {
    return "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";
  }
  if (std::ranges::none_of(text, IsLower)) return "must contain at least one letter (a-z)";
  if (text.find("--") != std::string_view::npos) return "must not contain consecutive hyphens";
  if (text.front() == '-' || text.back() == '-') return "must not begin or end with a hyphen";
  return "";
}

std::string CheckConfigKey(std::string_view text) {
  if (text.size() > 253) return "must be no more than 253 characters";
  const auto allowed = [](char c) { return IsLetter(c) || IsDigit(c) || c == '-' || c == '_' || c == '.'; };
  if (text.empty() || !std::ranges::all_of(text, allowed)) {
    return "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
           "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
  }
  if (text == ".") return "must not be '.'";
  if (text == "..") return "must not be '..'";
  if (text.starts_with("..")) return "must not start with '..'";
  return "";
}

std::string CheckIp(std::string_view text) {
  return IsIp(text) ? "" : "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
}

std::string CheckCidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view address = text.substr(0, slash);
  const std::int64_t length = slash == std::string_view::npos ? -1 : ParseInt64(text.substr(slash + 1)).value_or(-1);
  const std::int64_t longest = address.find(':') == std::string_view::npos ? 32 : 128;
  if (IsIp(address) && length >= 0 && length <= longest) return "";
  return "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
}

std::string CheckPathSegment(std::string_view text) {
  if (text == "." || text == "..") return fmt::format("may not be '{}'", text);
  for (const char c : {'/', '%'}) {
    if (text.find(c) != std::string_view::npos) return fmt::format("may not contain '{}'", c);
  }
  return "";
}

void CheckFormat(const Field& field, const std::function<std::string(std::string_view)>& check, FieldErrors& errors) {
  if (const std::string reason = check(field.text()); !reason.empty())
    errors.Invalid(field.path(), field.text(), reason);
}

void CheckNotNegative(const Field& field, FieldErrors& errors) {
  if (field.number() < 0) errors.Invalid(field.path(), field.number(), "must be greater than or equal to 0");
}

void CheckPortNumber(const Field& field, FieldErrors& errors) {
  if (field.number() < 1 || field.number() > 65535) {
    errors.Invalid(field.path(), field.number(), "must be between 1 and 65535, inclusive");
  }
}

void CheckOneOf(const Field& field, std::initializer_list<std::string_view> allowed, FieldErrors& errors) {
  if (std::ranges::find(allowed, field.text()) == allowed.end()) {
    errors.Unsupported(field.path(), field.text(), allowed);
  }
}

void CheckLabels(const Field& labels, FieldErrors& errors) {
  for (const auto& [key, value] : labels.members()) {
    if (const std::string reason = CheckQualifiedName(key); !reason.empty()) errors.Invalid(labels.path(), key, reason);
    const std::string_view text = value.is_string() ? std::string_view(value.get_string()) : std::string_view();
    if (const std::string reason = CheckLabelValue(text); !reason.empty()) errors.Invalid(labels.path(), text, reason);
  }
}

bool CheckLabelSelector(const Field& selector, FieldErrors& errors) {
  FieldErrors found;
  CheckLabels(selector["matchLabels"], found);
  const Field expressions = selector["matchExpressions"];
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const Field expression = expressions[i];
    const std::string_view how = expression["operator"].text();
    const Field values = expression["values"];
    if (how == "In" || how == "NotIn") {
      if (values.size() == 0) {
        found.Required(values.path(), "must be specified when `operator` is 'In' or 'NotIn'");
      }
    } else if (how == "Exists" || how == "DoesNotExist") {
      if (values.size() > 0) {
        found.Forbidden(values.path(), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
    } else {
      found.Invalid(expression["operator"].path(), how, "not a valid selector operator");
    }
    CheckFormat(expression["key"], CheckQualifiedName, found);
  }
  const bool good = found.empty();
  for (FieldError& error : found.Take()) errors.Add(std::move(error));
  return good;
}

void CheckCountOrPercent(const Field& field, FieldErrors& errors) {
  if (!field.present()) return;
  if (!field.json()->is_string()) return CheckNotNegative(field, errors);
  const std::string_view text = field.text();
  const std::int64_t number = text.ends_with('%') ? ParseInt64(text.substr(0, text.size() - 1)).value_or(-1) : -1;
  if (number < 0 || !std::ranges::all_of(text.substr(0, text.size() - 1), IsDigit)) {
    errors.Invalid(field.path(), text,
                   "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', "
                   "regex used for validation is '[0-9]+%')");
  } else if (number > 100) {
    errors.Invalid(field.path(), text, "must not be greater than 100%");
  }
}

void ValidateMeta(const ObjectMeta& meta, const FieldPath& path, bool namespaced,
                  const std::function<std::string(std::string_view)>& check_name, FieldErrors& errors) {
  if (!meta.generate_name.empty()) {
    // A hyphen at the end is good: random letters follow.
    std::string base = meta.generate_name;
    if (base.ends_with('-')) base.back() = 'a';
    if (const std::string reason = check_name(base); !reason.empty()) {
      errors.Invalid(path.Member("generateName"), meta.generate_name, reason);
    }
  }
  if (meta.name.empty()) {
    if (meta.generate_name.empty()) errors.Required(path.Member("name"), "name or generateName is required");
  } else if (const std::string reason = check_name(meta.name); !reason.empty()) {
    errors.Invalid(path.Member("name"), meta.name, reason);
  }
  if (namespaced) {
    if (const std::string reason = CheckDnsLabel(meta.namespace_); !meta.namespace_.empty() && !reason.empty()) {
      errors.Invalid(path.Member("namespace"), meta.namespace_, reason);
    }
  } else if (!meta.namespace_.empty()) {
    errors.Forbidden(path.Member("namespace"), "not allowed on this type");
  }
  for (const auto& [key, value] : meta.labels) {
    const FieldPath at = path.Member("labels");
    if (const std::string reason = CheckQualifiedName(key); !reason.empty()) errors.Invalid(at, key, reason);
    if (const std::string reason = CheckLabelValue(value); !reason.empty()) errors.Invalid(at, value, reason);
  }
  std::size_t annotation_bytes = 0;
  for (const auto& [key, value] : meta.annotations) {
    annotation_bytes += key.size() + value.size();
    // Keys of annotations may have capital letters, unlike the domains of labels.
    if (const std::string reason = CheckQualifiedName(ToLower(key)); !reason.empty()) {
      errors.Invalid(path.Member("annotations"), key, reason);
    }
  }
  if (annotation_bytes > kMaxAnnotationBytes) errors.TooLong(path.Member("annotations"), kMaxAnnotationBytes);
  for (std::size_t i = 0; i < meta.finalizers.size(); ++i) {
    ValidateFinalizer(meta.finalizers[i], path.Member("finalizers").Index(i), errors);
  }
}

}  // namespace kumiko::api

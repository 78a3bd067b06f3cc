#include "api/validation.h"

#include <fmt/format.h>

#include <algorithm>

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

// What is quoted back of a value that may be huge or hold control characters.
std::string Quoted(std::string_view value) {
  constexpr std::size_t kShown = 60;
  std::string text = "\"";
  for (const char c : value.substr(0, kShown)) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      text += c;
    }
  }
  text += value.size() > kShown ? "…\"" : "\"";
  return text;
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

void FieldErrors::Required(const FieldPath& path, std::string_view what) {
  errors_.push_back({path.text(), fmt::format("Required value: {}", what)});
}
void FieldErrors::Invalid(const FieldPath& path, std::string_view value, std::string_view why) {
  errors_.push_back({path.text(), fmt::format("Invalid value: {}: {}", Quoted(value), why)});
}
void FieldErrors::Unsupported(const FieldPath& path, std::string_view value,
                              std::initializer_list<std::string_view> allowed) {
  errors_.push_back({path.text(), fmt::format("Unsupported value: {}: supported values: {}", Quoted(value),
                                              fmt::join(allowed, ", "))});
}
void FieldErrors::TooMany(const FieldPath& path, std::size_t count, std::size_t limit) {
  errors_.push_back({path.text(), fmt::format("Too many: {}: must have at most {} items", count, limit)});
}
void FieldErrors::Duplicate(const FieldPath& path, std::string_view value) {
  errors_.push_back({path.text(), fmt::format("Duplicate value: {}; each must be different", Quoted(value))});
}
void FieldErrors::Forbidden(const FieldPath& path, std::string_view why) {
  errors_.push_back({path.text(), fmt::format("Forbidden: {}", why)});
}

std::string CheckDnsLabel(std::string_view text) {
  if (text.size() > 63) return "must be no more than 63 characters";
  if (!IsDnsLabel(text)) {
    return "must consist of lower case letters, digits or '-', and start and end with a letter or digit (such as "
           "'my-name' or '123-abc')";
  }
  return "";
}

std::string CheckDnsSubdomain(std::string_view text) {
  if (text.size() > 253) return "must be no more than 253 characters";
  if (!IsDnsSubdomain(text)) {
    return "must consist of lower case letters, digits, '-' or '.', and start and end with a letter or digit (such as "
           "'gpu.example.com')";
  }
  return "";
}

std::string CheckQualifiedName(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    if (std::string reason = CheckDnsSubdomain(text.substr(0, slash)); !reason.empty()) return "prefix " + reason;
    text.remove_prefix(slash + 1);
  }
  if (!IsLabelName(text)) {
    return "name part must consist of letters, digits, '-', '_' or '.', at most 63, starting and ending with a letter "
           "or digit (such as 'example.com/my-name')";
  }
  return "";
}

std::string CheckLabelValue(std::string_view text) {
  if (text.empty() || IsLabelName(text)) return "";
  return "must be empty or consist of letters, digits, '-', '_' or '.', at most 63, starting and ending with a letter "
         "or digit (such as 'my-value')";
}

std::string CheckAttributeName(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view domain = text.substr(0, slash);
    if (domain.size() > 63 || !IsDnsSubdomain(domain)) return "the domain must be a DNS subdomain of at most 63 bytes";
    text.remove_prefix(slash + 1);
  }
  if (text.size() > 32 || !IsCIdentifier(text)) {
    return "must be a C identifier of at most 32 characters, with a domain before it if it is not the driver's (such "
           "as 'gpu.nvidia.com/profile')";
  }
  return "";
}

std::string CheckFullAttributeName(std::string_view text) {
  if (text.find('/') == std::string_view::npos) {
    return "must include a domain; write the driver before it, such as 'gpu.nvidia.com/" +
           std::string(text.substr(0, 32)) + "'";
  }
  return CheckAttributeName(text);
}

void ValidateMeta(const ObjectMeta& meta, const FieldPath& path, bool namespaced,
                  const std::function<std::string(std::string_view)>& check_name, FieldErrors& errors) {
  if (meta.name.empty() && meta.generate_name.empty()) {
    errors.Required(path.Member("name"), "name or generateName is required");
  }
  if (!meta.name.empty()) {
    if (const std::string reason = check_name(meta.name); !reason.empty()) {
      errors.Invalid(path.Member("name"), meta.name, reason);
    }
  }
  if (namespaced) {
    if (const std::string reason = CheckDnsLabel(meta.namespace_); !meta.namespace_.empty() && !reason.empty()) {
      errors.Invalid(path.Member("namespace"), meta.namespace_, reason);
    }
  } else if (!meta.namespace_.empty()) {
    errors.Forbidden(path.Member("namespace"), "not allowed on this type, which is cluster-scoped; remove it");
  }
  for (const auto& [key, value] : meta.labels) {
    const FieldPath at = path.Member("labels").Key(key);
    if (const std::string reason = CheckQualifiedName(key); !reason.empty()) errors.Invalid(at, key, reason);
    if (const std::string reason = CheckLabelValue(value); !reason.empty()) errors.Invalid(at, value, reason);
  }
  for (const auto& [key, value] : meta.annotations) {
    if (const std::string reason = CheckQualifiedName(key); !reason.empty()) {
      errors.Invalid(path.Member("annotations").Key(key), key, reason);
    }
  }
}

}  // namespace kumiko::api

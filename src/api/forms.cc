#include "api/forms.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "api/defaults.h"
#include "base/check.h"
#include "base/compression.h"
#include "base/flat_map.h"
#include "base/quantity.h"
#include "base/text.h"

namespace kumiko::api {

namespace internal {
// The text as the program carries it; written by embed_compressed.cmake.
std::string_view CompressedForms();
}  // namespace internal

namespace {

using Empty = FormMember::Empty;
using Leaf = FormMember::Leaf;

constexpr std::size_t kMaxTableBytes = 1 << 20;

constexpr std::pair<std::string_view, Leaf> kLeaves[] = {
    {"string", Leaf::kString},     {"int", Leaf::kInteger},        {"number", Leaf::kNumber}, {"bool", Leaf::kBool},
    {"quantity", Leaf::kQuantity}, {"intstr", Leaf::kIntOrString}, {"time", Leaf::kTime},     {"any", Leaf::kAny},
};

constexpr std::pair<char, Empty> kMarks[] = {
    {'+', Empty::kWritten}, {'-', Empty::kLeftOut}, {'*', Empty::kKept}, {'~', Empty::kNull}};

class FormTable {
 public:
  FormTable() : text_(*Decompress(internal::CompressedForms(), kMaxTableBytes)) {
    Form* current = nullptr;
    for (const std::string_view line : Split(text_, '\n')) {
      if (line.empty()) continue;
      if (line.front() != ' ') {
        current = Named(line);
      } else {
        current->members.push_back(ReadMember(line.substr(1)));
      }
    }
    for (Form& form : forms_) std::ranges::sort(form.members, {}, &FormMember::name);
    AddDefaults();
    for (Form& form : forms_) {
      for (std::size_t i = 0; i < form.members.size(); ++i) {
        const FormMember& member = form.members[i];
        const bool written = member.empty == Empty::kWritten || member.empty == Empty::kNull;
        if (written || !member.default_value.is_null()) form.filled.push_back(i);
      }
    }
  }

  const Form* Find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  Form* Named(std::string_view name) {
    const auto [at, added] = by_name_.try_emplace(std::string(name), nullptr);
    if (added) {
      at->second = &forms_.emplace_back();
      at->second->name = name;
    }
    return at->second;
  }

  // "+ containers []Container"
  FormMember ReadMember(std::string_view line) {
    FormMember member;
    const auto mark = std::ranges::find(kMarks, line.front(), &std::pair<char, Empty>::first);
    KU_CHECK(mark != std::end(kMarks)) << line;
    member.empty = mark->second;
    const std::size_t blank = line.find(' ', 2);
    member.name = line.substr(2, blank - 2);
    std::string_view type = line.substr(blank + 1);
    const std::size_t nesting = type.find_first_not_of("[]{}");
    member.nesting = type.substr(0, nesting);
    type.remove_prefix(nesting);
    const auto leaf = std::ranges::find(kLeaves, type, &std::pair<std::string_view, Leaf>::first);
    if (leaf != std::end(kLeaves)) {
      member.leaf = leaf->second;
    } else {
      member.leaf = Leaf::kStruct;
      member.form = Named(type);
    }
    return member;
  }

  void AddDefaults() {
    for (const ConstantDefault& row : ConstantDefaults()) {
      const auto form = by_name_.find(row.type);
      KU_CHECK(form != by_name_.end()) << "no form has the name " << row.type;
      const auto member = std::ranges::find(form->second->members, row.member, &FormMember::name);
      KU_CHECK(member != form->second->members.end()) << row.type << " has no member " << row.member;
      member->default_value = ParseJson(row.value).value();
    }
    for (const auto& group : {CoreDefaults(), AppsDefaults(), BatchDefaults(), ResourceDefaults(), OtherDefaults()}) {
      for (const DependentDefaults& row : group) {
        const auto form = by_name_.find(row.type);
        KU_CHECK(form != by_name_.end()) << "no form has the name " << row.type;
        form->second->before = row.write;
      }
    }
  }

  std::string text_;  // names borrow from it
  std::deque<Form> forms_;
  StringFlatMap<Form*> by_name_;
};

Json ZeroOf(const FormMember& member) {
  if (!member.nesting.empty() || member.empty == Empty::kNull) return nullptr;
  switch (member.leaf) {
    case Leaf::kStruct:
      return JsonObject();
    case Leaf::kString:
      return "";
    case Leaf::kInteger:
    case Leaf::kNumber:
    case Leaf::kIntOrString:
      return 0;
    case Leaf::kBool:
      return false;
    case Leaf::kQuantity:
      return "0";
    case Leaf::kTime:
    case Leaf::kAny:
      return nullptr;
  }
  return nullptr;
}

bool IsZero(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return true;
    case boost::json::kind::bool_:
      return !value.get_bool();
    case boost::json::kind::int64:
      return value.get_int64() == 0;
    case boost::json::kind::uint64:
      return value.get_uint64() == 0;
    case boost::json::kind::double_:
      return value.get_double() == 0;
    case boost::json::kind::string:
      return value.get_string().empty();
    case boost::json::kind::array:
      return value.get_array().empty();
    case boost::json::kind::object:
      return value.get_object().empty();
  }
  return false;
}

// "0.5" and 0.5 are "500m".
void WriteQuantity(Json& value) {
  if (!value.is_string() && !value.is_number()) return;
  const Result<Quantity> parsed =
      value.is_string() ? Quantity::Parse(std::string_view(value.get_string())) : Quantity::Parse(WriteJson(value));
  if (parsed) value = parsed->ToString();
}

void CompleteNested(const FormMember& member, std::string_view nesting, Json& value) {
  if (nesting.starts_with('[')) {
    if (JsonArray* list = value.if_array()) {
      for (Json& item : *list) CompleteNested(member, nesting.substr(2), item);
    }
  } else if (nesting.starts_with('{')) {
    if (JsonObject* map = value.if_object()) {
      for (auto& item : *map) CompleteNested(member, nesting.substr(2), item.value());
    }
  } else if (member.leaf == Leaf::kStruct) {
    if (JsonObject* object = value.if_object()) Complete(*member.form, *object);
  } else if (member.leaf == Leaf::kQuantity) {
    WriteQuantity(value);
  }
}

// Whether lists and maps of the member hold anything to complete.
bool IsPlain(const FormMember& member) {
  return member.leaf != Leaf::kStruct && member.leaf != Leaf::kQuantity;
}

bool IsPresent(const FormMember& member, const Json& value) {
  if (value.is_null()) return false;
  if (member.empty == Empty::kKept || member.empty == Empty::kNull) return true;
  const bool is_struct = member.leaf == Leaf::kStruct && member.nesting.empty();
  return is_struct || !IsZero(value);
}

}  // namespace

const Form* FormOf(std::string_view group, std::string_view kind) {
  static const FormTable table;
  if (group.empty()) return table.Find(kind);
  std::string name(group.substr(0, group.find('.')));
  name += '.';
  name += kind;
  return table.Find(name);
}

JsonObject EmptyObject(const Form& form) {
  JsonObject object;
  for (const FormMember& member : form.members) {
    if (member.empty != FormMember::Empty::kWritten) continue;
    const bool is_struct = member.leaf == Leaf::kStruct && member.nesting.empty();
    object[member.name] = is_struct ? Json(EmptyObject(*member.form)) : ZeroOf(member);
  }
  return object;
}

void Complete(const Form& form, JsonObject& object) {
  if (form.before != nullptr) form.before(object);
  constexpr std::size_t kMaxMembers = 64;  // of any Go struct that is served; PodSpec has the most
  KU_CHECK(form.members.size() <= kMaxMembers) << form.name;
  std::uint64_t present = 0;
  std::vector<std::string> dropped;
  for (auto& item : object) {
    const std::string_view key = item.key();
    const auto member = std::ranges::lower_bound(form.members, key, {}, &FormMember::name);
    if (member == form.members.end() || member->name != key) continue;
    if (!IsPresent(*member, item.value())) {
      dropped.emplace_back(key);
      continue;
    }
    present |= std::uint64_t{1} << static_cast<std::size_t>(member - form.members.begin());
    if (!IsPlain(*member)) CompleteNested(*member, member->nesting, item.value());
  }
  for (const std::string& name : dropped) object.stable_erase(name);
  for (const std::size_t index : form.filled) {
    if ((present >> index & 1) != 0) continue;
    const FormMember& member = form.members[index];
    Json& value = object[member.name];
    value = member.default_value.is_null() ? ZeroOf(member) : member.default_value;
    if (!IsPlain(member)) CompleteNested(member, member.nesting, value);
  }
}

}  // namespace kumiko::api

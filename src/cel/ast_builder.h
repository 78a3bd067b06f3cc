// Adds nodes to a tree, children first.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cel/ast.h"

namespace kumiko::cel {

// Where a node stands in the source. What a macro makes stands where the macro's call does.
struct Extent {
  std::uint32_t position = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

class AstBuilder {
 public:
  Ast& ast() { return ast_; }
  Expr& At(ExprId id) { return ast_.nodes[id]; }

  std::string_view Own(std::string text) { return ast_.text.emplace_back(std::move(text)); }

  ExprId Literal(const Extent& at, cel::Literal value) {
    Expr expr = Node(ExprKind::kLiteral, at);
    expr.literal = value;
    return Add(std::move(expr));
  }
  ExprId Identifier(const Extent& at, std::string_view name, bool absolute = false) {
    Expr expr = Node(ExprKind::kIdentifier, at);
    expr.name = name;
    expr.absolute = absolute;
    return Add(std::move(expr));
  }
  ExprId Select(const Extent& at, ExprId operand, std::string_view name) {
    Expr expr = Node(ExprKind::kSelect, at);
    expr.operand = operand;
    expr.name = name;
    return Add(std::move(expr));
  }
  ExprId Call(const Extent& at, std::string_view name, std::span<const ExprId> args, ExprId operand = kNoExpr,
              bool absolute = false) {
    Expr expr = Node(ExprKind::kCall, at);
    expr.name = name;
    expr.operand = operand;
    expr.absolute = absolute;
    return Add(std::move(expr), args);
  }
  ExprId Call(const Extent& at, std::string_view name, std::initializer_list<ExprId> args, ExprId operand = kNoExpr) {
    return Call(at, name, std::span(args.begin(), args.size()), operand);
  }
  // Lists, maps, chains and conditionals.
  ExprId Group(ExprKind kind, const Extent& at, std::span<const ExprId> args) { return Add(Node(kind, at), args); }
  ExprId Group(ExprKind kind, const Extent& at, std::initializer_list<ExprId> args = {}) {
    return Group(kind, at, std::span(args.begin(), args.size()));
  }
  ExprId Fold(const Extent& at, const Comprehension& comprehension) {
    Expr expr = Node(ExprKind::kComprehension, at);
    expr.comprehension = static_cast<std::uint32_t>(ast_.comprehensions.size());
    ast_.comprehensions.push_back(comprehension);
    return Add(std::move(expr));
  }
  // The same tree again. As in the reference, names of struct fields stand at `at` and all else where it stood.
  // kNoExpr, or a tree with holes, when too much has been copied: every optMap doubles what is before it, so that a
  // short text could ask for any number of nodes. See `exhausted`.
  ExprId Copy(ExprId id, const Extent& at);
  bool exhausted() const { return copied_ > kMaxCopied; }

 private:
  static constexpr std::size_t kMaxCopied = 20'000;
  static Expr Node(ExprKind kind, const Extent& at) {
    Expr expr;
    expr.kind = kind;
    expr.position = at.position;
    expr.begin = at.begin;
    expr.end = at.end;
    return expr;
  }
  ExprId Add(Expr expr, std::span<const ExprId> args = {}) {
    expr.first_arg = static_cast<std::uint32_t>(ast_.children.size());
    expr.arg_count = static_cast<std::uint32_t>(args.size());
    ast_.children.insert(ast_.children.end(), args.begin(), args.end());
    ast_.optional.resize(ast_.children.size(), false);
    ast_.nodes.push_back(std::move(expr));
    return static_cast<ExprId>(ast_.nodes.size() - 1);
  }

  Ast ast_;
  std::size_t copied_ = 0;
};

}  // namespace kumiko::cel

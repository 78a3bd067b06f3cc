// Any bytes into the parser, with every macro and without.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cel/parser.h"
#include "cel/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!kumiko::cel::IsValidUtf8(text)) return 0;
#ifdef KUMIKO_PLANT_CRASH
  // For the test of the fuzzer: it must find this.
  if (text.find(")?(") != std::string_view::npos) std::abort();
#endif
  for (const bool macros : {true, false}) {
    kumiko::cel::ParseOptions options;
    options.macros = macros;
    const auto ast = kumiko::cel::Parse(text, options);
    // What the tree says of itself must hold.
    if (ast && (ast->root >= ast->nodes.size() || ast->children.size() != ast->optional.size())) std::abort();
    if (!ast && (ast.error().empty() || ast.error().front().message.empty())) std::abort();
  }
  return 0;
}

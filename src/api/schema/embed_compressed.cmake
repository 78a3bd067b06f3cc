# cmake -DINPUT=a -DOUTPUT=x.cc -DNAME=Name -DNAMESPACE=n -P embed_compressed.cmake
# Writes `std::string_view NAME()`, which returns the input, compressed by Zstandard.
file(ARCHIVE_CREATE OUTPUT ${OUTPUT}.zst PATHS ${INPUT} FORMAT raw COMPRESSION Zstd COMPRESSION_LEVEL 9)
file(READ ${OUTPUT}.zst bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes ${bytes})
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes ${bytes})
file(WRITE ${OUTPUT} "// Written by embed_compressed.cmake.
#include <string_view>

namespace ${NAMESPACE} {
namespace {
const unsigned char kBytes[] = {
${bytes}};
}  // namespace
std::string_view ${NAME}();
std::string_view ${NAME}() {
  return {reinterpret_cast<const char*>(kBytes), sizeof kBytes};
}
}  // namespace ${NAMESPACE}
")

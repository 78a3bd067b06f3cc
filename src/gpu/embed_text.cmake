# cmake -DINPUTS=a;b -DOUTPUT=x.cc -DNAMESPACE=n -P embed_text.cmake
# Writes each input as `extern const std::string_view k<CamelCaseName>` (k + file name without extension).
set(body "// Written by embed_text.cmake from data/.\n#include <string_view>\n\nnamespace ${NAMESPACE} {\n")
foreach(input IN LISTS INPUTS)
  get_filename_component(stem ${input} NAME_WE)
  string(REPLACE "-" ";" words ${stem})
  set(name k)
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND name ${first}${rest})
  endforeach()
  # Brackets and semicolons are list syntax to CMake, so the text goes in as it is and is never treated as a list.
  file(READ ${input} text)
  string(APPEND body "extern const std::string_view ${name};\nconst std::string_view ${name} = R\"KUDATA(${text})KUDATA\";\n")
endforeach()
string(APPEND body "}  // namespace ${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${body}")

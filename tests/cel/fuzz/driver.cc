// Runs an LLVMFuzzerTestOneInput without libFuzzer, so that GCC builds it: mutates a corpus and keeps what reaches new
// code (when the engine is built with -fsanitize-coverage=trace-pc, CMake option KUMIKO_FUZZ).
//
//   FUZZER [--seconds N] [--seed N] [--corpus FILE] [--save FOLDER] [--replay FILE]
//
// The corpus has one input a line. An input that crashes, or takes longer than a second, is saved and ends the run with
// status 1; --replay runs one such file.
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// Of AddressSanitizer, when it is there.
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMaxSize = 4096;
constexpr double kSlowMs = 1000;
constexpr unsigned kHangSeconds = 20;

std::array<std::uint8_t, 1U << 16U> edges_now;   // reached by this input
std::array<std::uint8_t, 1U << 16U> edges_seen;  // reached by any
std::string current;
std::string save_path;

// Only calls that are safe in signal handlers.
void SaveCurrent() {
  FILE* file = std::fopen(save_path.c_str(), "wb");
  if (file == nullptr) return;
  std::fwrite(current.data(), 1, current.size(), file);
  std::fclose(file);
  std::fprintf(stderr, "saved %s (%zu bytes): %.*s\n", save_path.c_str(), current.size(),
               static_cast<int>(std::min<std::size_t>(current.size(), 300)), current.data());
}

void OnSignal(int signal) {
  std::fprintf(stderr, "signal %d%s\n", signal, signal == SIGALRM ? ": the input does not end" : "");
  SaveCurrent();
  _exit(1);
}

void CatchCrashes() {
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(SaveCurrent);
  for (const int signal : {SIGABRT, SIGALRM, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) {
    if (__sanitizer_set_death_callback != nullptr && signal != SIGALRM && signal != SIGABRT) continue;
    std::signal(signal, OnSignal);
  }
}

// Whether the input reached code that none before it did.
bool Run(const std::string& input) {
  current = input;
  edges_now.fill(0);
  alarm(kHangSeconds);
  // Of this process: on a machine with much else to do every input takes long.
  const std::clock_t start = std::clock();
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
  const double took_ms = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  alarm(0);
  if (took_ms > kSlowMs) {
    fmt::print(stderr, "slow: {:.0f} ms\n", took_ms);
    SaveCurrent();
    std::exit(1);
  }
  bool reached = false;
  for (std::size_t i = 0; i < edges_now.size(); ++i) {
    if (edges_now[i] != 0 && edges_seen[i] == 0) {
      edges_seen[i] = 1;
      reached = true;
    }
  }
  return reached;
}

constexpr std::string_view kTokens[] = {
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "?",
    ".",
    ".?",
    "[?",
    " && ",
    " || ",
    "!",
    "-",
    "+",
    "*",
    "/",
    "%",
    "==",
    "!=",
    "<",
    "<=",
    " in ",
    "true",
    "null",
    "0",
    "1u",
    "1.5e3",
    "0xFF",
    "'",
    "\"",
    "\"\"\"",
    "\\",
    "\\u00e9",
    "\\x41",
    "\\101",
    "\xc3\xa9",
    "b'\\xff'",
    "r\"",
    "//",
    "\n",
    "`",
    "has(",
    ".all(x, ",
    ".exists(x, ",
    ".map(x, ",
    ".filter(x, ",
    ".exists_one(x, ",
    ".transformMap(k, v, ",
    ".transformList(k, v, ",
    "cel.bind(x, ",
    ".optMap(x, ",
    ".sortBy(x, ",
    "x",
    "device",
    ".attributes",
    "[\"d\"]",
    ".capacity",
    "quantity(\"1Gi\")",
    "semver(\"1.2.3\")",
    "optional.of(",
    "optional.none()",
    ".orValue(",
    ".value()",
    "dyn(",
    "int(",
    "string(",
    "type(",
    "timestamp(\"2024-01-01T00:00:00Z\")",
    "duration(\"1h\")",
    ".format([",
    ".matches(\"",
    ".replace(",
    ".split(",
    ".join(",
    ".size()",
    ".sum()",
    ".sort()",
    ".flatten(",
    "lists.range(",
    "sets.contains(",
    "ip(\"::1\")",
    "cidr(\"10.0.0.0/8\")",
    "url(\"http://a/b\")",
    "format.named(\"uuid\")",
    ".validate(",
    "9223372036854775807",
    "18446744073709551615u",
};

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::size_t Below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  std::string Mutate(const std::vector<std::string>& corpus) {
    std::string text = corpus[Below(corpus.size())];
    for (std::size_t n = 1 + Below(5); n > 0; --n) MutateOnce(text, corpus);
    if (text.size() > kMaxSize) text.resize(kMaxSize);
    return text;
  }

 private:
  void MutateOnce(std::string& text, const std::vector<std::string>& corpus) {
    const std::size_t at = Below(text.size() + 1);
    switch (Below(9)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ static_cast<char>(1U << Below(8)));
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(Below(256)));
        break;
      case 2:
        text.erase(at, 1 + Below(8));
        break;
      case 3:
      case 4:
        text.insert(at, kTokens[Below(std::size(kTokens))]);
        break;
      case 5: {  // a piece of another input
        const std::string& other = corpus[Below(corpus.size())];
        const std::size_t begin = Below(other.size());
        text.insert(at, other, begin, 1 + Below(other.size() - begin));
        break;
      }
      case 6: {  // one of its own pieces again, some times
        const std::string piece = text.substr(at, 1 + Below(12));
        for (std::size_t n = Below(Below(10) == 0 ? 300 : 4); n > 0 && text.size() < kMaxSize; --n) {
          text.insert(at, piece);
        }
        break;
      }
      case 7: {  // in brackets
        static constexpr std::pair<std::string_view, std::string_view> kPairs[] = {
            {"(", ")"}, {"[", "]"}, {"dyn(", ")"}, {"{1: ", "}"}, {"[1].map(x, ", ")"}, {"!(", ")"}};
        const auto& [open, close] = kPairs[Below(std::size(kPairs))];
        text.insert(at + Below(text.size() - at + 1), close);
        text.insert(at, open);
        break;
      }
      default:
        text.resize(at);
        break;
    }
  }

  std::mt19937_64 random_;
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    fmt::print(stderr, "{}: cannot be read\n", path);
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> ReadCorpus(const std::string& path) {
  std::vector<std::string> inputs;
  std::string line;
  for (const char byte : ReadFile(path) + "\n") {
    if (byte != '\n') {
      line += byte;
    } else if (!line.empty()) {
      inputs.push_back(std::move(line));
      line.clear();
    }
  }
  return inputs;
}

// That of the commit in CI, so that the same commit is asked the same; else another each time.
std::uint64_t FirstSeed() {
  if (const char* seed = std::getenv("KUMIKO_SEED")) return std::strtoull(seed, nullptr, 10);
  return static_cast<std::uint64_t>(SteadyClock::now().time_since_epoch().count());
}

struct Options {
  int seconds = 10;
  std::uint64_t seed = FirstSeed();
  std::string corpus;
  std::string save = ".";
  std::string replay;
};

Options ReadOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--seconds") options.seconds = std::stoi(value);
    if (name == "--seed") options.seed = std::stoull(value);
    if (name == "--corpus") options.corpus = value;
    if (name == "--save") options.save = value;
    if (name == "--replay") options.replay = value;
  }
  return options;
}

}  // namespace

// Called at every branch of instrumented code.
extern "C" __attribute__((no_sanitize_coverage, no_sanitize("address"), no_sanitize("undefined"))) void
__sanitizer_cov_trace_pc() {
  static thread_local std::uintptr_t previous = 0;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  edges_now[(here ^ previous) & 0xFFFFU] = 1;
  previous = here >> 1U;
}

int main(int argc, char** argv) {
  const Options options = ReadOptions(argc, argv);
  save_path = fmt::format("{}/crash-{}", options.save, options.seed);
  CatchCrashes();
  if (!options.replay.empty()) {
    save_path = "/dev/null";
    Run(ReadFile(options.replay));
    fmt::print("{}: no crash\n", options.replay);
    return 0;
  }

  fmt::print("seed {} (replay: --seed {})\n", options.seed, options.seed);
  std::fflush(stdout);
  std::vector<std::string> corpus = {"true"};
  if (!options.corpus.empty()) corpus = ReadCorpus(options.corpus);
  const std::size_t given = corpus.size();
  for (std::size_t i = 0; i < given; ++i) Run(corpus[i]);
  Mutator mutator(options.seed);
  const auto end = SteadyClock::now() + std::chrono::seconds(options.seconds);
  std::uint64_t runs = 0;
  for (; SteadyClock::now() < end; ++runs) {
    std::string input = mutator.Mutate(corpus);
    if (Run(input)) corpus.push_back(std::move(input));
  }
  fmt::print("{} inputs of the corpus and {} mutated ones ran, {} of them reached new code\n", given, runs,
             corpus.size() - given);
  return 0;
}

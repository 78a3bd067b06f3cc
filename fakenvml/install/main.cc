// fakenvml: installs simulated boards, says what is on them, breaks them.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "fakenvml/control_text.h"
#include "fakenvml/install/board_file.h"
#include "fakenvml/install/driver_root.h"
#include "fakenvml/install/hang_mount.h"
#include "fakenvml/install/report.h"
#include "fakenvml/state_map.h"

namespace {

using kumiko::Code;
using kumiko::Fail;
using kumiko::Status;
namespace fakenvml = kumiko::fakenvml;

constexpr std::string_view kUsage =
    "fakenvml install BOARDS.yaml ROOT [--node NAME] [--library-folder FOLDER] [--plain-devices]\n"
    "    lays out a simulated driver below ROOT; --plain-devices makes ordinary files where root would make devices\n"
    "fakenvml control ROOT FILE    checks a control file (- for standard input) and puts it in place\n"
    "fakenvml show ROOT            prints boards and instances as JSON\n"
    "fakenvml hang-mount ROOT      makes calls that hang for good unkillable, until it is ended; needs root, "
    "/dev/fuse\n";

struct Arguments {
  std::vector<std::string> positional;
  std::string node;
  std::string library_folder = "usr/lib/x86_64-linux-gnu";
  bool plain_devices = false;
};

kumiko::Result<Arguments> ReadArguments(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const bool takes_value = word == "--node" || word == "--library-folder";
    if (takes_value && i + 1 == count) return Fail(Code::kInvalidArgument, "{} needs a value", word);
    if (word == "--node") {
      arguments.node = words[++i];
    } else if (word == "--library-folder") {
      arguments.library_folder = words[++i];
    } else if (word == "--plain-devices") {
      arguments.plain_devices = true;
    } else if (word.starts_with("--")) {
      return Fail(Code::kInvalidArgument, "unknown option {}", word);
    } else {
      arguments.positional.push_back(word);
    }
  }
  return arguments;
}

// The folder below `root` that holds the state file.
kumiko::Result<std::string> FindLibraries(const std::string& root) {
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root, error)) {
    if (!entry.is_directory(error)) continue;
    if (fakenvml::FindStateFile(entry.path().string())) return entry.path().string();
  }
  return Fail(Code::kNotFound, "{}: no simulated driver here; run fakenvml install", root);
}

Status Install(const Arguments& arguments) {
  const std::string& path = arguments.positional[1];
  KU_TRY(const std::string text, kumiko::ReadFile(path));
  KU_TRY(const auto boards, fakenvml::ReadBoardFile(text, path, arguments.node));
  fakenvml::InstallOptions options;
  options.root = arguments.positional[2];
  options.library_folder = arguments.library_folder;
  options.programs = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "fakenvml/driver";
  if (arguments.plain_devices) options.device_nodes = fakenvml::DeviceNodes::kPlain;
  return fakenvml::InstallDriver(boards, options);
}

Status Control(const Arguments& arguments) {
  KU_TRY(const std::string folder, FindLibraries(arguments.positional[1]));
  const std::string& path = arguments.positional[2];
  KU_TRY(const std::string text, path == "-" ? kumiko::ReadStandardInput() : kumiko::ReadFile(path));
  const auto map = fakenvml::StateMap::Open(*fakenvml::FindStateFile(folder));
  if (!map) return Fail(Code::kUnavailable, "{}: the state file cannot be read", folder);
  const auto parsed = fakenvml::ParseControl(text, map->gpu_count);
  if (!parsed.error.empty()) return Fail(Code::kInvalidArgument, "{}: {}", path, parsed.error);
  return kumiko::WriteFileAtomically(fakenvml::ControlFilePath(folder), text);
}

Status Show(const Arguments& arguments) {
  KU_TRY(const std::string folder, FindLibraries(arguments.positional[1]));
  std::string why;
  const auto map = fakenvml::StateMap::Open(*fakenvml::FindStateFile(folder), &why);
  if (!map) return Fail(Code::kUnavailable, "{}", why);
  fmt::print("{}\n", fakenvml::Report(*map));
  return {};
}

Status HangMount(const Arguments& arguments) {
  KU_TRY(const std::string folder, FindLibraries(arguments.positional[1]));
  return fakenvml::ServeHangs(fakenvml::HangFolder(folder));
}

Status Run(int count, char** words) {
  KU_TRY(const Arguments arguments, ReadArguments(count, words));
  const auto is = [&](std::string_view command, std::size_t size) {
    return arguments.positional.size() == size && arguments.positional[0] == command;
  };
  if (is("install", 3)) return Install(arguments);
  if (is("control", 3)) return Control(arguments);
  if (is("show", 2)) return Show(arguments);
  if (is("hang-mount", 2)) return HangMount(arguments);
  return Fail(Code::kInvalidArgument, "usage:\n{}", kUsage);
}

}  // namespace

int main(int argc, char** argv) {
  const Status status = Run(argc, argv);
  if (status) return 0;
  fmt::print(stderr, "fakenvml: {}\n", status.error().message);
  return status.error().code == Code::kInvalidArgument ? 1 : 2;
}

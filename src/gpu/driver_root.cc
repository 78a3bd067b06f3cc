#include "gpu/driver_root.h"

#include <array>
#include <filesystem>
#include <span>
#include <system_error>
#include <vector>

#include "base/text.h"

namespace kumiko::gpu {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // as Linux

constexpr std::array kLibraryFolders = {"",
                                        "/usr/lib64",
                                        "/usr/lib/x86_64-linux-gnu",
                                        "/usr/lib/aarch64-linux-gnu",
                                        "/lib64",
                                        "/lib/x86_64-linux-gnu",
                                        "/lib/aarch64-linux-gnu"};
constexpr std::array kProgramFolders = {"", "/opt/bin", "/usr/bin", "/usr/sbin", "/bin", "/sbin"};

// The components of `path`, the next one last.
void Push(std::vector<std::string>& waiting, const std::string& path) {
  const std::vector<std::string_view> parts = Split(path, '/');
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (!part->empty() && *part != ".") waiting.emplace_back(*part);
  }
}

std::string FoldersOf(std::span<const char* const> folders) {
  std::vector<std::string> names;
  for (const char* folder : folders) names.emplace_back(*folder == '\0' ? "/" : folder);
  return Join(names, ", ");
}

}  // namespace

std::string InRoot(std::string_view root, std::string_view path) {
  while (root.ends_with('/')) root.remove_suffix(1);
  return std::string(root) + (path.starts_with('/') ? "" : "/") + std::string(path);
}

Result<std::string> ResolveInRoot(const std::string& root, const std::string& path) {
  std::vector<std::string> waiting;
  std::vector<std::string> inside;  // components of what is resolved so far
  Push(waiting, path);
  int links = 0;
  const auto outside = [&] { return InRoot(root, "/" + Join(inside, "/")); };
  while (!waiting.empty()) {
    const std::string part = waiting.back();
    waiting.pop_back();
    if (part == "..") {
      if (!inside.empty()) inside.pop_back();
      continue;
    }
    inside.push_back(part);
    std::error_code error;
    const fs::path target = fs::read_symlink(outside(), error);
    if (error) continue;  // no link; whether it is there is asked at the end
    if (++links > kMaxLinks) return Fail(Code::kNotFound, "{}: too many links", InRoot(root, path));
    inside.pop_back();
    if (target.is_absolute()) inside.clear();
    Push(waiting, target.string());
  }
  std::error_code error;
  const std::string found = outside();
  if (!fs::is_regular_file(found, error)) return Fail(Code::kNotFound, "{}: no such file", InRoot(root, path));
  return found;
}

Result<std::string> FindDriverLibrary(const std::string& root) {
  for (const char* folder : kLibraryFolders) {
    if (auto found = ResolveInRoot(root, std::string(folder) + "/libnvidia-ml.so.1")) return found;
  }
  return Fail(Code::kNotFound, "no libnvidia-ml.so.1 below {}: looked in {}; is the NVIDIA driver installed there?",
              InRoot(root, "/"), FoldersOf(kLibraryFolders));
}

Result<std::string> FindDriverProgram(const std::string& root, std::string_view name) {
  for (const char* folder : kProgramFolders) {
    const std::string path = fmt::format("{}/{}", folder, name);
    if (ResolveInRoot(root, path)) return path;
  }
  return Fail(Code::kNotFound, "no {} below {}: looked in {}", name, InRoot(root, "/"), FoldersOf(kProgramFolders));
}

std::string DeviceRoot(const std::string& driver_root) {
  std::error_code error;
  return fs::is_directory(InRoot(driver_root, "/dev"), error) ? driver_root : "/";
}

}  // namespace kumiko::gpu

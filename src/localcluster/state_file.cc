#include "localcluster/state_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/compression.h"

namespace kumiko::localcluster {
namespace {

constexpr int kFormat = 1;
constexpr mode_t kOnlyMineDirectory = 0700;
constexpr mode_t kOnlyMineFile = 0600;
constexpr std::size_t kMaxObjectBytes = std::size_t{64} << 20;
constexpr auto kSyncWithin = std::chrono::milliseconds(100);

constexpr const char* kSchema =
    "CREATE TABLE IF NOT EXISTS objects (kind TEXT, namespace TEXT, name TEXT, compressed INTEGER, object BLOB,"
    " PRIMARY KEY (kind, namespace, name)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID;";

struct Closer {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, Closer>;
using Statement = std::unique_ptr<sqlite3_stmt, Closer>;

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

void Bind(sqlite3_stmt* statement, int index, const std::string& text) {
  sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

std::string Column(sqlite3_stmt* statement, int index) {
  const void* data = sqlite3_column_blob(statement, index);
  const int size = sqlite3_column_bytes(statement, index);
  return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

struct Change {
  std::uint64_t revision = 0;
  kube::ObjectKey key;
  kube::Object object;  // null: gone
};

}  // namespace

struct StateFile::Impl {
  ~Impl() {
    {
      const std::scoped_lock lock(mutex);
      ending = true;
    }
    arrived.notify_all();
    if (writer.joinable()) writer.join();
  }

  Status Failure(std::string_view doing) const {
    return Fail(Code::kUnavailable, "{}: {}: {}", path, doing, sqlite3_errmsg(database.get()));
  }

  Status Execute(const char* sql) const {
    if (sqlite3_exec(database.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return Failure("writing");
    return {};
  }

  Result<Statement> Prepare(const char* sql) const {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database.get(), sql, -1, &statement, nullptr) != SQLITE_OK) {
      return tl::unexpected<Error>(Failure("reading").error());
    }
    return Statement(statement);
  }

  Result<std::int64_t> Fact(const std::string& name, std::int64_t otherwise) const {
    KU_TRY(const Statement statement, Prepare("SELECT value FROM facts WHERE name = ?"));
    Bind(statement.get(), 1, name);
    return sqlite3_step(statement.get()) == SQLITE_ROW ? sqlite3_column_int64(statement.get(), 0) : otherwise;
  }

  Status OpenDatabase() {
    sqlite3* opened = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const int result = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
    database.reset(opened);
    if (result != SQLITE_OK) return Failure("opening");
    chmod(path.c_str(), kOnlyMineFile);
    // Commits go to the write-ahead log without waiting for the disk; Sync below does that in groups.
    KU_TRY_OK(Execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA locking_mode=NORMAL;"));
    KU_TRY_OK(Execute(kSchema));
    KU_TRY(const std::int64_t format, Fact("format", kFormat));
    if (format != kFormat) {
      return Fail(Code::kInvalidArgument, "{} is of format {}, this kumiko reads {}; give another directory", path,
                  format, kFormat);
    }
    KU_TRY_OK(Execute("INSERT OR REPLACE INTO facts VALUES ('format', 1)"));
    KU_TRY(put, Prepare("INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?)"));
    KU_TRY(remove, Prepare("DELETE FROM objects WHERE kind = ? AND namespace = ? AND name = ?"));
    KU_TRY(advance, Prepare("INSERT OR REPLACE INTO facts VALUES ('revision', ?)"));
    log = FileDescriptor(open((path + "-wal").c_str(), O_RDONLY | O_CLOEXEC));
    return {};
  }

  Status Step(const Statement& statement) const {
    const int result = sqlite3_step(statement.get());
    sqlite3_reset(statement.get());
    sqlite3_clear_bindings(statement.get());
    return result == SQLITE_DONE ? Status() : Failure("writing");
  }

  Status WriteOne(const Change& change) const {
    const Statement& statement = change.object ? put : remove;
    Bind(statement.get(), 1, change.key.kind);
    Bind(statement.get(), 2, change.key.namespace_);
    Bind(statement.get(), 3, change.key.name);
    if (change.object) {
      const std::string_view compressed = change.object.compressed();
      const std::string plain = compressed.empty() ? WriteJson(change.object.outline()) : std::string();
      const std::string_view text = compressed.empty() ? plain : compressed;
      sqlite3_bind_int(statement.get(), 4, compressed.empty() ? 0 : 1);
      sqlite3_bind_blob(statement.get(), 5, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
    return Step(statement);
  }

  Status WriteAll(const std::vector<Change>& changes) const {
    KU_TRY_OK(Execute("BEGIN IMMEDIATE"));
    Status written;
    for (const Change& change : changes) {
      if (written) written = WriteOne(change);
    }
    sqlite3_bind_int64(advance.get(), 1, static_cast<sqlite3_int64>(changes.back().revision));
    if (written) written = Step(advance);
    if (written) written = Execute("COMMIT");
    if (!written) sqlite3_exec(database.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    return written;
  }

  // The writer's thread: whatever has come together goes to disk as one transaction.
  void Run() {
    auto synced = std::chrono::steady_clock::now();
    bool unsynced = false;
    std::unique_lock lock(mutex);
    for (;;) {
      const auto has_work = [this] { return !waiting.empty() || ending; };
      if (unsynced) {
        arrived.wait_until(lock, synced + kSyncWithin, has_work);
      } else {
        arrived.wait(lock, has_work);
      }
      const std::vector<Change> changes = std::exchange(waiting, {});
      const bool last = ending;
      lock.unlock();
      Status written;
      if (!changes.empty()) {
        written = WriteAll(changes);
        if (!unsynced) synced = std::chrono::steady_clock::now();
        unsynced = true;
      }
      if (unsynced && (last || std::chrono::steady_clock::now() - synced >= kSyncWithin)) {
        fdatasync(log.get());
        synced = std::chrono::steady_clock::now();
        unsynced = false;
      }
      lock.lock();
      if (!written && failure.has_value()) failure = written;
      if (!changes.empty() && failure.has_value()) done = changes.back().revision;
      finished.notify_all();
      if (last && waiting.empty()) return;
    }
  }

  std::string path;
  FileDescriptor lock_file;
  FileDescriptor log;
  Database database;
  Statement put;  // statements end before their database
  Statement remove;
  Statement advance;

  std::mutex mutex;
  std::condition_variable arrived;
  std::condition_variable finished;
  std::vector<Change> waiting;
  std::uint64_t done = 0;
  Status failure;
  bool ending = false;
  std::thread writer;
};

StateFile::StateFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StateFile::~StateFile() = default;

Result<std::unique_ptr<StateFile>> StateFile::Open(const std::string& directory) {
  if (mkdir(directory.c_str(), kOnlyMineDirectory) != 0 && errno != EEXIST) {
    return Fail(Code::kPermission, "{}: {}", directory, std::generic_category().message(errno));
  }
  auto impl = std::make_unique<Impl>();
  impl->path = directory + "/state.db";
  const std::string lock_path = directory + "/lock";
  impl->lock_file = FileDescriptor(open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOnlyMineFile));
  if (impl->lock_file.get() < 0)
    return Fail(Code::kPermission, "{}: {}", lock_path, std::generic_category().message(errno));
  if (flock(impl->lock_file.get(), LOCK_EX | LOCK_NB) != 0) {
    return Fail(Code::kAlreadyExists,
                "{} is in use by another kumiko up; end that one, or give another directory with --state", directory);
  }
  KU_TRY_OK(impl->OpenDatabase());
  impl->writer = std::thread([state = impl.get()] { state->Run(); });
  return std::make_unique<StateFile>(std::move(impl));
}

Result<StateFile::Content> StateFile::Read() {
  const std::scoped_lock lock(impl_->mutex);
  Content content;
  KU_TRY(const std::int64_t revision, impl_->Fact("revision", 0));
  content.revision = static_cast<std::uint64_t>(revision);
  impl_->done = content.revision;
  KU_TRY(const Statement all, impl_->Prepare("SELECT kind, namespace, name, compressed, object FROM objects"));
  int result = SQLITE_OK;
  while ((result = sqlite3_step(all.get())) == SQLITE_ROW) {
    kube::ObjectKey key{Column(all.get(), 0), Column(all.get(), 1), Column(all.get(), 2)};
    std::string text = Column(all.get(), 4);
    if (sqlite3_column_int(all.get(), 3) != 0) {
      KU_TRY(text, Decompress(text, kMaxObjectBytes), "{}: {} {}/{}", impl_->path, key.kind, key.namespace_, key.name);
    }
    KU_TRY(Json object, ParseJson(text), "{}: {} {}/{}", impl_->path, key.kind, key.namespace_, key.name);
    content.objects.emplace_back(std::move(key),
                                 kube::Object::Compact(std::make_shared<const Json>(std::move(object))));
  }
  if (result != SQLITE_DONE) return tl::unexpected<Error>(impl_->Failure("reading").error());
  return content;
}

void StateFile::Append(std::uint64_t revision, const kube::ObjectKey& key, kube::Object object) {
  {
    const std::scoped_lock lock(impl_->mutex);
    impl_->waiting.push_back({revision, key, std::move(object)});
  }
  impl_->arrived.notify_one();
}

Status StateFile::Await(std::uint64_t revision) {
  std::unique_lock lock(impl_->mutex);
  impl_->finished.wait(lock, [&] { return impl_->done >= revision || !impl_->failure.has_value(); });
  return impl_->failure;
}

}  // namespace kumiko::localcluster

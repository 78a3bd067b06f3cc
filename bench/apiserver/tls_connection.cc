#include "tls_connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace kumiko::bench {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

std::string Why() {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  return text.data();
}

bool Expects(std::string_view line, std::string_view name) {
  return line.size() > name.size() && std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
         });
}

}  // namespace

struct Dialer::Context {
  Access access;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> tls{nullptr, SSL_CTX_free};
};

namespace {

class TlsConnection final : public Dialer::Connection {
 public:
  TlsConnection(int fd, SSL_CTX* tls, const Access& access) : fd_(fd), ssl_(SSL_new(tls), SSL_free) {
    head_ = fmt::format("Host: {}:{}\r\nUser-Agent: load\r\nAccept: application/json\r\n", access.host, access.port);
    if (!access.token.empty()) head_ += "Authorization: Bearer " + access.token + "\r\n";
    SSL_set_fd(ssl_.get(), fd_);
  }
  ~TlsConnection() override { close(fd_); }

  Status Handshake() {
    if (SSL_connect(ssl_.get()) != 1) return Fail(Code::kUnavailable, "handshake: {}", Why());
    fcntl(fd_, F_SETFL, O_NONBLOCK);
    return {};
  }

  int descriptor() const override { return fd_; }

  Status Send(std::string_view method, std::string_view path, std::string_view content_type,
              std::string_view body) override {
    std::string bytes = fmt::format("{} {} HTTP/1.1\r\n{}", method, path, head_);
    if (!body.empty()) bytes += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", content_type, body.size());
    bytes += "\r\n";
    bytes += body;
    for (;;) {
      const int done = SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
      if (done > 0) return {};
      if (SSL_get_error(ssl_.get(), done) != SSL_ERROR_WANT_WRITE) return Fail(Code::kUnavailable, "write: {}", Why());
      pollfd writable{.fd = fd_, .events = POLLOUT, .revents = 0};
      poll(&writable, 1, -1);
    }
  }

  Status Receive(Answers& answers) override {
    static thread_local std::array<char, kReadBytes> buffer;
    for (;;) {
      const int done = SSL_read(ssl_.get(), buffer.data(), static_cast<int>(buffer.size()));
      if (done > 0) {
        KU_TRY_OK(Take({buffer.data(), static_cast<std::size_t>(done)}, answers));
        continue;
      }
      if (SSL_get_error(ssl_.get(), done) == SSL_ERROR_WANT_READ) return {};
      return Fail(Code::kUnavailable, "the server has closed the connection");
    }
  }

 private:
  enum class Part { kHead, kBody, kChunkSize, kChunk, kChunkEnd, kTrailer };

  Status Take(std::string_view bytes, Answers& answers) {
    while (!bytes.empty()) {
      if (part_ == Part::kBody || part_ == Part::kChunk) {
        const std::string_view body = bytes.substr(0, left_);
        answers.OnBody(body);
        bytes.remove_prefix(body.size());
        left_ -= body.size();
        if (left_ == 0 && part_ == Part::kBody) End(answers);
        if (left_ == 0 && part_ == Part::kChunk) part_ = Part::kChunkEnd;
        continue;
      }
      const std::size_t newline = bytes.find('\n');
      line_ += bytes.substr(0, newline);
      if (newline == std::string_view::npos) return {};
      bytes.remove_prefix(newline + 1);
      if (line_.ends_with('\r')) line_.pop_back();
      const std::string line = std::exchange(line_, {});
      KU_TRY_OK(TakeLine(line, answers));
    }
    return {};
  }

  Status TakeLine(std::string_view line, Answers& answers) {
    switch (part_) {
      case Part::kHead:
        return TakeHead(line, answers);
      case Part::kChunkSize:
        if (std::from_chars(line.data(), line.data() + line.size(), left_, 16).ec != std::errc()) {
          return Fail(Code::kUnavailable, "\"{}\" is no size of a chunk", line);
        }
        part_ = left_ == 0 ? Part::kTrailer : Part::kChunk;
        return {};
      case Part::kChunkEnd:
        part_ = Part::kChunkSize;
        return {};
      case Part::kTrailer:
        if (line.empty()) End(answers);
        return {};
      case Part::kBody:
      case Part::kChunk:
        break;
    }
    return {};
  }

  Status TakeHead(std::string_view line, Answers& answers) {
    if (line.starts_with("HTTP/1.1 ") && line.size() >= 12) {
      int status = 0;
      std::from_chars(line.data() + 9, line.data() + 12, status);
      answers.OnStatus(status);
      left_ = 0;
      chunked_ = false;
    } else if (Expects(line, "content-length: ")) {
      std::from_chars(line.data() + 16, line.data() + line.size(), left_);
    } else if (Expects(line, "transfer-encoding: ")) {
      chunked_ = line.ends_with("chunked");
    } else if (line.empty()) {
      part_ = chunked_ ? Part::kChunkSize : Part::kBody;
      if (!chunked_ && left_ == 0) End(answers);
    }
    return {};
  }

  void End(Answers& answers) {
    part_ = Part::kHead;
    answers.OnEnd();
  }

  int fd_;
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
  std::string head_;
  std::string line_;
  Part part_ = Part::kHead;
  std::size_t left_ = 0;  // of the body or chunk
  bool chunked_ = false;
};

}  // namespace

Result<Dialer> Dialer::Create(const Access& access) {
  auto context = std::make_shared<Context>();
  context->access = access;
  context->tls.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* tls = context->tls.get();
  SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, nullptr);
  if (SSL_CTX_load_verify_locations(tls, access.authority_file.c_str(), nullptr) != 1) {
    return Fail(Code::kInvalidArgument, "{}: {}", access.authority_file, Why());
  }
  if (!access.certificate_file.empty() &&
      (SSL_CTX_use_certificate_file(tls, access.certificate_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
       SSL_CTX_use_PrivateKey_file(tls, access.key_file.c_str(), SSL_FILETYPE_PEM) != 1)) {
    return Fail(Code::kInvalidArgument, "{}, {}: {}", access.certificate_file, access.key_file, Why());
  }
  return Dialer(std::move(context));
}

Result<std::unique_ptr<Dialer::Connection>> Dialer::Open() const {
  const Access& access = context_->access;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto connection = std::make_unique<TlsConnection>(fd, context_->tls.get(), access);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(access.port));
  inet_pton(AF_INET, access.host.c_str(), &address.sin_addr);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return Fail(Code::kUnavailable, "{}:{} does not answer", access.host, access.port);
  }
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  KU_TRY_OK(connection->Handshake());
  return connection;
}

}  // namespace kumiko::bench

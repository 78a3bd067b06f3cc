// One HTTP/1.1 connection over TLS that never waits once it is open. It does as little with what comes as it can: its
// server is what is measured, and shares the machine with it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kumiko::bench {

// Whom to trust and who we are: PEM files. With a token no certificate is needed.
struct Access {
  std::string host;  // 127.0.0.1
  int port = 0;
  std::string authority_file;
  std::string certificate_file;
  std::string key_file;
  std::string token;
};

// What one request is answered with, as it comes.
class Answers {
 public:
  virtual ~Answers() = default;
  virtual void OnStatus(int status) = 0;
  virtual void OnBody(std::string_view part) = 0;
  virtual void OnEnd() = 0;
};

// Makes connections to one server.
class Dialer {
 public:
  // Errors: kInvalidArgument for files that cannot be read.
  static Result<Dialer> Create(const Access& access);

  class Connection;
  // Waits for the handshake. Errors: kUnavailable.
  Result<std::unique_ptr<Connection>> Open() const;

 private:
  struct Context;
  explicit Dialer(std::shared_ptr<const Context> context) : context_(std::move(context)) {}
  std::shared_ptr<const Context> context_;
};

class Dialer::Connection {
 public:
  virtual ~Connection() = default;
  virtual int descriptor() const = 0;  // to poll for reading
  // Begins a request; the one before must be over. Writes at once, which a request of a few KB can.
  virtual Status Send(std::string_view method, std::string_view path, std::string_view content_type,
                      std::string_view body) = 0;
  // Takes what has come. Errors: kUnavailable when the server has closed, or sends what is no HTTP.
  virtual Status Receive(Answers& answers) = 0;
};

}  // namespace kumiko::bench

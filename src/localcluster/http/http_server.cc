#include "localcluster/http/http_server.h"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "localcluster/http/tls_stream.h"

namespace kumiko::localcluster {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr std::uint32_t kMaxHeaderBytes = 64 * 1024;
// Streams are asked at least this often, for what only time brings: bookmarks and ends.
constexpr auto kTick = std::chrono::seconds(1);
constexpr auto kAcceptPause = std::chrono::milliseconds(50);

class Connection;

// Of what is done on the way out, where nobody can help.
void Ignore(error_code) {}

// What the connections share. `streaming` belongs to the thread of `io`. Connections end with `io`, which holds them by
// their pending operations, so everything that they touch stands above it.
struct Shared {
  Shared(HttpServerOptions server_options, HttpHandler answer)
      : options(std::move(server_options)),
        handler(std::move(answer)),
        workers(static_cast<std::size_t>(options.workers)) {}

  HttpServerOptions options;
  HttpHandler handler;
  asio::ssl::context tls{asio::ssl::context::tls_server};
  std::set<Connection*> streaming;
  std::atomic<bool> woken = false;
  std::atomic<bool> stopping = false;
  asio::io_context io{1};
  asio::thread_pool workers;
};

std::string PlainHead(const HttpResponse& response, bool keep_alive) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head += http::obsolete_reason(http::int_to_status(static_cast<unsigned>(response.status)));
  head += "\r\n";
  for (const auto& [name, value] : response.headers) head += name + ": " + value + "\r\n";
  if (response.stream) {
    head += "Transfer-Encoding: chunked\r\n";
  } else {
    head += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  }
  if (!keep_alive) head += "Connection: close\r\n";
  return head + "\r\n";
}

void AppendChunk(std::string& out, std::string_view data) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string size;
  for (std::size_t rest = data.size(); rest > 0; rest /= 16) size.insert(size.begin(), kDigits[rest % 16]);
  out += size.empty() ? "0" : size;
  out += "\r\n";
  out += data;
  out += "\r\n";
}

// One client. All its members belong to the thread of `io`; a worker only computes the response.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Tcp::socket socket, Shared& shared)
      : shared_(shared), stream_(std::move(socket), shared.tls), deadline_(shared.io) {}
  ~Connection() { shared_.streaming.erase(this); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Start() {
    Deadline(shared_.options.request_timeout);
    stream_.async_handshake([self = shared_from_this()](error_code error, std::size_t) {
      if (!error) self->ReadHead();
    });
  }

  // Sends what the open stream has, unless the peer still takes the last portion.
  void Pump() {
    if (!body_ || writing_) return;
    std::optional<std::string> data = body_->Next();
    if (data && data->empty()) return;
    std::string chunk;
    if (data) {
      AppendChunk(chunk, *data);
    } else {
      AppendChunk(chunk, {});
      EndStream();
    }
    Write(std::move(chunk), [](Connection& self) {
      if (self.body_) {
        self.Deadline(std::nullopt);
        self.Pump();
      } else {
        self.Finish();
      }
    });
  }

 private:
  // What is under way by then fails.
  void Deadline(std::optional<std::chrono::seconds> limit) {
    if (!limit) {
      deadline_.cancel();
      return;
    }
    deadline_.expires_after(*limit);
    deadline_.async_wait([weak = weak_from_this()](error_code error) {
      const auto self = weak.lock();
      // An earlier wait may have ended just before it was moved.
      if (!error && self && self->deadline_.expiry() <= asio::steady_timer::clock_type::now()) self->Close();
    });
  }

  void ReadHead() {
    parser_.emplace();
    parser_->header_limit(kMaxHeaderBytes);
    parser_->body_limit(shared_.options.max_body_bytes);
    Deadline(shared_.options.idle_timeout);
    http::async_read_header(stream_, buffer_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->RefuseRequest(error);
      self->ReadBody();
    });
  }

  void ReadBody() {
    Deadline(shared_.options.request_timeout);
    if (parser_->get()[http::field::expect] == "100-continue") {
      return Write("HTTP/1.1 100 Continue\r\n\r\n", [](Connection& self) { self.ReadRest(); });
    }
    ReadRest();
  }

  void ReadRest() {
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->RefuseRequest(error);
      self->Answer();
    });
  }

  void RefuseRequest(error_code error) {
    const bool is_http = error.category() == http::make_error_code(http::error::end_of_stream).category();
    if (!is_http || error == http::error::end_of_stream || error == http::error::partial_message) return Close();
    HttpResponse response;
    response.status = error == http::error::body_limit ? 413 : error == http::error::header_limit ? 431 : 400;
    response.headers.emplace_back("Content-Type", "text/plain");
    response.body = error == http::error::body_limit
                        ? "Request entity too large: limit is " + std::to_string(shared_.options.max_body_bytes) + "\n"
                        : "400 Bad Request: " + error.message() + "\n";
    keep_alive_ = false;
    Send(std::move(response));
  }

  void Answer() {
    auto message = parser_->release();
    parser_.reset();
    keep_alive_ = message.keep_alive();
    HttpRequest request;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    for (const auto& field : message) request.headers.emplace_back(field.name_string(), field.value());
    request.body = std::move(message.body());
    head_only_ = request.method == "HEAD";
    Deadline(std::nullopt);
    asio::post(shared_.workers, [self = shared_from_this(), request = std::move(request)] {
      auto response = std::make_shared<HttpResponse>(self->shared_.handler(request));
      asio::post(self->shared_.io, [self, response] { self->Send(std::move(*response)); });
    });
  }

  void Send(HttpResponse response) {
    if (shared_.stopping) return;
    std::string bytes = PlainHead(response, keep_alive_);
    if (response.stream && !head_only_) {
      body_ = std::move(response.stream);
      shared_.streaming.insert(this);
      Write(std::move(bytes), [](Connection& self) {
        self.Deadline(std::nullopt);
        self.WatchForClose();
        self.Pump();
      });
      return;
    }
    if (!head_only_) bytes += response.body;
    Write(std::move(bytes), [](Connection& self) { self.Finish(); });
  }

  // A peer that hangs up while a stream is silent is noticed by reading. It must not send before the response ended.
  void WatchForClose() {
    peek_ = std::make_unique<char>();
    stream_.async_read_some(asio::buffer(peek_.get(), 1), [self = shared_from_this()](error_code error, std::size_t) {
      if (!self->body_) return;
      self->EndStream();
      self->keep_alive_ = false;
      if (error || !self->writing_) self->Close();
    });
  }

  void EndStream() {
    body_.reset();
    shared_.streaming.erase(this);
    // The pending read would take the next request's first byte.
    if (peek_) keep_alive_ = false;
  }

  void Write(std::string bytes, void (*then)(Connection&)) {
    writing_ = true;
    outgoing_ = std::move(bytes);
    Deadline(shared_.options.request_timeout);
    asio::async_write(stream_, asio::buffer(outgoing_),
                      [self = shared_from_this(), then](error_code error, std::size_t) {
                        self->writing_ = false;
                        std::string().swap(self->outgoing_);
                        if (error) {
                          self->EndStream();
                          return self->Close();
                        }
                        then(*self);
                      });
  }

  void Finish() {
    if (!keep_alive_) return Close();
    ReadHead();
  }

  void Close() {
    error_code ignored;
    Ignore(stream_.socket().shutdown(Tcp::socket::shutdown_both, ignored));
    Ignore(stream_.socket().close(ignored));
    deadline_.cancel();
  }

  Shared& shared_;
  TlsStream stream_;
  asio::steady_timer deadline_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::unique_ptr<BodyStream> body_;
  std::unique_ptr<char> peek_;
  std::string outgoing_;
  bool writing_ = false;
  bool keep_alive_ = true;
  bool head_only_ = false;
};

}  // namespace

struct HttpServer::Impl {
  Impl(HttpServerOptions options, HttpHandler handler)
      : shared(std::move(options), std::move(handler)), acceptor(shared.io), pause(shared.io), ticker(shared.io) {}

  Status LoadCertificate() {
    auto& tls = shared.tls;
    const auto& options = shared.options;
    error_code error;
    if (tls.use_certificate_chain(asio::buffer(options.certificate_pem), error) ||
        tls.use_private_key(asio::buffer(options.private_key_pem), asio::ssl::context::pem, error)) {
      return Fail(Code::kInvalidArgument, "the server's certificate: {}", error.message());
    }
    SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
    // Nobody comes back with a session: each kubectl is a new process, and others keep their connections.
    SSL_CTX_set_num_tickets(tls.native_handle(), 0);
    SSL_CTX_set_session_cache_mode(tls.native_handle(), SSL_SESS_CACHE_OFF);
    return {};
  }

  Status Listen() {
    const Tcp::endpoint endpoint(asio::ip::address_v4::loopback(), shared.options.port);
    error_code error;
    if (!acceptor.open(endpoint.protocol(), error) && !acceptor.set_option(Tcp::acceptor::reuse_address(true), error) &&
        !acceptor.bind(endpoint, error) && !acceptor.listen(asio::socket_base::max_listen_connections, error)) {
      return {};
    }
    const bool taken = error == asio::error::address_in_use;
    return Fail(taken ? Code::kAlreadyExists : Code::kUnavailable, "port {} on 127.0.0.1: {}", shared.options.port,
                taken ? "another process listens there" : error.message());
  }

  void Accept() {
    acceptor.async_accept([this](error_code error, Tcp::socket socket) {
      if (shared.stopping) return;
      if (!error) {
        error_code ignored;
        Ignore(socket.set_option(Tcp::no_delay(true), ignored));
        std::make_shared<Connection>(std::move(socket), shared)->Start();
        return Accept();
      }
      // Out of file descriptors, most likely: those that are served now give some back.
      pause.expires_after(kAcceptPause);
      pause.async_wait([this](error_code) {
        if (!shared.stopping) Accept();
      });
    });
  }

  void PumpAll() {
    // A connection whose stream ends leaves the set.
    const std::vector<Connection*> streaming(shared.streaming.begin(), shared.streaming.end());
    for (auto* connection : streaming) {
      if (shared.streaming.contains(connection)) connection->Pump();
    }
  }

  void Tick() {
    ticker.expires_after(kTick);
    ticker.async_wait([this](error_code error) {
      if (error) return;
      PumpAll();
      Tick();
    });
  }

  Shared shared;
  Tcp::acceptor acceptor;
  asio::steady_timer pause;
  asio::steady_timer ticker;
  std::thread io_thread;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
  auto& shared = impl_->shared;
  shared.stopping = true;
  shared.workers.join();
  shared.io.stop();
  impl_->io_thread.join();
}

Result<std::unique_ptr<HttpServer>> HttpServer::Start(HttpServerOptions options, HttpHandler handler) {
  auto impl = std::make_unique<Impl>(std::move(options), std::move(handler));
  KU_TRY_OK(impl->LoadCertificate());
  KU_TRY_OK(impl->Listen());
  impl->Accept();
  impl->Tick();
  impl->io_thread = std::thread([&io = impl->shared.io] { io.run(); });
  return std::make_unique<HttpServer>(std::move(impl));
}

std::uint16_t HttpServer::port() const {
  error_code ignored;
  return impl_->acceptor.local_endpoint(ignored).port();
}

void HttpServer::Wake() {
  auto& shared = impl_->shared;
  if (shared.woken.exchange(true)) return;
  asio::post(shared.io, [impl = impl_.get()] {
    impl->shared.woken = false;
    impl->PumpAll();
  });
}

}  // namespace kumiko::localcluster

// A server's side of TLS on a socket, as an asynchronous stream of Asio. OpenSSL reads and writes the socket itself, so
// an idle connection holds some 15 KB; Asio's own stream adds buffers of 70 KB to each, which ten thousand idle clients
// would turn into 700 MB.
#pragma once

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <cerrno>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

namespace kumiko::localcluster {

// One read and one write may be under way at a time, from one thread.
class TlsStream {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using ErrorCode = boost::system::error_code;
  using executor_type = Socket::executor_type;

  // `context` must outlive the stream.
  TlsStream(Socket socket, boost::asio::ssl::context& context)
      : socket_(std::move(socket)), ssl_(SSL_new(context.native_handle())) {
    ErrorCode error;
    if (socket_.native_non_blocking(true, error) || ssl_ == nullptr ||
        SSL_set_fd(ssl_.get(), socket_.native_handle()) != 1) {
      ssl_.reset();
      return;
    }
    SSL_set_accept_state(ssl_.get());
    // A write that waited goes on from where its bytes are then, with as much as the socket takes.
    SSL_set_mode(ssl_.get(),
                 SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  }

  executor_type get_executor() { return socket_.get_executor(); }
  Socket& socket() { return socket_; }

  // Handlers take (ErrorCode, std::size_t), here the size means nothing.
  template <class Handler>
  auto async_handshake(Handler&& handler) {
    return Start([](SSL* ssl) { return SSL_do_handshake(ssl); }, std::forward<Handler>(handler));
  }

  template <class Buffers, class Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    const boost::asio::mutable_buffer into = First<boost::asio::mutable_buffer>(buffers);
    return Start([into](SSL* ssl) { return into.size() == 0 ? 0 : SSL_read(ssl, into.data(), Size(into)); },
                 std::forward<Handler>(handler));
  }

  template <class Buffers, class Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    const boost::asio::const_buffer from = First<boost::asio::const_buffer>(buffers);
    return Start([from](SSL* ssl) { return from.size() == 0 ? 0 : SSL_write(ssl, from.data(), Size(from)); },
                 std::forward<Handler>(handler));
  }

 private:
  struct Freeing {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };

  template <class Buffer>
  static int Size(const Buffer& buffer) {
    return static_cast<int>(std::min<std::size_t>(buffer.size(), std::numeric_limits<int>::max()));
  }

  // The first one with bytes in it: reading and writing "some" may stop there.
  template <class Buffer, class Buffers>
  static Buffer First(const Buffers& buffers) {
    for (auto at = boost::asio::buffer_sequence_begin(buffers); at != boost::asio::buffer_sequence_end(buffers); ++at) {
      if (const Buffer buffer(*at); buffer.size() > 0) return buffer;
    }
    return {};
  }

  // Repeats `step` whenever the socket can go on, until OpenSSL has done something or failed.
  template <class Step>
  class Operation {
   public:
    Operation(TlsStream& stream, Step step) : stream_(stream), step_(std::move(step)) {}

    template <class Self>
    void operator()(Self& self, ErrorCode error = {}) {
      if (ended_ || error) return self.complete(error ? error : error_, done_);
      if (stream_.ssl_ == nullptr) return End(self, boost::asio::error::no_memory);
      ERR_clear_error();
      errno = 0;
      const int done = step_(stream_.ssl_.get());
      if (done > 0) {
        done_ = static_cast<std::size_t>(done);
        return End(self, {});
      }
      switch (SSL_get_error(stream_.ssl_.get(), done)) {
        case SSL_ERROR_WANT_READ:
          waited_ = true;
          return stream_.socket_.async_wait(Socket::wait_read, std::move(self));
        case SSL_ERROR_WANT_WRITE:
          waited_ = true;
          return stream_.socket_.async_wait(Socket::wait_write, std::move(self));
        case SSL_ERROR_ZERO_RETURN:
          return End(self, boost::asio::error::eof);
        case SSL_ERROR_SYSCALL:
          return End(self, errno == 0 ? ErrorCode(boost::asio::error::eof)
                                      : ErrorCode(errno, boost::asio::error::get_system_category()));
        default:
          return End(self,
                     ErrorCode(static_cast<int>(ERR_get_error() & 0x7fffffff), boost::asio::error::get_ssl_category()));
      }
    }

   private:
    // A handler is never called by the function that starts its operation.
    template <class Self>
    void End(Self& self, ErrorCode error) {
      error_ = error;
      ended_ = true;
      if (waited_) return self.complete(error_, done_);
      boost::asio::post(stream_.get_executor(), std::move(self));
    }

    TlsStream& stream_;
    Step step_;
    ErrorCode error_;
    std::size_t done_ = 0;
    bool waited_ = false;
    bool ended_ = false;
  };

  template <class Step, class Handler>
  auto Start(Step step, Handler&& handler) {
    return boost::asio::async_compose<Handler, void(ErrorCode, std::size_t)>(Operation<Step>(*this, std::move(step)),
                                                                             handler, socket_);
  }

  Socket socket_;
  std::unique_ptr<SSL, Freeing> ssl_;
};

}  // namespace kumiko::localcluster

#include "kube/http/curl_transport.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <semaphore>
#include <thread>

#include "base/guarded.h"
#include "kube/http/server_url.h"

namespace kumiko::kube {
namespace {

using testing::HasSubstr;

// A server of HTTP/1.1 on loopback. A request for /stream is answered by one chunk and then stays open.
class TinyServer {
 public:
  TinyServer() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), length);
    ::listen(listener_, 64);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::jthread([this] { Accept(); });
  }
  ~TinyServer() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (const int connection : connections_) ::shutdown(connection, SHUT_RDWR);
    threads_.clear();
    for (const int connection : connections_) ::close(connection);
    ::close(listener_);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  Guarded<std::string> last_request;
  std::atomic<int> hung_up = 0;  // clients that closed their connection

 private:
  void Accept() {
    while (true) {
      const int connection = ::accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      connections_.push_back(connection);
      threads_.emplace_back([this, connection] { Serve(connection); });
    }
  }
  static void Write(int connection, std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  void Serve(int connection) {
    std::string read;
    std::array<char, 4096> buffer;
    while (true) {
      const ssize_t count = ::recv(connection, buffer.data(), buffer.size(), 0);
      if (count <= 0) break;
      read.append(buffer.data(), static_cast<std::size_t>(count));
      const std::size_t head = read.find("\r\n\r\n");
      if (head == read.npos) continue;
      const bool has_body = read.find("Content-Length: 4") != read.npos;
      if (has_body && read.size() < head + 8) continue;
      const std::string request = std::exchange(read, "");
      last_request.With([&](std::string& last) { last = request; });
      Answer(connection, request);
    }
    ++hung_up;
  }
  static void Answer(int connection, std::string_view request) {
    if (request.find(" /stream ") != request.npos) {
      Write(connection, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
    } else if (request.find(" /flood ") != request.npos) {
      Write(connection, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + std::string(5000, 'x'));
    } else {
      Write(connection, "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\nX-Thing: some thing\r\n\r\nbody");
    }
  }

  int listener_ = -1;
  int port_ = 0;
  std::vector<int> connections_;
  std::vector<std::jthread> threads_;
  std::jthread acceptor_;
};

// Collects what arrives until there is enough of it.
struct Reader {
  std::unique_ptr<ResponseStream> stream;
  std::shared_ptr<std::counting_semaphore<>> woken = std::make_shared<std::counting_semaphore<>>(0);
  Arrived all;

  void Open(Transport& transport, const std::string& target) {
    stream = transport.Open({.target = target}, [woken = woken] { woken->release(); });
  }
  bool ReadUntil(const std::function<bool()>& enough) {
    while (true) {
      Arrived more = stream->Take();
      all.body += more.body;
      more.body = all.body;
      all = std::move(more);
      if (enough()) return true;
      if (!woken->try_acquire_for(std::chrono::seconds(20))) return false;
    }
  }
};

std::unique_ptr<Transport> TransportTo(const std::string& url, std::size_t max_untaken_bytes = 1 << 20) {
  TransportOptions options;
  options.server = url;
  options.max_untaken_bytes = max_untaken_bytes;
  options.tls = [] { return Result<TlsMaterial>(TlsMaterial{}); };
  return MakeCurlTransport(std::move(options));
}

class CurlTransportTest : public testing::Test {
 protected:
  TinyServer server_;
};

TEST_F(CurlTransportTest, RequestAndResponseArriveWhole) {
  const auto transport = TransportTo(server_.url());
  const auto response =
      transport->Send({.method = "PATCH", .target = "/x?y=1", .headers = {{"X-Mine", "yes"}}, .body = "data"});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(response->body, "body");
  EXPECT_EQ(response->Header("x-thing"), "some thing");
  const std::string request = server_.last_request.With([](const std::string& last) { return last; });
  EXPECT_THAT(request, testing::StartsWith("PATCH /x?y=1 HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nX-Mine: yes\r\n"));
  EXPECT_THAT(request, testing::EndsWith("\r\n\r\ndata"));
}

TEST_F(CurlTransportTest, StreamsGiveWhatHasArrivedAndDoNotHoldUpRequests) {
  const auto transport = TransportTo(server_.url());
  std::vector<Reader> readers(20);
  for (Reader& reader : readers) reader.Open(*transport, "/stream");
  for (Reader& reader : readers) {
    EXPECT_TRUE(reader.ReadUntil([&] { return reader.all.body == "first"; }));
    EXPECT_EQ(reader.all.status, 200);
    EXPECT_FALSE(reader.all.ended) << (reader.all.end ? "" : reader.all.end.error().message);
  }
  EXPECT_TRUE(transport->Send({.target = "/x"}));
}

TEST_F(CurlTransportTest, DroppedStreamIsHungUp) {
  const auto transport = TransportTo(server_.url());
  {
    Reader reader;
    reader.Open(*transport, "/stream");
    EXPECT_TRUE(reader.ReadUntil([&] { return reader.all.body == "first"; }));
  }
  while (server_.hung_up == 0) std::this_thread::yield();
}

TEST_F(CurlTransportTest, StreamThatNobodyTakesEnds) {
  const auto transport = TransportTo(server_.url(), 1000);
  Reader reader;
  reader.Open(*transport, "/flood");
  EXPECT_TRUE(reader.ReadUntil([&] { return reader.all.ended; }));
  ASSERT_FALSE(reader.all.end);
  EXPECT_EQ(reader.all.end.error().code, Code::kUnavailable);
  EXPECT_THAT(reader.all.end.error().message, HasSubstr("more has arrived than its reader takes"));
}

TEST(CurlTransport, ServerThatIsNotThereIsNamed) {
  const auto transport = TransportTo("http://127.0.0.1:1");
  const auto response = transport->Send({.target = "/x"});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::kUnavailable);
  EXPECT_THAT(response.error().message, testing::StartsWith("http://127.0.0.1:1 cannot be reached: "));
}

TEST(ServerUrl, NameOfTheCertificateStandsInForTheAddress) {
  const ServerUrl url = UrlFor("https://10.0.0.1:6443/base", "api.lab", "/x");
  EXPECT_EQ(url.url, "https://api.lab:6443/base/x");
  EXPECT_EQ(url.connect_to, "api.lab:6443:10.0.0.1:6443");
  EXPECT_EQ(url.host, "10.0.0.1:6443");
  EXPECT_EQ(UrlFor("https://[fd00::1]", "api.lab", "/x").connect_to, "api.lab:443:[fd00::1]:443");
  EXPECT_EQ(UrlFor("https://10.0.0.1", "", "/x").url, "https://10.0.0.1/x");
  EXPECT_TRUE(IsLoopback("https://127.0.0.1:6443"));
  EXPECT_TRUE(IsLoopback("https://[::1]:6443"));
  EXPECT_FALSE(IsLoopback("https://10.0.0.1:6443"));
}

}  // namespace
}  // namespace kumiko::kube

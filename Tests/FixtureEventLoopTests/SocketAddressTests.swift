import Testing

@testable import FixtureEventLoop

@Suite struct SocketAddressTests {
  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1:80"), ("0.0.0.0", "0.0.0.0:80"), ("::1", "[::1]:80"),
    ("2001:DB8:0:0::1", "[2001:db8::1]:80"), ("::ffff:127.0.0.1", "[::ffff:127.0.0.1]:80"),
  ])
  func `a literal is recognised and printed canonically`(literal: String, text: String) throws {
    #expect(try #require(SocketAddress(literal: literal, port: 80)).description == text)
  }

  @Test(arguments: [
    "", "localhost", "127.0.0", "127.1", "1.2.3.256", "1.2.3.4 ", "[::1]", "::1\0", "127.0.0.1\0x",
    "fe80::1%lo", "::g",
  ])
  func `anything else is no literal`(text: String) {
    #expect(SocketAddress(literal: text, port: 80) == nil)
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.255.255.254", true), ("::1", true), ("::ffff:127.0.0.1", true),
    ("128.0.0.1", false), ("0.0.0.0", false), ("::", false), ("::2", false), ("1::1", false),
    ("::ffff:10.0.0.1", false),
  ])
  func `loopback is told from the rest`(literal: String, isLoopback: Bool) throws {
    #expect(try #require(SocketAddress(literal: literal, port: 1)).isLoopback == isLoopback)
  }

  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1", "127.0.0.1", true),
    ("127.0.0.1", "::ffff:127.0.0.1", "::ffff:127.0.0.1", true),
    ("::ffff:127.0.0.1", "127.0.0.1", "127.0.0.1", true),
    ("127.0.0.1", "127.0.0.2", "127.0.0.1", false),
    ("0.0.0.0", "127.0.0.2", "127.0.0.1", true), ("0.0.0.0", "10.0.0.5", "10.0.0.5", true),
    ("0.0.0.0", "10.0.0.6", "10.0.0.5", false), ("0.0.0.0", "::1", "::1", false),
    ("::", "::1", "::1", true), ("::", "127.0.0.1", "127.0.0.1", true),
    ("::", "2001:db8::2", "2001:db8::1", false), ("10.0.0.5", "10.0.0.5", "10.0.0.5", true),
  ])
  func `a listener knows connections that lead to itself`(
    bound: String, peer: String, local: String, isReached: Bool
  ) throws {
    let listener = try #require(SocketAddress(literal: bound, port: 80))
    let local = try #require(SocketAddress(literal: local, port: 5000))
    for (port, expected) in [(UInt16(80), isReached), (81, false)] {
      let peer = try #require(SocketAddress(literal: peer, port: port))
      #expect(listener.isReached(by: peer, from: local) == expected)
    }
  }

  @Test func `the same host with another port is another address`() {
    #expect(
      SocketAddress(literal: "127.0.0.1", port: 1) != SocketAddress(literal: "127.0.0.1", port: 2))
    #expect(SocketAddress(literal: "::1", port: 1) == SocketAddress(literal: "0::1", port: 1))
  }

  @Test(arguments: ["127.0.0.1", "::1", "2001:db8::1"])
  func `an address survives the way through the kernel's form`(literal: String) {
    let address = SocketAddress(literal: literal, port: 8377)
    #expect(address?.withSockaddr { pointer, _ in SocketAddress(pointer) } == address)
  }
}

import Glibc
import Synchronization
import Testing

@testable import FixtureEventLoop

/// No name here is ever asked of a server: `localhost` is in the hosts file, and the others can't
/// be put into a query.
@Suite struct ResolverTests {
  @Test func `localhost is looked up off the loop and answered on it`() throws {
    let loop = try EventLoop()
    let onLoop = LoopReference(loop, on: loop)
    let found = Mutex<[SocketAddress]>([])
    Resolver().resolve("localhost", port: 8377, on: loop.handle) { [handle = loop.handle] answer in
      _ = onLoop.object
      found.withLock { $0 = (try? answer.get()) ?? [] }
      handle.stop()
    }
    runToStop(loop)
    let addresses = found.withLock { $0 }
    #expect(!addresses.isEmpty)
    #expect(addresses.allSatisfy { $0.isLoopback && $0.port == 8377 })
    #expect(Set(addresses).count == addresses.count)
  }

  @Test(arguments: ["127.0.0.1", "::1"])
  func `a literal is answered as it is`(literal: String) throws {
    let expected = try #require(SocketAddress(literal: literal, port: 443))
    #expect(try answer(to: literal, port: 443) == .success([expected]))
  }

  @Test func `a name no server could be asked for has no address`() throws {
    let name = String(repeating: "a", count: 64) + ".invalid"
    let error = #expect(throws: ResolveError.self) { try answer(to: name, port: 1).get() }
    #expect(error?.host == name)
    #expect(error?.message.isEmpty == false)
  }

  @Test(arguments: ["", "local\0host"])
  func `what getaddrinfo would misread is refused`(name: String) throws {
    #expect(
      try answer(to: name, port: 1)
        == .failure(ResolveError(host: name, message: "not a host name")))
  }

  @Test func `more lookups than threads all get their answer`() throws {
    let loop = try EventLoop()
    let resolver = Resolver()
    let answers = Counter()
    for _ in 0..<200 {
      resolver.resolve("localhost", port: 1, on: loop.handle) { [handle = loop.handle] answer in
        if case .success = answer { answers.add(1) }
        if answers.value == 200 { handle.stop() }
      }
    }
    runToStop(loop)
    #expect(answers.value == 200)
  }

  private func answer(to name: String, port: UInt16) throws -> Resolver.Answer {
    let loop = try EventLoop()
    let given = Mutex<Resolver.Answer?>(nil)
    Resolver().resolve(name, port: port, on: loop.handle) { [handle = loop.handle] answer in
      given.withLock { $0 = answer }
      handle.stop()
    }
    runToStop(loop)
    return try #require(given.withLock { $0 })
  }
}

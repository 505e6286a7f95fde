import Foundation
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Slow servers on the real clock, where only what can't be early is exact; the pure tests and the
/// benchmark `exactness` say how late it may be.
@Suite struct TimeTests {
  @Test(arguments: [100, 300, 1500])
  func `an answer is never early`(_ ms: Int) async throws {
    let folder = try Folder()
    let lab = try Lab("timeout-lab.rules", in: folder)
    let port = lab.port
    let times = try await onThread {
      let client = try Client(port: port)
      return (0..<3).map { _ in
        let start = ContinuousClock.now
        let isWhole = client.get("/late/\(ms)")?.text == "late"
        return isWhole ? ContinuousClock.now - start : .zero
      }
    }
    #expect(times.allSatisfy { $0 >= .milliseconds(ms) })
    #expect(times.allSatisfy { $0 < .milliseconds(ms) + .seconds(10) })
  }

  /// What came of a request by `URLSession`, which waits no longer than a second for news.
  private struct Asked: Sendable {
    var error: URLError.Code?
    var text = ""
    var took = Duration.zero
  }

  private static func asked(_ url: String) async throws -> Asked {
    try await onThread {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.timeoutIntervalForRequest = 1
      let session = URLSession(configuration: configuration)
      let found = Mutex(Asked())
      let done = DispatchSemaphore(value: 0)
      let start = ContinuousClock.now
      let task = session.dataTask(with: try #require(URL(string: url))) { data, _, error in
        found.withLock {
          $0.error = (error as? URLError)?.code
          $0.text = String(decoding: data ?? Data(), as: UTF8.self)
          $0.took = .now - start
        }
        done.signal()
      }
      task.resume()
      _ = done.wait(timeout: .now() + 60)
      return found.withLock { $0 }
    }
  }

  @Test(arguments: ["/never", "/stuck"])
  func `URLSession gives up on an answer that never comes, or never ends`(
    _ target: String
  ) async throws {
    let folder = try Folder()
    let lab = try Lab("timeout-lab.rules", in: folder)
    let asked = try await Self.asked(lab.url + target)
    #expect(asked.error == .timedOut)
    #expect(asked.took >= .milliseconds(700) && asked.took < .seconds(15))
    #expect(lab.program.stop().status == 0)
  }

  /// Each byte is news for who waits no longer than a second.
  @Test func `URLSession waits four seconds for a trickle, with a timeout of one`() async throws {
    let folder = try Folder()
    let lab = try Lab("timeout-lab.rules", in: folder)
    let asked = try await Self.asked(lab.url + "/trickle")
    #expect(asked.error == nil && asked.text == "patience")
    #expect(asked.took >= .milliseconds(4200))
  }

  @Test func `bytes of a trickle come one by one`() async throws {
    let folder = try Folder()
    let lab = try Lab("timeout-lab.rules", in: folder)
    let port = lab.port
    let pieces = try await onThread {
      let socket = try RawSocket(port: port)
      let start = ContinuousClock.now
      socket.send(Lab.get("/trickle"))
      let head = socket.receive { text($0).contains("\r\n\r\np") }
      return [(text(head.bytes.suffix(5)), ContinuousClock.now - start)]
        + (0..<7).map { _ in
          (text(socket.receive { !$0.isEmpty }.bytes), ContinuousClock.now - start)
        }
    }
    #expect(pieces.map(\.0) == ["\r\n\r\np", "a", "t", "i", "e", "n", "c", "e"])
    for (index, piece) in pieces.enumerated() {
      #expect(piece.1 >= .milliseconds(600 * index))
    }
  }

  @Test func `a head comes before the pause that follows it`() async throws {
    let folder = try Folder()
    let lab = try Lab("timeout-lab.rules", in: folder)
    let port = lab.port
    let (head, content, took) = try await onThread {
      let socket = try RawSocket(port: port)
      let start = ContinuousClock.now
      socket.send(Lab.get("/progressive"))
      let head = socket.receive { !$0.isEmpty }.bytes
      let content = socket.receive { !$0.isEmpty }.bytes
      return (text(head), text(content), ContinuousClock.now - start)
    }
    #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.hasSuffix("\r\n\r\n"))
    #expect(content == "at last")
    #expect(took >= .seconds(2))
  }

  /// Each latency in its range, the same again with the same seed, and as many at a time as
  /// there are connections.
  @Test func `drawn latencies are those of the seed`() throws {
    let folder = try Folder()
    func latencies() throws -> [Duration] {
      let lab = try Lab(rules: ["/json: delay 100ms..400ms"], in: folder)
      defer { _ = lab.program.stop() }
      let client = try Client(port: lab.port)
      return try (0..<10).map { _ in
        let start = ContinuousClock.now
        _ = try #require(client.get("/json"))
        return ContinuousClock.now - start
      }
    }
    let explained = try Program.run(
      ["explain", "--seed", "7", "--rule", "/json: delay 100ms..400ms", "/dev/null", "GET /json"],
      in: folder)
    let drawn = explained.output.matches(of: /delay ([0-9.]+)ms \(rule/).compactMap {
      Double($0.output.1)
    }
    #expect(drawn.count == 10 && drawn.allSatisfy { (100...400).contains($0) })
    for (latency, ms) in zip(try latencies(), drawn) {
      #expect(latency >= .milliseconds(ms) && latency < .milliseconds(ms) + .seconds(10))
    }
  }

  @Test(arguments: [10, 40])
  func `forty thumbnails take as long as their latencies allow`(_ count: Int) throws {
    let folder = try Folder()
    let lab = try Lab("slow-network.rules#far", in: folder)
    let port = lab.port
    let waiting = Mutex(Array(0..<40))
    let latencies = Mutex([Double]())
    let done = DispatchSemaphore(value: 0)
    let start = ContinuousClock.now
    for _ in 0..<count {
      Worker.start {
        defer { done.signal() }
        guard let client = try? Client(port: port) else { return }
        while let number = waiting.withLock({ $0.popLast() }) {
          let start = ContinuousClock.now
          guard client.get("/thumbs/\(number)")?.content.count == 100_000 else { return }
          let took = ContinuousClock.now - start
          latencies.withLock { $0.append(took / .seconds(1)) }
        }
      }
    }
    for _ in 0..<count { try #require(done.wait(timeout: .now() + 60) == .success) }
    let total = (ContinuousClock.now - start) / .seconds(1)
    let all = latencies.withLock { $0 }
    #expect(all.count == 40 && all.allSatisfy { $0 >= 0.1 })
    let sum = all.reduce(0, +)
    #expect(total >= sum / Double(count) * 0.95)
    #expect(total < sum / Double(count) + (all.max() ?? 0) + 5)
  }

  /// What a client leaves is free again, in a hang and in a delay.
  @Test(arguments: ["/never", "/stuck", "/late/1500", "/download"])
  func `a connection is given up when its client leaves`(_ target: String) throws {
    let folder = try Folder()
    let lab = try Lab("timeout-lab.rules", in: folder)
    let none = try lab.program.descriptorCount { _ in true }
    let sockets = try (0..<10).map { _ in try RawSocket(port: lab.port) }
    for socket in sockets { socket.send(Lab.get(target)) }
    #expect(try lab.program.descriptorCount { $0 == none + 10 } == none + 10)
    // Some of them get something before they are left.
    usleep(200_000)
    for (index, socket) in sockets.enumerated() { index % 2 == 0 ? socket.close() : socket.reset() }
    // Half a second is what is promised; a busy machine gets more.
    #expect(try lab.program.descriptorCount { $0 <= none } <= none)
    #expect(lab.program.stop().status == 0)
  }

  /// The kernel stops everything for a while when it makes room for descriptors of a process with
  /// several threads: there is room from the start.
  @Test func `there is room for thousands of connections from the start`() throws {
    let folder = try Folder()
    let lab = try Lab("timeout-lab.rules", in: folder)
    let path = "/proc/\(lab.program.process.processIdentifier)/status"
    let status = try String(contentsOfFile: path, encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("FDSize:") }
    let size = Int(line?.split(whereSeparator: \.isWhitespace).last ?? "") ?? 0
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #expect(size >= min(Int(clamping: limit.rlim_max), 65_536))
  }
}

extension Program {
  /// How many descriptors it has, as soon as they are as many as wanted, or after a while.
  fileprivate func descriptorCount(_ isWanted: (Int) -> Bool) throws -> Int {
    let deadline = ContinuousClock.now + .seconds(10)
    let folder = "/proc/\(process.processIdentifier)/fd"
    while true {
      let count = try FileManager.default.contentsOfDirectory(atPath: folder).count
      if isWanted(count) || ContinuousClock.now >= deadline { return count }
      usleep(10_000)
    }
  }
}

import Glibc
import Testing

/// Clients that take nothing, or send a byte now and then: they hold up nobody else. Recorder and
/// replay have one thread for all clients here, so that holding it up would show.
@Suite struct SlowClientTests {
  private static let large = 24 << 20
  private static let others = 100
  private static let largeHead = bytes("HTTP/1.1 200 OK\r\nContent-Length: \(large)\r\n\r\n")
  private static let uploadHead = bytes(
    "POST /upload HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1000000\r\n\r\n")

  private static func upstream() throws -> ScriptedUpstream {
    let content = [UInt8](repeating: 0x6C, count: large)
    return try ScriptedUpstream { connection in
      while let request = connection.request() {
        if request.starts(with: bytes("GET /large ")) {
          connection.send(largeHead)
          connection.send(content)
        } else {
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nquick")
        }
      }
    }
  }

  /// A byte at a time, each as late as a client that gives no other sign of life.
  private final class Dribble {
    private let socket: RawSocket
    private var rest: ArraySlice<UInt8>

    init(_ request: [UInt8], port: UInt16) throws {
      socket = try RawSocket(port: port)
      rest = request[...]
    }

    func next() {
      if let byte = rest.popFirst() { socket.send([byte]) }
    }
  }

  /// Every other client gets its answers while slow ones are there, and none of those is dropped.
  private func check(_ program: Program, _ comment: Comment) throws {
    let port = try program.port()
    let neverReads = try RawSocket(port: port, receiveBuffer: 4096)
    neverReads.send(BytesTests.request("/large"))
    let dribbles = try [
      Dribble(BytesTests.request("/head"), port: port), Dribble(Self.uploadHead, port: port),
    ]
    let uploads = try RawSocket(port: port)
    uploads.send(Self.uploadHead)
    let start = ContinuousClock.now
    let client = try Client(port: port)
    for number in 0..<Self.others {
      if number % 5 == 0 {
        for dribble in dribbles { dribble.next() }
        uploads.send([0x78])
      }
      #expect(client.get("/quick")?.text == "quick", comment)
    }
    // A hundred answers that take a millisecond each; held up, they would wait for timeouts.
    #expect(ContinuousClock.now - start < .seconds(20), comment)
    // Still there, and nothing is missing of what it did not read for so long.
    let whole = Self.largeHead.count + Self.large
    let received = neverReads.receive(within: .seconds(60)) { $0.count >= whole }
    #expect(received.bytes.count == whole, comment)
    #expect(try program.peakMemory() < 100 << 20, comment)
  }

  @Test func `a client that never reads, or sends little by little, delays nobody else`() throws {
    let recording = try Recording()
    let upstream = try Self.upstream()
    let recorder = try recording.recorder(upstream)
    try check(recorder, "while recording")
    #expect(recorder.stop().status == 0)
    upstream.stop()
    let replayer = try recording.replayer(["--threads", "1"])
    try check(replayer, "in replay")
    #expect(replayer.stop().status == 0)
  }

  /// Whoever asks for more before it has its answer gets both, in order.
  @Test func `a request that comes while another is answered waits for it`() throws {
    let gate = Instants()
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let target = String(decoding: request.split(separator: 0x20)[1], as: UTF8.self)
        if target.hasPrefix("/1/") { gate.wait(count: Int(target.suffix(1)) ?? 0) }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\(target)")
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let client = try Client(port: recorder.port())
    for round in 1...3 {
      let targets = (1...3).map { "/\($0)/\(round)" }
      for target in targets {
        client.send(BytesTests.request(target))
        // So that each comes by itself.
        ScriptedUpstream.wait(milliseconds: 20)
      }
      gate.note()
      for target in targets { #expect(client.response()?.text == target) }
    }
    #expect(recorder.stop().status == 0)
    #expect(try recording.outcomes().count == 9)
  }
}

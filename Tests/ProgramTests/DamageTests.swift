import Foundation
import Testing

/// Cassettes that are not what the recorder wrote.
@Suite struct DamageTests {
  /// Both sizes a replay treats differently: kept in memory, and read as it is sent.
  @Test(arguments: [3000, 3_000_000])
  func `altered content is cut, and said to be`(size: Int) throws {
    let head = bytes("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
    let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let upstream = try ScriptedUpstream.answering(head + content)
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let recorded = try Answer.to(BytesTests.getRequest, port: recorder.port())
    #expect(recorded.bytes.count == head.count + size)
    #expect(recorder.stop().status == 0)

    var file = try recording.folder.bytes(recording.cassette)
    let place = try #require(file.firstRange(of: content[200..<300]))
    file[place.lowerBound] ^= 1
    try Data(file).write(to: recording.folder.url.appendingPathComponent(recording.cassette))
    let replayer = try recording.replayer()
    for _ in 0..<2 {
      let answer = try Answer.to(BytesTests.getRequest, port: replayer.port(), within: .seconds(5))
      #expect(answer.bytes.count < head.count + size)
      #expect(answer.end == .reset)
    }
    #expect(replayer.stop().errors.contains("its bytes are not those that were recorded"))
    #expect(try Program.run(["verify", recording.cassette], in: recording.folder).status == 1)
  }
}

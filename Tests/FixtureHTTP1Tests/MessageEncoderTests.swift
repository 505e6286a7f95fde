import FixtureHTTP
import FixtureHTTP1
import Testing

@Suite struct MessageEncoderTests {
  private func text(_ write: (inout [UInt8]) -> Void) -> String {
    var output: [UInt8] = []
    write(&output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test func `a request head is written as HTTP/1.1 whatever its version`() {
    var fields = FieldSection()
    fields.append("Host", "a.test")
    fields.append("x-Odd-CASE", "1")
    let head = RequestHead(
      method: Method(Array("PURGE".utf8)), target: Array("/a?b".utf8), version: .http10,
      fields: fields)
    #expect(
      text { MessageEncoder.requestHead(head, to: &$0) }
        == "PURGE /a?b HTTP/1.1\r\nHost: a.test\r\nx-Odd-CASE: 1\r\n\r\n")
  }

  @Test func `a response head without a reason keeps the second space`() {
    let head = ResponseHead(version: .http10, status: 204, reason: [])
    #expect(text { MessageEncoder.responseHead(head, to: &$0) } == "HTTP/1.1 204 \r\n\r\n")
  }

  @Test func `a reason with a line end can't add lines`() {
    let head = ResponseHead(status: 200, reason: Array("OK\r\nEvil: 1\0".utf8))
    #expect(
      text { MessageEncoder.responseHead(head, to: &$0) } == "HTTP/1.1 200 OK  Evil: 1 \r\n\r\n")
  }

  @Test(arguments: [
    (1, "1"), (9, "9"), (10, "a"), (15, "f"), (16, "10"), (255, "ff"), (256, "100"),
    (4095, "fff"), (4096, "1000"), (0x7FFF_FFFF, "7fffffff"), (Int.max, "7fffffffffffffff"),
  ])
  func `a chunk's size is hexadecimal without leading zeros`(size: Int, digits: String) {
    #expect(text { MessageEncoder.chunkHeader(size: size, to: &$0) } == digits + "\r\n")
  }

  @Test func `the last chunk carries the trailers`() {
    var trailers = FieldSection()
    trailers.append("Digest", "x")
    #expect(
      text { MessageEncoder.lastChunk(trailers: trailers, to: &$0) } == "0\r\nDigest: x\r\n\r\n")
    #expect(text { MessageEncoder.lastChunk(to: &$0) } == "0\r\n\r\n")
  }

  @Test func `heads and chunks are appended to what is there`() {
    let written = text { output in
      MessageEncoder.responseHead(ResponseHead(status: 200, reason: Array("OK".utf8)), to: &output)
      MessageEncoder.chunkHeader(size: 2, to: &output)
      output.append(contentsOf: "hi".utf8)
      MessageEncoder.chunkEnd(to: &output)
      MessageEncoder.lastChunk(to: &output)
    }
    #expect(written == "HTTP/1.1 200 OK\r\n\r\n2\r\nhi\r\n0\r\n\r\n")
  }
}

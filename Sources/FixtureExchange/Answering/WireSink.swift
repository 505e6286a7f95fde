import FixtureCassette
import FixtureHTTP
import FixtureReplay

/// The sink of the server: performs a script's actions as bytes of an HTTP/1.1 connection.
package struct WireSink: Equatable, Sendable {
  /// What the driver does with the connection once the output has left.
  package enum Ending: Equatable, Sendable {
    /// The response is complete; whether the connection carries another one.
    case complete(keepsAlive: Bool)
    case close
    case reset
  }

  private var encoder: ResponseEncoder
  /// Held until `end`, which they are a part of on the wire.
  private var trailers = FieldSection()
  /// The bytes of a head of which only the beginning was sent.
  private var headRest: [UInt8] = []
  /// What is still to be broken.
  private var malformation: Malformation?

  package init(client: ClientFacts, framing: RecordedFraming, keepsAlive: Bool) {
    encoder = ResponseEncoder(client: client, recorded: framing, keepsAlive: keepsAlive)
  }

  /// Whether a piece of content leaves by itself, when it is due.
  package var isStreamed: Bool { encoder.isStreamed }

  /// How the response ends, once its head was performed, if it has to end before it is whole.
  package var cutEnding: Ending { encoder.ending(.cancelled) }

  /// Appends what the action sends.
  /// - Returns: how the exchange ends, when the action ends it.
  package mutating func perform(_ action: Action, output: inout OutputQueue) -> Ending? {
    var bytes: [UInt8] = []
    switch action {
    case .interim(let head):
      encoder.interim(head, to: &bytes)
      output.append(bytes)
    case .head(let head):
      output.append(encoded(head))
    case .headBeginning(let head):
      bytes = encoded(head)
      headRest = Array(bytes[(bytes.count / 2)...])
      output.append(Array(bytes[..<(bytes.count / 2)]))
    case .headRest:
      output.append(headRest)
      headRest = []
    case .raw(let bytes):
      output.append(bytes)
    case .malform(let malformation):
      self.malformation = malformation
    case .content(let slice), .send(.stored(let slice), via: _), .paced(.stored(let slice), _):
      append(slice, to: &output)
    case .generated(let content), .send(.made(let content), via: _), .paced(.made(let content), _):
      append(content, to: &output)
    case .trailers(let fields):
      trailers = fields
    case .wait:
      break
    case .end:
      encoder.end(trailers: trailers, to: &bytes)
      breakChunk(&bytes)
      output.append(bytes)
      return .complete(keepsAlive: encoder.keepsAlive)
    case .close:
      return .close
    case .reset:
      return .reset
    }
    return nil
  }

  private mutating func append(_ slice: BodySlice, to output: inout OutputQueue) {
    guard encoder.carriesContent, slice.count > 0 else { return }
    var bytes: [UInt8] = []
    encoder.beforeContent(count: slice.count, to: &bytes)
    breakChunk(&bytes)
    output.append(bytes)
    output.append(slice)
    bytes.removeAll()
    encoder.afterContent(to: &bytes)
    output.append(bytes)
  }

  private mutating func append(_ content: [UInt8], to output: inout OutputQueue) {
    guard encoder.carriesContent, !content.isEmpty else { return }
    var bytes: [UInt8] = []
    encoder.beforeContent(count: Int64(content.count), to: &bytes)
    breakChunk(&bytes)
    bytes.append(contentsOf: content)
    encoder.afterContent(to: &bytes)
    output.append(bytes)
  }

  private mutating func encoded(_ head: ResponseHead) -> [UInt8] {
    var bytes: [UInt8] = []
    encoder.head(head, to: &bytes)
    guard let malformation, malformation != .chunk else { return bytes }
    self.malformation = nil
    return malformation.applied(toHead: bytes)
  }

  /// The first chunk's size line becomes one that no reader understands.
  private mutating func breakChunk(_ bytes: inout [UInt8]) {
    guard malformation == .chunk, isStreamed, let end = bytes.firstIndex(of: 0x0D) else { return }
    malformation = nil
    bytes.replaceSubrange(..<end, with: "no-size".utf8)
  }
}

import FixtureStore

/// A recording of a cassette.
public struct FixtureRecording: Sendable, Equatable, CustomStringConvertible {
  /// Its number in the cassette.
  public let interaction: Int
  /// As recorded.
  public let method: String
  /// As recorded.
  public let target: String

  /// `interaction 3 GET /feed`.
  public var description: String { "interaction \(interaction) \(method) \(target)" }

  /// Those with these numbers, in their order.
  package static func all(
    _ ids: [Int64], of reader: CassetteReader
  ) throws(StoreError) -> [FixtureRecording] {
    var recordings: [FixtureRecording] = []
    for id in ids {
      let request = try reader.interaction(id: id).request
      recordings.append(
        FixtureRecording(
          interaction: Int(id), method: String(decoding: request.method.bytes, as: UTF8.self),
          target: String(decoding: request.target, as: UTF8.self)))
    }
    return recordings
  }
}

import FixtureHTTP

/// An interaction on its way into a cassette: bodies are given as bytes, or were streamed before.
package struct InteractionDraft: Equatable, Sendable {
  /// The content of one message.
  package enum Body: Equatable, Sendable {
    case absent
    /// Whole, at most `BodyLimits.pieceBytesMax`.
    case bytes([UInt8])
    /// Given to the writer in pieces under this token.
    case streamed(BodyToken)
  }

  /// Everything but the body references, which the writer fills in.
  package var interaction: Interaction
  package var requestBody: Body
  package var responseBody: Body

  package init(interaction: Interaction, requestBody: Body, responseBody: Body) {
    self.interaction = interaction
    self.requestBody = requestBody
    self.responseBody = responseBody
  }
}

/// Names a body that is streamed into the writer; chosen by the recorder, unique in a recording.
package struct BodyToken: Hashable, Sendable {
  package let value: Int64

  package init(_ value: Int64) {
    self.value = value
  }
}

package enum BodyLimits {
  /// The largest `body_piece` row, and the largest body held in memory and shared by equal content:
  /// large enough that a row costs little, far below SQLite's limit of 10^9 bytes a value.
  package static let pieceBytesMax = 1 << 20
}

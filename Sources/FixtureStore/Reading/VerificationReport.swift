/// What a verification found in a cassette.
package struct VerificationReport: Equatable, Sendable {
  package var interactions: Int64 = 0
  package var bodies: Int64 = 0
  /// Content of all bodies that are complete, in bytes.
  package var bodyBytes: Int64 = 0
  /// At most `StoreLimits.findingsMax`, in the order they were found.
  package private(set) var findings: [Finding] = []
  /// All findings, listed or not.
  package private(set) var findingCount = 0

  /// Whether the cassette is as the format says, to the last byte.
  package var isSound: Bool { findingCount == 0 }

  mutating func add(_ finding: Finding) {
    findingCount += 1
    if findings.count < StoreLimits.findingsMax { findings.append(finding) }
  }
}

/// Something in a cassette that the format does not allow.
package enum Finding: Equatable, Sendable {
  /// What SQLite's own integrity check says.
  case integrity(String)
  /// An interaction with a value that can't be replayed.
  case interactionInvalid(id: Int64, column: String)
  case interimInvalid(interaction: Int64)
  /// Pieces are missing, out of sequence, or don't add up to the size.
  case bodyIncomplete(id: Int64)
  /// The content is not the one whose SHA-256 is stored.
  case bodyAltered(id: Int64)
  /// A piece that is empty or larger than 1 MiB.
  case pieceSize(body: Int64, seq: Int64)
  /// Left over from a recording that was interrupted; replay doesn't see it, repair removes it.
  case unusedBody(id: Int64)
  case unusedPieces(body: Int64)
  case unusedInterims(interaction: Int64)
}

extension Finding: CustomStringConvertible {
  package var description: String {
    switch self {
    case .integrity(let message): "integrity check: \(message)"
    case .interactionInvalid(let id, let column): "interaction \(id): \(column) is not valid"
    case .interimInvalid(let id): "interaction \(id): an interim response is not valid"
    case .bodyIncomplete(let id): "body \(id): its pieces do not add up"
    case .bodyAltered(let id): "body \(id): the content does not have the stored SHA-256"
    case .pieceSize(let body, let seq): "body \(body): piece \(seq) is empty or above 1 MiB"
    case .unusedBody(let id): "body \(id): no interaction uses it"
    case .unusedPieces(let body): "pieces of a body \(body) that does not exist"
    case .unusedInterims(let id): "interim responses of an interaction \(id) that does not exist"
    }
  }
}

/// What a repair did, in order.
package enum RepairAction: Equatable, Sendable {
  /// The interrupted recording's log was moved into the file: this many pages.
  case movedLog(pages: Int64)
  /// A transaction that was interrupted was undone.
  case rolledBack
  /// Back to a rollback journal, without side files.
  case leftLogMode
  /// Rows that no interaction uses.
  case removed(bodies: Int64, pieces: Int64, interims: Int64)
}

extension RepairAction: CustomStringConvertible {
  package var description: String {
    switch self {
    case .movedLog(let pages): "moved \(pages) pages of the interrupted recording into the file"
    case .rolledBack: "undid a change that was interrupted"
    case .leftLogMode: "made it one file without side files"
    case .removed(let bodies, let pieces, let interims):
      "removed \(bodies) bodies, \(pieces) pieces and \(interims) interim responses "
        + "that no interaction uses"
    }
  }
}

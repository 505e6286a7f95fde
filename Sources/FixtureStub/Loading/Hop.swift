import FixtureCoding
import FixtureHTTP
import FixtureReplay
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One exchange of a load. Confined to the task's queue.
final class Hop {
  /// What the fixture's journal has of it, as of the last `note`.
  var entry: JournalEntry
  let requestEnd_ns: Int64
  var playhead: Playhead
  /// When what was performed last was to be.
  var due_ns: Int64
  var sink: ClientSink
  /// On the link that the playhead waits for.
  var turn: SharedLinks.Turn?
  var response: ReplayedResponse?
  /// What the response leads to when it has come whole; it is not given to the client before.
  var following: Following?
  private var decoder: ContentDecoder?

  enum Following {
    case redirect(URLRequest, keepsContent: Bool)
    case challenge(BasicChallenge)
  }

  init(_ entry: JournalEntry, _ answer: PlannedAnswer, isHead: Bool, at now_ns: Int64) {
    self.entry = entry
    requestEnd_ns = answer.requestEnd_ns
    due_ns = now_ns
    playhead = Playhead(
      script: answer.script, accepted_ns: now_ns, requestHead_ns: now_ns,
      requestEnd_ns: answer.requestEnd_ns > now_ns ? nil : now_ns)
    sink = ClientSink(
      recorded: answer.script.framing, isHead: isHead,
      keepsAlive: answer.script.persistence != .ends)
  }

  /// What undoes the codings of a response's content.
  /// - Parameter passesUnknown: whether content in an unknown coding is passed on as it is.
  /// - Returns: what is wrong with them.
  func beginContent(_ fields: FieldSection, passesUnknown: Bool) -> TransportFailure? {
    let codings = ContentCoding.list(of: fields)
    guard !codings.isEmpty else { return nil }
    do throws(CodingError) {
      decoder = try ContentDecoder(codings, outputBytesMax: .max)
    } catch {
      return passesUnknown ? nil : .codingUnknown
    }
    return nil
  }

  /// - Returns: the content without its codings; nil when they are broken.
  func decoded(_ content: Data) -> Data? {
    guard decoder != nil else { return content }
    var decoded = Data()
    do throws(CodingError) {
      try decoder?.decode(Array(content)) { decoded.append(contentsOf: $0) }
    } catch {
      return nil
    }
    return decoded
  }

  /// Whether the content ended where its codings do.
  func contentEnds() -> Bool {
    guard decoder != nil else { return true }
    do throws(CodingError) {
      _ = try decoder?.finish()
      return true
    } catch {
      return false
    }
  }
}

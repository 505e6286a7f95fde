import FixtureFindings
import Foundation

extension FixtureControl {
  /// What a session is and counts.
  public struct SessionStatus: Decodable, Sendable {
    /// Where an upstream is served.
    public struct Address: Decodable, Sendable {
      /// Its name in the cassette; nil for the only, unnamed one.
      public let upstream: String?
      /// `http://127.0.0.1:40123`.
      public let url: URL
    }

    /// Where plays wait.
    public struct Gate: Decodable, Sendable {
      /// As rules name it.
      public let name: String
      /// How many plays wait there.
      public let waiting: Int
      /// Whether it lets everything pass.
      public let released: Bool
    }

    /// Its name.
    public let id: String
    /// One for each upstream, in the order of the cassette.
    public let addresses: [Address]
    /// The rules in force, one a line.
    public let scenario: String
    /// What they draw from; nil without rules.
    public let seed: UInt64?
    /// The flags that are raised.
    public let flags: [String]
    /// The gates that something waits at, or that were released.
    public let gates: [Gate]
    /// Seconds without use after which it ends; nil: it lasts as long as the process.
    public let lease: Int?
    /// How many request heads were read.
    public let exchanges: Int
    /// Of those, how many the journal does not have any more.
    public let dropped: Int
    /// Those that have not ended.
    public let open: Int
    /// Those that the client left before it had been sent everything.
    public let aborted: Int
    /// Bytes of responses, heads and bodies.
    public let bytesSent: Int
    /// Of those, bytes of bodies.
    public let bodyBytesSent: Int

    private enum CodingKeys: String, CodingKey {
      case id, scenario, seed, flags, gates, exchanges, dropped, open, aborted
      case addresses = "urls"
      case lease = "lease_s"
      case bytesSent = "bytes_sent"
      case bodyBytesSent = "body_bytes_sent"
    }

    /// Reads what the API answers.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      id = try members.decode(String.self, forKey: .id)
      addresses = try members.decode([Address].self, forKey: .addresses)
      scenario = try members.decode(String.self, forKey: .scenario)
      seed = try members.decodeIfPresent(String.self, forKey: .seed).flatMap { UInt64($0) }
      flags = try members.decode([String].self, forKey: .flags)
      gates = try members.decode([Gate].self, forKey: .gates)
      lease = try members.decodeIfPresent(Int.self, forKey: .lease)
      exchanges = try members.decode(Int.self, forKey: .exchanges)
      dropped = try members.decode(Int.self, forKey: .dropped)
      open = try members.decode(Int.self, forKey: .open)
      aborted = try members.decode(Int.self, forKey: .aborted)
      bytesSent = try members.decode(Int.self, forKey: .bytesSent)
      bodyBytesSent = try members.decode(Int.self, forKey: .bodyBytesSent)
    }
  }

  /// One exchange of a journal. Instants are milliseconds since the session began.
  public struct Exchange: Decodable, Sendable {
    /// What was asked. Fields and content are there when one exchange was asked for.
    public struct Request: Decodable, Sendable {
      /// As sent: `GET`.
      public let method: String
      /// As sent: `/search?q=a%20b`.
      public let target: String
      /// How many bytes its content has.
      public let contentSize: Int
      /// Names and values in their order, with repeats.
      public let fields: [[String]]?
      /// As text, or in base64 when `encoding` says so.
      public let content: String?
      /// `base64` for content that is no text.
      public let encoding: String?

      private enum CodingKeys: String, CodingKey {
        case method, target, fields, content, encoding
        case contentSize = "content_size"
      }

      /// The values of a field, whatever the case of its name.
      public func values(of name: String) -> [String] {
        (fields ?? []).filter { $0.count == 2 && $0[0].lowercased() == name.lowercased() }
          .map { $0[1] }
      }
    }

    /// What was answered.
    public struct Response: Decodable, Sendable {
      /// Of the final response.
      public let status: Int
      /// Names and values in their order, when one exchange was asked for.
      public let fields: [[String]]?
    }

    /// What the answer was made of.
    public struct Source: Decodable, Sendable {
      /// `interaction`, `rules`, `miss` or `none`.
      public let kind: String
      /// The number of the recording.
      public let interaction: Int?
      /// Of a miss, in a line.
      public let text: String?
    }

    /// What a rule left to chance.
    public struct Draw: Decodable, Equatable, Sendable {
      /// The rule, from 1.
      public let rule: Int
      /// Its words, as `delay 100ms..400ms`.
      public let clause: String
      /// A percentage, a delay, or 16 digits from which the bytes of a body follow.
      public let drawn: String
      /// Of a chance: whether what was drawn is below it; nil for anything else.
      public let holds: Bool?
    }

    /// When something was to be done, and was.
    public struct Moment: Decodable, Sendable {
      /// Milliseconds since the session began.
      public let due: Double
      /// The same, as it was.
      public let done: Double

      private enum CodingKeys: String, CodingKey {
        case due = "due_ms"
        case done = "done_ms"
      }
    }

    /// From 1, in the order in which heads were read.
    public let number: Int
    /// From 1, in the order in which connections came.
    public let connection: Int
    /// How many others were open when its head was read.
    public let concurrent: Int
    /// When its head was read.
    public let received: Double
    /// What was asked.
    public let request: Request
    /// nil while there is none, or when what was sent is no response.
    public let response: Response?
    /// What it was made of.
    public let source: Source
    /// The rules that had a part in it, from 1.
    public let rules: [Int]
    /// What rules left to chance, and what was drawn.
    public let draws: [Draw]
    /// When the head was to be sent, and was.
    public let head: Moment?
    /// The same for the last step.
    public let last: Moment?
    /// Bytes of heads.
    public let headBytes: Int
    /// Bytes of the body, framing included.
    public let bodyBytes: Int
    /// How it ended, or that it has not.
    public let outcome: FixtureOutcome
    /// How often the client took what was sent more than 20 ms late, and the rest of the plan moved
    /// with it.
    public let rebased: Int
    /// How the client of an aborted exchange left; nil for any other.
    public let left: FixtureDeparture?
    /// When it ended; nil while it has not.
    public let end: Double?

    private enum CodingKeys: String, CodingKey {
      case number, connection, concurrent, request, response, source, rules, draws, head, last
      case outcome
      case rebased, left
      case received = "received_ms"
      case headBytes = "head_bytes"
      case bodyBytes = "body_bytes"
      case end = "end_ms"
    }
  }
}

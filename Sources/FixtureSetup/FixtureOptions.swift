import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Foundation

/// How a cassette is replayed in process; the same as the options of `fixtured replay`.
public struct FixtureOptions: Sendable, Equatable {
  /// How recorded offsets are used: `--pace`.
  public enum Pace: Sendable, Equatable {
    /// Everything as soon as it can be given.
    case immediate
    /// As recorded.
    case recorded
    /// This many times as fast as recorded; positive and finite.
    case scaled(Double)
  }

  /// What a request gets when all recordings of its kind were played: `--exhausted`.
  public enum Exhausted: Sendable, Equatable {
    /// The last one again.
    case repeatLast
    /// A miss.
    case miss
    /// The first one, and so on.
    case cycle
  }

  /// Which dates responses have: `--date`.
  public enum Dates: Sendable, Equatable {
    /// Those of a server that answers now.
    case shifted
    /// The recorded ones, byte for byte.
    case recorded
    /// Those of a server whose clock stands still; whole seconds count.
    case frozen(Date)
  }

  /// By what recordings are found, in the words of `--match`: `+header:Accept,-content`. They come
  /// after those of the `fixtured.conf` beside the cassette.
  public var matching: String
  /// Instead of the scenario's own seed. Without either it is 1, so that a test does the same each
  /// time it runs.
  public var seed: UInt64?
  /// How recorded offsets are used.
  public var pace: Pace
  /// What comes after the last recording.
  public var exhausted: Exhausted
  /// Which dates responses have.
  public var dates: Dates
  /// Whether conditional and range requests, and HEAD, are answered from what was recorded whole:
  /// `--derive`.
  public var derives: Bool
  /// Whether answers carry `Fixtured-Interaction`, `Fixtured-Rule` and `Fixtured-Seed`:
  /// `--receipts`.
  public var givesReceipts: Bool

  /// The standard, unless it says more.
  public init(
    matching: String = "", seed: UInt64? = nil, pace: Pace = .immediate,
    exhausted: Exhausted = .repeatLast, dates: Dates = .shifted, derives: Bool = true,
    givesReceipts: Bool = false
  ) {
    self.matching = matching
    self.seed = seed
    self.pace = pace
    self.exhausted = exhausted
    self.dates = dates
    self.derives = derives
    self.givesReceipts = givesReceipts
  }
}

extension FixtureOptions {
  /// What is drawn from when nobody says.
  static let seedStandard: UInt64 = 1

  func pacing() throws(FixtureFailure) -> Pacing {
    switch pace {
    case .immediate: return .immediate
    case .recorded: return .recorded
    case .scaled(let factor):
      guard factor > 0, factor.isFinite else {
        throw .optionInvalid("pace is \(factor) times as fast: give a positive, finite number")
      }
      return .scaled(factor)
    }
  }

  var exhaustion: FixtureReplay.Exhausted {
    switch exhausted {
    case .repeatLast: .repeatLast
    case .miss: .miss
    case .cycle: .cycle
    }
  }

  var datePolicy: DatePolicy {
    switch dates {
    case .shifted: .shift
    case .recorded: .recorded
    case .frozen(let date):
      .frozen(HTTPDate(secondsSince1970: Int64(clamping: date.timeIntervalSince1970)))
    }
  }
}

extension Int64 {
  /// Whole seconds, towards the past.
  fileprivate init(clamping seconds: TimeInterval) {
    let whole = seconds.rounded(.down)
    self = Int64(exactly: whole) ?? (whole < 0 ? .min : .max)
  }
}

import FixtureCassette
import FixtureHTTP

extension Fault {
  /// The word that its clause begins with.
  var word: FaultWord {
    switch self {
    case .delay: .delay
    case .pause: .pause
    case .trickle: .trickle
    case .rate: .rate
    case .stall: .stall
    case .hang: .hang
    case .hold: .hold
    case .network: .network
    case .status: .status
    case .retryAfter: .retryAfter
    case .body: .body
    case .set: .set
    case .add: .add
    case .remove: .remove
    case .json: .json
    case .entityTag: .etag
    case .age: .age
    case .lastModified: .lastModified
    case .expires: .expires
    case .redirect: .redirect
    case .challenge: .challenge
    case .corrupt: .corrupt
    case .reset: .reset
    case .close: .close
    case .truncate: .truncate
    case .malformed: .malformed
    case .keepAlive: .keepAlive
    case .upload: .upload
    case .early: .early
    case .continue: .continue
    case .quota: .quota
    case .idempotency: .idempotency
    case .refuse: .refuse
    case .blackhole: .blackhole
    case .connections: .connections
    case .raise: .raise
    case .clear: .clear
    }
  }

  /// Whether this fault takes the place of an earlier one: the same word, for the same field, place
  /// or flag. `add` never does. Only one of `set` and `remove` counts for a field, and one of
  /// `raise` and `clear` for a flag.
  func replaces(_ earlier: Fault) -> Bool {
    switch (self, earlier) {
    case (.add, _): false
    case (.set(let name, _), .set(let other, _)), (.set(let name, _), .remove(let other)),
      (.remove(let name), .set(let other, _)), (.remove(let name), .remove(let other)),
      (.set(let name, _), .add(let other, _)), (.remove(let name), .add(let other, _)):
      name.equalsIgnoringCase(other)
    case (.json(let place, _), .json(let other, _)): place == other
    case (.raise(let flag), .raise(let other)), (.raise(let flag), .clear(let other)),
      (.clear(let flag), .raise(let other)), (.clear(let flag), .clear(let other)):
      flag == other
    default: word == earlier.word
    }
  }
}

extension NetworkProfile {
  /// The clauses it stands for, a rule each.
  var clauses: [(when: [When], faults: [Fault])] {
    switch self {
    case .edge:
      [([], [.delay(.between(.milliseconds(400), .milliseconds(800))), Self.link(30)])]
    case .thirdGeneration:
      [([], [.delay(.between(.milliseconds(100), .milliseconds(300))), Self.link(200)])]
    case .lte:
      [([], [.delay(.between(.milliseconds(50), .milliseconds(90))), Self.link(1500)])]
    case .lossy:
      [
        ([], [.delay(.between(.milliseconds(50), .milliseconds(250))), Self.link(500)]),
        ([.chance(.percent(10))], [.stall(.seconds(2), .at(.portion(.percent(50))))]),
        ([.chance(.percent(3))], [.reset(.at(.portion(.percent(50))))]),
      ]
    }
  }

  private static func link(_ kilobytes: Int64) -> Fault {
    .rate(.perSecond(.kilobytes(kilobytes)), shared: true)
  }
}

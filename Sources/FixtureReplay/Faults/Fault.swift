import FixtureCassette
import FixtureHTTP

/// What a rule does to an answer, a connection or a flag.
package enum Fault: Hashable, Sendable {
  // Timing.
  case delay(Delay)
  /// After the head.
  case pause(Duration)
  case trickle(Trickle)
  case rate(ByteRate, shared: Bool)
  case stall(Duration, Point)
  case hang(Point)
  case hold(Gate)
  case network(NetworkProfile)

  // Response.
  case status(Int)
  case retryAfter(RetryAfter)
  case body(Body)
  /// Replaces all fields of the name.
  case set([UInt8], [UInt8])
  case add([UInt8], [UInt8])
  case remove([UInt8])
  case json(JSONPointer, JSONLiteral)
  case entityTag(EntityTagChange)
  case age(Duration)
  case lastModified(ago: Duration)
  case expires(Expiry)
  case redirect(Redirect)
  case challenge(Challenge)
  case corrupt(Corruption)

  // Connection.
  case reset(Point)
  case close(Point)
  case truncate(Extent)
  case malformed(Malformation)
  case keepAlive(KeepAlive)
  /// How fast the request's content is read.
  case upload(ByteRate)
  /// Answered with this status before the content is read.
  case early(Int)
  case `continue`(Leave)
  case quota(Int64, per: Duration)
  case idempotency(Idempotency)
  case refuse
  case blackhole
  case connections(Int64, ConnectionExcess)

  // Flags.
  case raise(Flag)
  case clear(Flag)
}

/// How long until the head.
package enum Delay: Hashable, Sendable {
  case fixed(Duration)
  /// Drawn evenly, both ends included.
  case between(Duration, Duration)
  /// Drawn so that half of the delays are below the median; sigma is that of the logarithm.
  case lognormal(median: Duration, sigma: Proportion)
}

/// How content comes in pieces instead of as it was recorded.
package enum Trickle: Hashable, Sendable {
  /// A piece of this size each so often, the first at once.
  case size(ByteCount, every: Duration)
  /// Piece k at k/count of the time.
  case pieces(Int64, over: Duration)
}

/// Where in an answer something happens.
package enum Point: Hashable, Sendable {
  case at(Extent)
  case inHead
  case before(Phase)
  case after(Phase)

  /// Where a fault without a point of its own happens.
  package static let standard = Point.before(.head)
}

/// A place in the content.
package enum Extent: Hashable, Sendable {
  case bytes(ByteCount)
  case portion(Proportion)

  /// The place in content of this size, at most its end.
  package func position(in size: Int64) -> Int64 {
    switch self {
    case .bytes(let count): min(count.bytes, size)
    case .portion(let portion): min(portion.of(size), size)
    }
  }
}

/// Parts of an exchange, in order but for the last: that is the request, read whole and counted.
package enum Phase: String, CaseIterable, Hashable, Sendable {
  case request, head, content, end, commit
}

/// A kind of network, as rules that it stands for.
package enum NetworkProfile: String, CaseIterable, Hashable, Sendable {
  case edge
  case thirdGeneration = "3g"
  case lte, lossy
}

package enum RetryAfter: Hashable, Sendable {
  /// In seconds, rounded up.
  case delay(Duration)
  /// As the date that is so far from now.
  case date(Duration)
}

/// Content instead of the recorded one.
package enum Body: Hashable, Sendable {
  case bytes([UInt8])
  /// The path as it was written; whoever loads the scenario reads the file.
  case file(String)
  /// Drawn bytes: the same for a target and a generation of its tag, or new for each answer.
  case drawn(ByteCount, fresh: Bool)
}

/// When an entity tag changes, and what changes with it.
package struct EntityTagChange: Hashable, Sendable {
  package enum Schedule: Hashable, Sendable {
    case every(Int64)
    case each(Duration)
    /// Before the Nth request, from 1.
    case at([Int64])
  }

  package enum Content: Hashable, Sendable {
    case same
    /// The next recorded version.
    case next
    /// The generation is written to this place.
    case stamp(JSONPointer)
  }

  package var schedule: Schedule
  /// nil: the tag alone.
  package var content: Content?

  package init(_ schedule: Schedule, _ content: Content? = nil) {
    self.schedule = schedule
    self.content = content
  }
}

/// The `Expires` date, from `Date`.
package enum Expiry: Hashable, Sendable {
  case after(Duration)
  case ago(Duration)
}

package enum Redirect: Hashable, Sendable {
  /// The value of `Location`.
  case to([UInt8])
  /// To the request's own target.
  case loop
}

package enum Challenge: String, CaseIterable, Hashable, Sendable {
  case basic, bearer
}

package enum Corruption: String, CaseIterable, Hashable, Sendable {
  case json, utf8, gzip
}

package enum Malformation: String, CaseIterable, Hashable, Sendable {
  case status, field, chunk, length
}

package enum KeepAlive: Hashable, Sendable {
  case off
  /// The connection ends after so many exchanges.
  case exchanges(Int64)
  /// It ends when it was idle for so long.
  case idle(Duration)
}

/// What becomes of a client that waits for leave to send its content (RFC 9110 §10.1.1).
package enum Leave: Hashable, Sendable {
  case off
  case after(Duration)
}

package enum Idempotency: String, CaseIterable, Hashable, Sendable {
  case replay, conflict
  case inProgress = "in-progress"
}

package enum ConnectionExcess: String, CaseIterable, Hashable, Sendable {
  case queue, refuse, stall
}

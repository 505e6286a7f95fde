import FixtureExchange
import FixtureHTTP
import FixtureReplay

/// A whole answer in wire form, kept for everyone who asks for it. Its dates that move with the
/// clock are brought up to date where they stand, once a second at most.
final class KeptAnswer {
  private var image: AnswerImage
  private var head: AnsweredHead
  /// The date that `head` is right for.
  private var headDate: Int64
  private let marks: [DateMark]
  /// The one it was made for or brought up to, seconds since 1970.
  private var date: Int64

  init(_ image: AnswerImage, _ head: AnsweredHead, marks: [DateMark], date: Int64) {
    self.image = image
    self.head = head
    headDate = date
    self.marks = marks
    self.date = date
  }

  /// The answer as it is sent now.
  func image(at clock: SessionClock) -> AnswerImage {
    if !marks.isEmpty {
      let now = clock.now
      if date != now {
        date = now
        for mark in marks {
          image.overwrite(at: mark.offset, with: clock.text(after: mark.distance))
        }
      }
    }
    return image
  }

  /// What a journal says of the image that was asked for last.
  /// - Parameter made: makes the head of the play for a date.
  func head(as made: (_ date: Int64) -> ResponseHead?) -> AnsweredHead {
    if headDate != date {
      headDate = date
      head = AnsweredHead(made(date) ?? head.response, byteCount: head.byteCount)
    }
    return head
  }

  /// Bytes of memory.
  var byteCount: Int { image.byteCount }
}

extension AnswerImage {
  /// Bytes that begin with its head, and those of interim responses before it.
  var head: [UInt8] {
    switch self {
    case .bytes(let bytes): return bytes
    case .queue(let output):
      guard case .bytes(let bytes)? = output.front else { return [] }
      return bytes
    }
  }

  fileprivate var byteCount: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .queue(let output): output.heldCount
    }
  }

  fileprivate mutating func overwrite(at offset: Int, with text: [UInt8]) {
    // Given up meanwhile, so that the bytes are not copied for having two owners.
    let image = self
    self = .bytes([])
    switch consume image {
    case .bytes(var bytes):
      bytes.replaceSubrange(offset..<(offset + text.count), with: text)
      self = .bytes(bytes)
    case .queue(var output):
      output.overwriteFront(at: offset, with: text)
      self = .queue(output)
    }
  }
}

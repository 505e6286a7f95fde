import FixtureHTTP
import FixtureReplay

/// How long it takes to send the content of a request, as rules say.
enum UploadTime {
  /// So long libcurl waits for leave to send content before it sends it without.
  static let patience = Duration.seconds(1)

  static func of(_ count: Int, _ request: RequestHead, _ reading: RequestReading?) -> Duration {
    guard let reading else { return .zero }
    var time = Duration.zero
    if request.fields.list(.expect, holds: "100-continue"), let leave = reading.leave {
      switch leave {
      case .off: time = patience
      case .after(let delay): time = min(delay, patience)
      }
    }
    guard let rate = reading.rate else { return time }
    let nanoseconds = Int128(count) * 1_000_000_000 / Int128(rate.bytesPerSecond)
    return time + .nanoseconds(Int64(clamping: nanoseconds))
  }
}

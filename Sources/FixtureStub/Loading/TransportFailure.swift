import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What became of an exchange that gave no whole answer, as it would have happened on the wire.
enum TransportFailure: Equatable, Sendable {
  /// Nobody listens.
  case refused
  /// Nothing came for so long, or the whole took too long.
  case timedOut
  /// A RST, wherever it came.
  case reset
  /// A FIN before the response.
  case closedBeforeHead
  /// A FIN in the middle of the response's head.
  case closedInHead
  /// A FIN before the content had come whole.
  case cutShort
  /// A status line that is none.
  case statusMalformed
  /// A field line without a colon, or a length that is no number.
  case fieldMalformed
  /// A chunk without a size.
  case chunkMalformed
  /// Content that is not what its coding makes.
  case contentUndecodable
  /// Content in a coding that nobody knows; an error only where the platform makes it one.
  case codingUnknown
  case redirectsTooMany
  /// A GET with content.
  case contentNotAllowed
}

extension Fixture {
  /// Which code of `URLError` a failure on the wire becomes.
  public enum ErrorCodes: Sendable {
    /// The codes of Apple's URLSession, on every platform: a test then sees the same everywhere.
    case common
    /// Those that URLSession has on this platform. On Linux several are `.unknown` (-1).
    case platform
  }
}

extension TransportFailure {
  /// The code of Apple's URLSession.
  var commonCode: URLError.Code {
    switch self {
    case .refused: .cannotConnectToHost
    case .timedOut: .timedOut
    case .reset, .closedBeforeHead, .closedInHead, .cutShort: .networkConnectionLost
    case .statusMalformed, .fieldMalformed, .chunkMalformed: .cannotParseResponse
    case .contentUndecodable, .codingUnknown: .cannotDecodeContentData
    case .redirectsTooMany: .httpTooManyRedirects
    case .contentNotAllowed: .dataLengthExceedsMaximum
    }
  }

  /// The code of swift-corelibs-foundation, measured with Swift 6.3.1. A FIN in a head has none
  /// there: it ends the process.
  var linuxCode: URLError.Code {
    switch self {
    case .refused, .timedOut, .reset, .redirectsTooMany, .contentNotAllowed: commonCode
    case .closedBeforeHead, .closedInHead: .badServerResponse
    case .statusMalformed: .unsupportedURL
    case .cutShort, .fieldMalformed, .chunkMalformed, .contentUndecodable, .codingUnknown:
      .unknown
    }
  }

  func code(_ codes: Fixture.ErrorCodes) -> URLError.Code {
    #if canImport(FoundationNetworking)
      codes == .platform ? linuxCode : commonCode
    #else
      commonCode
    #endif
  }

  /// What happened, for the error's description.
  var words: String {
    switch self {
    case .refused: "the connection was refused"
    case .timedOut: "the request timed out"
    case .reset: "the connection was reset"
    case .closedBeforeHead: "the connection was closed before a response"
    case .closedInHead: "the connection was closed within the head of the response"
    case .cutShort: "the connection was closed before the content had come whole"
    case .statusMalformed: "the response has no status line"
    case .fieldMalformed: "a field of the response is malformed"
    case .chunkMalformed: "a chunk of the response is malformed"
    case .contentUndecodable: "the content can't be decoded"
    case .codingUnknown: "the content has a coding that is not known"
    case .redirectsTooMany: "there were too many redirects"
    case .contentNotAllowed: "a GET can't have content"
    }
  }
}

extension URLError {
  /// An error of a request, as URLSession makes them.
  init(_ code: URLError.Code, _ description: String, for url: URL?) {
    var details: [String: Any] = [NSLocalizedDescriptionKey: description]
    if let url { details[NSURLErrorFailingURLErrorKey] = url }
    self.init(code, userInfo: details)
  }
}

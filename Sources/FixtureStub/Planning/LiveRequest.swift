import FixtureHTTP

/// What is known of a request before it is sent, and the head that it would be sent with.
///
/// The fields that URLSession adds are those that Swift 6.3.1 sends on Linux, in its order:
///
///     Host  [Authorization]  Accept  Accept-Encoding  [Transfer-Encoding]
///     …the request's own and the configuration's…
///     Connection  User-Agent  Accept-Language  [Content-Type]  [Content-Length]
///
/// `[Authorization]` comes of a user name in the URL, `[Content-Type]` (a form) of a POST whose
/// request holds content and says none.
struct LiveRequest {
  /// What is known of the content.
  enum Content: Equatable {
    case absent
    case bytes(Int, ofRequest: Bool)
    /// Of a length that is not known before.
    case stream
  }

  var method: String
  var url: LiveURL
  /// The request's own fields.
  var fields: [(name: String, value: String)]
  /// The configuration's; the request's own count more.
  var additional: [(name: String, value: String)]
  var content: Content
  /// What the platform adds.
  var sender: Sender

  /// What clients of this process have in common.
  struct Sender: Sendable {
    var userAgent: String
    /// As `en`; nil for none.
    var language: String?
  }

  /// As measured; libcurl lists what it was built with.
  private static let codings = "deflate, gzip, br, zstd"

  var head: RequestHead {
    let given = merged()
    let names = Set(given.map { $0.name.lowercased() })
    var section = FieldSection()
    section.reserve(bytes: 512, lines: 12 + given.count)
    func add(_ name: StaticString, _ value: String) {
      if !names.contains("\(name)".lowercased()) { section.append(name, value) }
    }
    if !names.contains("host") { section.append("Host", url.authority) }
    if let userinfo = url.userinfo { add("Authorization", Self.basic(userinfo)) }
    add("Accept", "*/*")
    add("Accept-Encoding", Self.codings)
    if content == .stream { add("Transfer-Encoding", "chunked") }
    for field in given {
      section.append(name: Array(field.name.utf8), value: Self.value(field.value))
    }
    add("Connection", "keep-alive")
    add("User-Agent", sender.userAgent)
    if let language = sender.language { add("Accept-Language", language) }
    if method == "POST", content.isOfRequest {
      add("Content-Type", "application/x-www-form-urlencoded")
    }
    if let length { add("Content-Length", "\(length)") }
    return RequestHead(
      method: Method(Array(method.utf8)), target: url.target, version: .http11, fields: section)
  }

  private var length: Int? {
    switch content {
    case .absent: method == "GET" || method == "HEAD" ? nil : 0
    case .bytes(let count, _): count
    case .stream: nil
    }
  }

  private func merged() -> [(name: String, value: String)] {
    guard !additional.isEmpty else { return fields }
    let own = Set(fields.map { $0.name.lowercased() })
    return additional.filter { !own.contains($0.name.lowercased()) } + fields
  }

  /// No request is sent with more lines in a value than one.
  private static func value(_ text: String) -> [UInt8] {
    Array(text.utf8.filter { $0 != 0x0D && $0 != 0x0A && $0 != 0 })
  }

  /// RFC 7617 §2, of what stands in a URL.
  private static func basic(_ userinfo: ArraySlice<UInt8>) -> String {
    var bytes: [UInt8] = []
    var rest = userinfo
    while let byte = rest.popFirst() {
      if byte == 0x25, let high = rest.first?.hexDigitValue,
        let low = rest.dropFirst().first?.hexDigitValue
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    if !bytes.contains(0x3A) { bytes.append(0x3A) }
    return "Basic " + BasicCredentials.encoded(bytes)
  }
}

extension LiveRequest.Content {
  fileprivate var isOfRequest: Bool {
    switch self {
    case .absent: false
    case .bytes(let count, let ofRequest): ofRequest && count > 0
    case .stream: true
    }
  }
}

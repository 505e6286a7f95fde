/// A request method (RFC 9110 §9), case-sensitive.
///
/// The registered methods are cases so that comparing one costs no allocation; any other token is
/// kept byte for byte in `other`. Always made by `init(_:)`, so that equal methods are equal
/// values.
package enum Method: Hashable, Sendable {
  case get, head, post, put, delete, connect, options, trace, patch
  case other([UInt8])

  /// The method with these bytes; the bytes are not validated here (the codec does that).
  package init(_ bytes: some Collection<UInt8>) {
    switch bytes.count {
    case 3 where bytes.elementsEqual("GET".utf8): self = .get
    case 3 where bytes.elementsEqual("PUT".utf8): self = .put
    case 4 where bytes.elementsEqual("HEAD".utf8): self = .head
    case 4 where bytes.elementsEqual("POST".utf8): self = .post
    case 5 where bytes.elementsEqual("PATCH".utf8): self = .patch
    case 5 where bytes.elementsEqual("TRACE".utf8): self = .trace
    case 6 where bytes.elementsEqual("DELETE".utf8): self = .delete
    case 7 where bytes.elementsEqual("CONNECT".utf8): self = .connect
    case 7 where bytes.elementsEqual("OPTIONS".utf8): self = .options
    default: self = .other(Array(bytes))
    }
  }

  /// The same for bytes in place, at little cost for the registered methods.
  package init(_ bytes: UnsafeRawBufferPointer) {
    func spells(_ name: StaticString) -> Bool {
      for index in 0..<bytes.count where bytes[index] != name.utf8Start[index] { return false }
      return true
    }
    switch bytes.count {
    case 3 where spells("GET"): self = .get
    case 3 where spells("PUT"): self = .put
    case 4 where spells("HEAD"): self = .head
    case 4 where spells("POST"): self = .post
    case 5 where spells("PATCH"): self = .patch
    case 5 where spells("TRACE"): self = .trace
    case 6 where spells("DELETE"): self = .delete
    case 7 where spells("CONNECT"): self = .connect
    case 7 where spells("OPTIONS"): self = .options
    default: self = .other(Array(bytes))
    }
  }

  /// The bytes as they stand in a request line.
  package var bytes: [UInt8] {
    switch self {
    case .get: Array("GET".utf8)
    case .head: Array("HEAD".utf8)
    case .post: Array("POST".utf8)
    case .put: Array("PUT".utf8)
    case .delete: Array("DELETE".utf8)
    case .connect: Array("CONNECT".utf8)
    case .options: Array("OPTIONS".utf8)
    case .trace: Array("TRACE".utf8)
    case .patch: Array("PATCH".utf8)
    case .other(let bytes): bytes
    }
  }

  /// Whether the method is defined to be safe (RFC 9110 §9.2.1).
  package var isSafe: Bool {
    switch self {
    case .get, .head, .options, .trace: true
    case .post, .put, .delete, .connect, .patch, .other: false
    }
  }

  /// Whether repeating the request is defined to have the same effect as sending it once
  /// (RFC 9110 §9.2.2).
  package var isIdempotent: Bool {
    switch self {
    case .get, .head, .options, .trace, .put, .delete: true
    case .post, .connect, .patch, .other: false
    }
  }
}

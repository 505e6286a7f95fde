import FixtureCassette
import FixtureHTTP

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What `--with` supplies in the place of something redacted: `NAME: env:VARIABLE` or
/// `NAME: @FILE`, with `query:NAME` for a query parameter. Never the secret itself, which everybody
/// on the machine could read on the command line.
struct SuppliedSecret: Equatable, Sendable {
  enum Place: Equatable, Sendable {
    /// In lower case.
    case field(String)
    case query(String)
  }

  enum Source: Equatable, Sendable {
    case environment(String)
    case file(String)
  }

  let place: Place
  let source: Source

  static let expected = "'NAME: env:VARIABLE' or 'NAME: @FILE', never the secret itself"

  /// - Returns: nil for anything else.
  init?(parsing text: String) {
    var name = text[...]
    let isQuery = text.hasPrefix("query:")
    if isQuery { name = name.dropFirst("query:".count) }
    guard let colon = name.firstIndex(of: ":") else { return nil }
    let value = name[name.index(after: colon)...].drop { $0 == " " }
    name = name[..<colon]
    guard !name.isEmpty else { return nil }
    if isQuery {
      place = .query(String(name))
    } else {
      guard name.utf8.allSatisfy(\.isTokenCharacter) else { return nil }
      place = .field(name.lowercased())
    }
    if value.hasPrefix("env:"), value.count > 4 {
      source = .environment(String(value.dropFirst(4)))
    } else if value.hasPrefix("@"), value.count > 1 {
      source = .file(String(value.dropFirst()))
    } else {
      return nil
    }
  }

  /// The rule of `--redact` that keeps it out of recordings.
  var rule: String {
    switch place {
    case .field(let name): "header:\(name)"
    case .query(let name): "query:\(name)"
    }
  }

  /// The rule that keeps it out wherever else it is spelled.
  fileprivate var text: TextSource {
    switch source {
    case .environment(let name): .environment(name)
    case .file(let path): .file(path)
    }
  }

  /// Why a secret can't be had. Its text never is part of it.
  struct Missing: Error {
    let reason: String
  }

  /// The secret, without a newline at its end.
  func value() throws(Missing) -> [UInt8] {
    let value: [UInt8]
    switch source {
    case .environment(let name):
      guard let text = getenv(name) else {
        throw Missing(reason: "--with needs the variable \(name.quotedForTerminal), set it")
      }
      value = Array(String(cString: text).utf8)
    case .file(let path):
      do throws(FileError) {
        guard let contents = try File.contents(path, bytesMax: 64 << 10) else {
          throw FileError(path: path, call: "open", errno: ENOENT)
        }
        value = contents
      } catch {
        throw Missing(reason: "--with needs a file that can be read, \(error.description)")
      }
    }
    let trimmed = Array(value.drop(while: \.isLineSpace).reversed().drop(while: \.isLineSpace))
    guard !trimmed.isEmpty, trimmed.allSatisfy({ $0.isFieldValueByte }) else {
      throw Missing(reason: "what --with supplies for \(rule) is empty or has several lines")
    }
    return trimmed.reversed()
  }
}

extension UInt8 {
  fileprivate var isLineSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

/// The secrets that are there, put into requests.
struct SuppliedSecrets {
  private var fields: [String: [UInt8]] = [:]
  private var queries: [String: [UInt8]] = [:]
  /// What the recorder looks for everywhere.
  private(set) var texts: [TextSecrets] = []

  init(_ secrets: [SuppliedSecret]) throws(SuppliedSecret.Missing) {
    for secret in secrets {
      switch secret.place {
      case .field(let name): fields[name] = try secret.value()
      case .query(let name): queries[name] = try secret.value()
      }
      let parts = Self.parts(try secret.value(), of: secret.place)
      texts.append(
        TextSecrets(source: secret.text, secrets: parts.filter(TextSecrets.canBeFound)))
    }
  }

  /// What of it is secret: all, and what stands behind a scheme; of cookies their values.
  private static func parts(_ value: [UInt8], of place: SuppliedSecret.Place) -> [[UInt8]] {
    if place == .field("cookie") {
      return value.split(separator: 0x3B).map { pair in
        let start = pair.firstIndex(of: 0x3D).map { $0 + 1 } ?? pair.startIndex
        return Array(pair[start...].trimmingOptionalWhitespace)
      }
    }
    guard let space = value.lastIndex(of: 0x20) else { return [value] }
    return [value, Array(value[(space + 1)...])]
  }

  /// Replaces the placeholders of a request.
  /// - Returns: the places that stay redacted, in the words of `--with`.
  func fill(_ request: inout RequestHead) -> [String] {
    var left: [String] = []
    request.fields = request.fields.mapValues { name, value in
      let places = Placeholder.places(in: Array(value))
      guard !places.isEmpty else { return value }
      let word = String(decoding: name, as: UTF8.self)
      guard let secret = fields[word.lowercased()] else {
        if !left.contains(word) { left.append(word) }
        return value
      }
      return Self.filled(value, places, name: word.lowercased(), with: secret)[...]
    }
    request.target = filled(request.target, &left)
    return left
  }

  /// A scheme that was recorded stays, unless the secret brings its own.
  private static func filled(
    _ value: ArraySlice<UInt8>, _ places: [Placeholder.Place], name: String, with secret: [UInt8]
  ) -> [UInt8] {
    let value = Array(value)
    guard places.count == 1, name != "cookie", !secret.contains(0x20) else { return secret }
    return value[..<places[0].range.lowerBound] + secret + value[places[0].range.upperBound...]
  }

  private func filled(_ target: [UInt8], _ left: inout [String]) -> [UInt8] {
    guard !Placeholder.places(in: target).isEmpty else { return target }
    guard let query = RequestTarget.split(target).query else {
      left.append("path")
      return target
    }
    var result = target[..<query.startIndex]
    let pieces = query.split(separator: 0x26, omittingEmptySubsequences: false)
    for (index, piece) in pieces.enumerated() {
      if index > 0 { result.append(0x26) }
      let equals = piece.firstIndex(of: 0x3D) ?? piece.endIndex
      guard !Placeholder.places(in: Array(piece)).isEmpty, equals < piece.endIndex else {
        result += piece
        continue
      }
      let name = String(decoding: QueryPairs.formDecoded(piece[..<equals]), as: UTF8.self)
      if let secret = queries[name] {
        result += piece[...equals] + PercentEncoding.encoded(secret)
      } else {
        result += piece
        if !left.contains("query:\(name)") { left.append("query:\(name)") }
      }
    }
    // A placeholder in the path has no name to supply it by.
    if !Placeholder.places(in: Array(result[..<query.startIndex])).isEmpty { left.append("path") }
    return Array(result)
  }
}

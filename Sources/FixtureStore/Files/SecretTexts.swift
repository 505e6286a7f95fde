import FixtureCassette

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The secrets that `text:` rules name, from where they are kept.
package enum SecretTexts {
  /// Larger files are no list of secrets.
  package static let fileBytesMax = 1 << 20

  /// The secrets of a source, at least one, none of them empty. The C function is `getenv`.
  /// - Throws: why there is none. No secret is part of it.
  package static func secrets(of source: TextSource) throws(SecretTextError) -> [[UInt8]] {
    let secrets: [[UInt8]]
    switch source {
    case .environment(let name):
      guard let value = getenv(name) else { throw .variableMissing(name) }
      secrets = [Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))]
    case .file(let path): secrets = TextSource.secrets(inLines: try contents(path))
    }
    let usable = secrets.filter { !$0.isEmpty }
    if usable.isEmpty { throw .nothing(source) }
    return usable
  }

  /// The secrets of a source that a cassette names: variables, and files that were named here too.
  /// A cassette is data from outside, which must not make anybody read a file.
  /// - Returns: nil where they are not known. A replay does without: the client may send what
  ///   stands in the cassette.
  package static func known(_ source: TextSource, to named: [TextSource]) -> [[UInt8]]? {
    if case .file = source, !named.contains(source) { return nil }
    do {
      return try secrets(of: source)
    } catch {
      return nil
    }
  }

  private static func contents(_ path: String) throws(SecretTextError) -> [UInt8] {
    let contents: [UInt8]?
    do throws(SmallFile.Failure) {
      contents = try SmallFile.contents(path, bytesMax: fileBytesMax, waitsForWriter: true)
    } catch {
      switch error {
      case .system(let call, let code): throw .system(path: path, call: call, errno: code)
      case .tooLarge(let bytesMax): throw .fileTooLarge(path, bytesMax: bytesMax)
      }
    }
    guard let contents else { throw .fileMissing(path) }
    return contents
  }
}

/// Why a source has no secrets.
package enum SecretTextError: Error, Equatable {
  case variableMissing(String)
  case fileMissing(String)
  case fileTooLarge(String, bytesMax: Int)
  case system(path: String, call: String, errno: Int32)
  case nothing(TextSource)
}

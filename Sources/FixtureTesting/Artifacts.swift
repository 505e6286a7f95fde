import Foundation

/// Where reports of failed tests are put: the folder that `FIXTURED_ARTIFACTS` names.
struct Artifacts {
  let folder: URL

  /// nil when the environment names no folder.
  init?(environment: [String: String]) {
    guard let path = environment["FIXTURED_ARTIFACTS"], !path.isEmpty else { return nil }
    folder = URL(fileURLWithPath: path, isDirectory: true)
  }

  /// Writes a report into a file named after its test; a second one of that name gets a number.
  ///
  /// - Returns: where it lies.
  /// - Throws: what the system says when the folder can't be made or written.
  @discardableResult
  func write(_ text: String, of test: String) throws -> URL {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for number in 1...Self.filesOfOneNameMax {
      let suffix = number == 1 ? "" : "-\(number)"
      let file = folder.appending(path: Self.fileName(of: test) + suffix + ".txt")
      do {
        try Data(text.utf8).write(to: file, options: .withoutOverwriting)
        return file
      } catch let error as CocoaError where error.code == .fileWriteFileExists {
        continue
      }
    }
    throw CocoaError(.fileWriteFileExists)
  }

  /// More than anybody runs into one folder.
  private static let filesOfOneNameMax = 10_000
  /// Most file systems take 255 bytes.
  private static let nameBytesMax = 200

  static func fileName(of test: String) -> String {
    let kept = test.utf8.map { byte in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte) || byte == 0x2E || byte == 0x5F
      return isPlain ? byte : 0x2D
    }
    return String(decoding: kept.prefix(nameBytesMax), as: UTF8.self)
  }
}

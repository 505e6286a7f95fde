import Foundation

/// The files of this repository, found from where this source file lies.
enum Repository {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Every text file, read once. Build products and whatever else starts with a dot are left out,
  /// except the files of ours that do.
  static let files: [SourceFile] = {
    let hidden: Set = [".ci", ".swift-format", ".gitignore", ".dockerignore"]
    let top = (contents(of: root) ?? []).filter { !$0.hasPrefix(".") || hidden.contains($0) }
    return top.flatMap { files(at: root.appending(path: $0), named: $0) }
  }()

  static var swiftFiles: [SourceFile] { files.filter { $0.path.hasSuffix(".swift") } }
  static var sources: [SourceFile] { swiftFiles.filter { $0.path.hasPrefix("Sources/") } }

  /// The names in a folder in order; nil when it is not one.
  private static func contents(of folder: URL) -> [String]? {
    // Whatever keeps a folder from being read, nothing in it can be judged.
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.sorted()
  }

  private static func files(at url: URL, named path: String) -> [SourceFile] {
    if let names = contents(of: url) {
      return names.filter { !$0.hasPrefix(".") }
        .flatMap { files(at: url.appending(path: $0), named: "\(path)/\($0)") }
    }
    // What is not UTF-8 is a cassette or the like: no text to judge.
    guard let text = try? String(contentsOf: url, encoding: .utf8) else { return [] }
    return [SourceFile(path: path, text: text)]
  }
}

/// One text file, by its path from the repository's root.
struct SourceFile: Sendable {
  let path: String
  let lines: [Substring]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The target's name: the folder below `Sources` or `Tests`.
  var target: String {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : ""
  }

  /// `path:line: text` of every line for which `matches` is true.
  func findings(_ matches: (Substring) -> Bool) -> [String] {
    lines.indices.filter { matches(lines[$0]) }.map { finding(at: $0) }
  }

  func finding(at index: Int) -> String {
    "\(path):\(index + 1): \(lines[index].trimmingCharacters(in: .whitespaces))"
  }
}

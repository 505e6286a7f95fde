import Foundation
import Testing

/// What no compiler checks: the rules of the code base that are about its text.
@Suite struct Tidy {
  @Test func `a source file has at most 400 lines`() {
    let long = Repository.swiftFiles.filter { $0.lines.count > 401 }
    #expect(long.map { "\($0.path): \($0.lines.count - 1)" } == [])
  }

  @Test func `a line has at most 100 columns`() {
    let scripts = Repository.files.filter { file in
      [".swift", ".h", ".c", ".sh", ".py"].contains { file.path.hasSuffix($0) }
    }
    // The formatter can't break a line that is one literal.
    let isLiteral = { (line: Substring) in line.drop { $0 == " " }.hasPrefix("\"") }
    #expect(scripts.flatMap { $0.findings { $0.count > 100 && !isLiteral($0) } } == [])
  }

  @Test func `a function has at most 70 lines`() {
    let starts = [" func ", " init(", " init?(", "func ", "init("]
    for file in Repository.swiftFiles {
      for (index, line) in file.lines.enumerated() where line.hasSuffix("{") {
        guard starts.contains(where: { $0.first == " " ? line.contains($0) : line.hasPrefix($0) })
        else { continue }
        // The formatter puts the closing brace under the line that begins the declaration.
        let end = String(line.prefix { $0 == " " }) + "}"
        let length = file.lines[index...].firstIndex { $0 == end }.map { $0 - index + 1 } ?? 0
        #expect(length <= 70, "\(file.finding(at: index)): \(length) lines")
      }
    }
  }

  @Test func `nothing is left to do`() throws {
    let marks = bannedMarks.joined(separator: "|")
    let pattern = try Regex("(?:^|[^A-Za-z])(?:\(marks))(?:[^A-Za-z]|$)")
    #expect(Repository.files.flatMap { $0.findings { $0.contains(pattern) } } == [])
  }

  @Test func `every source file declares something`() {
    let empty = Repository.swiftFiles.filter { file in
      file.lines.allSatisfy { line in
        let text = line.drop { $0 == " " }
        return text.isEmpty || text.hasPrefix("//") || text.hasPrefix("import ")
      }
    }
    #expect(empty.map(\.path) == [])
  }

  @Test func `our code never stops the process with a message`() {
    #expect(Repository.sources.flatMap { $0.findings { $0.contains("fatalError(\"") } } == [])
  }

  @Test func `one thing has one name`() {
    for file in Repository.swiftFiles {
      for (index, line) in file.lines.enumerated() {
        for word in words(of: line) {
          guard let better = bannedWords[word] else { continue }
          Issue.record("\(file.finding(at: index)): say \(better), not \(word)")
        }
      }
    }
  }

  @Test func `no file names a path of the machine it was written on`() {
    let folders = ["work", "root", "home"]
    let found = Repository.files.flatMap { file in
      file.findings { line in
        folders.contains { folder in
          line.ranges(of: "/\(folder)/").contains { range in
            let before = line[..<range.lowerBound].last ?? " "
            return !(before.isLetter || before.isNumber || before == "}" || before == ".")
          }
        }
      }
    }
    #expect(found == [])
  }

  @Test func `a link within the README leads to one of its headings`() throws {
    let readme = try #require(Repository.files.first { $0.path == "README.md" })
    let anchors = readme.lines.filter { $0.hasPrefix("##") }.map { heading in
      heading.drop { $0 == "#" }.dropFirst().lowercased().replacing(" ", with: "-")
        .filter { $0.isLetter || $0.isNumber || $0 == "-" }
    }
    let dead = readme.lines.flatMap { line in
      line.matches(of: /\]\(#([^)]*)\)/).map { String($0.1) }.filter { !anchors.contains($0) }
    }
    #expect(anchors.count > 40)
    #expect(dead == [])
  }

  /// Lower-case words of every identifier in the line: `readAll_us` gives read, all, us.
  private func words(of line: Substring) -> [String] {
    var words: [String] = []
    var word = ""
    for character in line {
      guard character.isLetter else {
        words.append(word)
        word = ""
        continue
      }
      if character.isUppercase, word.last?.isLowercase == true {
        words.append(word)
        word = ""
      }
      word.append(character)
    }
    return (words + [word]).filter { !$0.isEmpty }.map { $0.lowercased() }
  }
}

import Foundation
import Testing

/// SwiftPM refuses a graph in which two packages have a target of the same name.
@Suite struct Resolution {
  @Test(.timeLimit(.minutes(5)))
  func `the package loads beside packages with targets CSystem, CSQLite and Replay`() throws {
    let loaded = try loadGraph(neighbours: ["CSystem", "CSQLite", "Replay"])
    #expect(loaded.status == 0, "\(loaded.output)")
    #expect(loaded.output.contains("csqlite"))
  }

  @Test(.timeLimit(.minutes(5)))
  func `a neighbour with a target of ours is refused`() throws {
    let loaded = try loadGraph(neighbours: ["FixtureHTTP"])
    #expect(loaded.status != 0)
    #expect(loaded.output.contains("FixtureHTTP"), "\(loaded.output)")
  }

  /// Lets SwiftPM load a package that depends on this one and on one package for each neighbour.
  private func loadGraph(neighbours: [String]) throws -> (status: Int32, output: String) {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "fixtured-resolution-\(UUID().uuidString)")
    // A folder left in the temporary directory is no reason to fail.
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in neighbours {
      try write(manifest(neighbour: name), to: folder.appending(path: name), target: name)
    }
    let user = folder.appending(path: "User")
    try write(manifest(user: neighbours), to: user, target: "User")
    return try run(["swift", "package", "--package-path", user.path, "show-dependencies"])
  }

  private func write(_ manifest: String, to folder: URL, target: String) throws {
    let sources = folder.appending(path: "Sources/\(target)")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    try Data(manifest.utf8).write(to: folder.appending(path: "Package.swift"))
    try Data("enum Empty {}\n".utf8).write(to: sources.appending(path: "Empty.swift"))
  }

  private func manifest(neighbour name: String) -> String {
    """
    // swift-tools-version: 6.2
    import PackageDescription
    let package = Package(
      name: "\(name)", products: [.library(name: "\(name)", targets: ["\(name)"])],
      targets: [.target(name: "\(name)")])
    """
  }

  private func manifest(user neighbours: [String]) -> String {
    let paths = neighbours.map { ".package(path: \"../\($0)\")" }
    let products = neighbours.map { ".product(name: \"\($0)\", package: \"\($0)\")" }
    let ours = Repository.root
    return """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "User", platforms: [.macOS(.v15)],
        dependencies: [
          .package(name: "fixtured", path: "\(ours.path)"), \(paths.joined(separator: ", "))
        ],
        targets: [
          .target(
            name: "User",
            dependencies: [
              .product(name: "fixtured", package: "fixtured"), \(products.joined(separator: ", "))
            ])
        ])
      """
  }

  private func run(_ command: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    let pipe = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}

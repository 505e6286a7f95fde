/// What a recording that replaces a cassette has to know of the file that is there.
package enum CassetteReplacement {
  /// Where a new file has to be put to replace the one at `path`: there, or where a symbolic link
  /// leads.
  ///
  /// A cassette may be replaced, whatever its state, and so may an empty file or none.
  /// - Throws: `.notRegularFile`, `.notCassette`, `.formatNewer` and `.formatUnknown` for what
  ///   somebody else may need; `.sideFile` for a recording that was interrupted or still runs: its
  ///   log would be taken for that of the new file.
  package static func place(of path: String) throws(StoreError) -> String {
    switch try FileSystem.kind(path: path) {
    case nil: return path
    case .other: throw .notRegularFile(path: path)
    case .regular(size: 0): break
    case .regular:
      let connection = try SQLiteConnection(path: path, mode: .readOnly)
      _ = try CassetteOpening.checkHeader(connection)
      try CassetteOpening.checkNoRecording(connection)
    }
    return try FileSystem.linkTarget(path: path) ?? path
  }
}

/// The version of this program.
enum Version {
  static let text = "0.1.0"
  /// What a cassette says about the program that made it.
  static let createdBy = "fixtured \(text)"
}

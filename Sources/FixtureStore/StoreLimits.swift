/// The bounds of the store, each with its reason.
package enum StoreLimits {
  /// The largest value read from a cassette. Pieces hold 1 MiB, header sections are limited by the
  /// codec to a fraction of that, and a million arrivals take about 5 MB; more is a hostile file.
  package static let valueBytesMax = 16 << 20

  /// The highest id of an interaction or a body. Ids count up from the highest in the file, so one
  /// near the last of 64 bits would leave none; up to here JSON readers know integers exactly.
  package static let idMax: Int64 = 1 << 53

  /// Bytes of streamed bodies held back until they fill a piece, over all bodies that are open.
  /// Beyond it the fullest one is written as a shorter piece.
  package static let openBodyBytesMax = 16 << 20

  /// Bodies remembered while recording so that equal content shares a row: 65,536 of 48 bytes.
  package static let sharedBodiesMax = 1 << 16

  /// Pages of the write-ahead log (8 KiB each) after which the writer moves them into the file:
  /// 16 MiB, four times SQLite's default, because that move stalls commits by an fsync or two.
  package static let logPagesMax = 2048

  /// Bytes of the log after which the kernel is told to write them to the disk: some milliseconds
  /// of a disk's time.
  package static let logWritebackBytes: Int64 = 1 << 20

  /// How long the writer waits for a lock that another process holds, in milliseconds. Well under
  /// the 2 s in which a signalled recorder has to end.
  package static let busyTimeout_ms: Int32 = 1000

  /// Piece positions a reader remembers, over all bodies: 24 bytes each.
  package static let knownPiecesMax = 1 << 16

  /// Findings that a verification lists; the rest is only counted.
  package static let findingsMax = 100
}

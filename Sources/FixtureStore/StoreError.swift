import CFixtureSQLite

/// Why a cassette could not be opened, read or written. Each case is a fact about a file;
/// `description` is one line: what, where, what to do.
package enum StoreError: Error, Equatable, Sendable {
  case notFound(path: String)
  case journalNotFound(path: String)
  /// A directory, a device, a pipe or a socket.
  case notRegularFile(path: String)
  case emptyFile(path: String)
  /// Not SQLite, or SQLite of another application.
  case notCassette(path: String)
  /// Bytes are missing at its end.
  case cutShort(path: String, size: Int64, expected: Int64)
  /// Written by a later version of the program.
  case formatNewer(path: String, version: Int64)
  /// The format version is one that no version of the program wrote.
  case formatUnknown(path: String, version: Int64)
  /// A side file of SQLite lies beside it: a recording was interrupted, or still runs.
  case sideFile(path: String, sideFile: String)
  /// A recorder has it open and has not written to it yet.
  case inUse(path: String)
  /// The header says write-ahead log, which only a recording that was interrupted leaves.
  case unfinished(path: String)
  /// The schema is not that of its format version; names the first table, index, view or trigger
  /// that is missing, changed or not ours.
  case schemaForeign(path: String, object: String)
  /// A journal was to be written or read, and something else lies there.
  case notJournal(path: String)
  /// A journal in another format than the one that is read.
  case journalFormat(path: String, version: Int64)
  /// Another process writes to the journal.
  case journalInUse(path: String)
  /// A new cassette was to be made and the file is there.
  case exists(path: String)
  /// Another process is changing the cassette.
  case changing(path: String)
  /// Another file has taken the cassette's place while it was changed.
  case changedMeanwhile(path: String)
  case interactionMissing(path: String, id: Int64)
  case bodyMissing(path: String, id: Int64)
  /// A value that the format does not allow; the row's id, nil where the table has none.
  case valueInvalid(path: String, table: String, id: Int64?, column: String)
  /// The pieces of a body are not in sequence or do not add up to its size.
  case bodyDamaged(path: String, id: Int64)
  /// The body's bytes are not those that were recorded.
  case bodyAltered(path: String, id: Int64)
  /// A draft named a body token that was never appended to, or abandoned.
  case bodyTokenUnknown(path: String, token: Int64)
  /// Work was given to a writer that is closed.
  case writerClosed(path: String)
  /// A system call other than SQLite's own failed.
  case system(path: String, call: String, errno: Int32)
  case sqlite(SQLiteFailure)
}

/// A failed SQLite call.
package struct SQLiteFailure: Error, Equatable, Sendable {
  package let path: String
  /// The C function.
  package let function: String
  /// The extended result code.
  package let code: Int32
  package let message: String
  /// The statement, never with bound values.
  package let sql: String?

  /// The low byte: SQLITE_FULL, SQLITE_BUSY, …
  package var primaryCode: Int32 { code & 0xFF }

  /// Another connection is in the way.
  package var isBusy: Bool { primaryCode == SQLITE_BUSY }
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .journalNotFound(let path):
      "\(path): no such journal; check the path or make it with fixtured replay --journal \(path)"
    case .notFound(let path): "\(path): no such cassette; check the path or record it first"
    case .notRegularFile(let path): "\(path): not a file; name a cassette file"
    case .emptyFile(let path): "\(path): the file is empty; delete it and record again"
    case .notCassette(let path): "\(path): not a cassette; name a file made by fixtured record"
    case .cutShort(let path, let size, let expected):
      "\(path): the file is cut short (\(size) of \(expected) bytes); restore it or record it again"
    case .formatNewer(let path, let version):
      "\(path): has format version \(version) and this fixtured reads up to "
        + "\(CassetteFormat.version); use a newer fixtured"
    case .formatUnknown(let path, let version):
      "\(path): has format version \(version), which does not exist; restore or record it again"
    case .sideFile(let path, let sideFile):
      "\(path): a recording was interrupted or still runs (\(sideFile) lies beside it); "
        + repairHint(path)
    case .inUse(let path): "\(path): a recording still runs; end it first"
    case .unfinished(let path): "\(path): a recording was interrupted; " + repairHint(path)
    case .schemaForeign(let path, let object):
      "\(path): \(object) is not as in format version \(CassetteFormat.version); "
        + "restore the file or record it again"
    case .notJournal(let path):
      "\(path): the file is no journal of fixtured and is left as it is; name another one"
    case .journalFormat(let path, let version):
      "\(path): a journal of format version \(version), and this fixtured reads "
        + "\(JournalFormat.version); use the fixtured that wrote it"
    case .journalInUse(let path): "\(path): another fixtured writes to it; name another file"
    case .exists(let path): "\(path): the file exists; choose a --mode or another name"
    case .changing(let path):
      "\(path): another fixtured is changing it; let that end first"
    case .changedMeanwhile(let path):
      "\(path): was replaced meanwhile and is left as it is; do it again"
    case .interactionMissing(let path, let id):
      "\(path): no interaction \(id); fixtured inspect \(path) lists them"
    case .bodyMissing(let path, let id): "\(path): no body \(id); run fixtured verify \(path)"
    case .valueInvalid(let path, let table, let id, let column):
      "\(path): \(table)\(id.map { " \($0)" } ?? ""): \(column) is not valid; "
        + "run fixtured verify \(path)"
    case .bodyDamaged(let path, let id):
      "\(path): body \(id): its pieces do not add up; run fixtured verify \(path)"
    case .bodyAltered(let path, let id):
      "\(path): body \(id): its bytes are not those that were recorded; run fixtured verify \(path)"
    case .bodyTokenUnknown(let path, let token):
      "\(path): an interaction names body \(token), which was not streamed"
    case .writerClosed(let path): "\(path): the recording is closed"
    case .system(let path, let call, let errno): "\(path): \(call): \(errorText(errno))"
    case .sqlite(let failure): failure.description
    }
  }

  private func repairHint(_ path: String) -> String { "run fixtured verify --repair \(path)" }
}

extension SQLiteFailure: CustomStringConvertible {
  package var description: String {
    let statement = sql.map { " in \"\($0.prefix(while: { $0 != "\n" }))\"" } ?? ""
    return "\(path): \(message) (\(function), code \(code)\(statement)); \(remedy)"
  }

  private var remedy: String {
    switch primaryCode {
    case SQLITE_CORRUPT, SQLITE_NOTADB: "the file is damaged: restore it or record it again"
    case SQLITE_FULL: "free some space on the disk"
    case SQLITE_BUSY, SQLITE_LOCKED: "another process uses the file: end it first"
    case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM: "check the permissions of file and folder"
    case SQLITE_IOERR: "check the disk"
    case SQLITE_TOOBIG: "a value is larger than the format allows"
    default: "run fixtured verify \(path)"
    }
  }
}

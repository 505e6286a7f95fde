import FixtureCassette
import FixtureCoding
import FixtureHTTP
import FixtureStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `fixtured scan`: looks for what a recording should not hold.
enum ScanCommand {
  static func run(_ options: ScanOptions) -> ExitStatus {
    let output = Output(descriptor: STDOUT_FILENO)
    var status = ExitStatus.success
    for path in options.cassettes {
      do {
        let found = try scan(path, to: output)
        if found { status = .failure }
      } catch {
        output.flush()
        Diagnostic.write(error.description)
        status = .failure
      }
    }
    let printing = output.finishPrinting()
    return printing == .success ? status : printing
  }

  /// - Returns: whether something was found.
  private static func scan(_ path: String, to output: Output) throws(StoreError) -> Bool {
    let reader = try CassetteReader(path: path)
    let rules = RedactionRules(stored: reader.description.redactions ?? [])
    let ids = try reader.interactionIDs()
    var count = 0
    for id in ids where output.isOpen {
      let interaction = try reader.interaction(id: id)
      var scan = CredentialScan(rules: rules)
      scan.scan(interaction)
      try self.scan(.request, interaction.requestBody, interaction.request.fields, reader, &scan)
      try self.scan(
        .response, interaction.response?.body, interaction.response?.head.fields, reader, &scan)
      for finding in scan.findings { output.write(line(finding, of: id, in: path)) }
      count += scan.findings.count
    }
    if count == 0 {
      output.write(
        "\(path.escapedForTerminal): nothing that looks like a credential, in "
          + "\(ids.count == 1 ? "1 interaction" : "\(ids.count) interactions")\n")
    }
    return count > 0
  }

  static func line(_ finding: CredentialFinding, of id: Int64, in path: String) -> String {
    let place = String(escaping: finding.place)
    let size = finding.count == 1 ? "1 byte" : "\(finding.count) bytes"
    return "\(path.escapedForTerminal): interaction \(id), \(place): \(finding.what), \(size)\n"
  }

  private static func scan(
    _ side: Redactor.Side, _ body: BodyReference?, _ fields: FieldSection?,
    _ reader: CassetteReader, _ scan: inout CredentialScan
  ) throws(StoreError) {
    guard let body, body.size > 0 else { return }
    guard body.size <= Int64(Redactor.contentBytesMax) else {
      return try scanPieces(side, body, reader, &scan)
    }
    let stored = try reader.bytes(of: body, from: 0, bytesMax: Redactor.contentBytesMax)
    let form = ContentForm(fields ?? FieldSection())
    let content = ContentKeys.decoded(stored, form)
    content.withUnsafeBytes { scan.scan(side, content: $0, form.kind) }
  }

  /// A content too large to be taken apart, in pieces that lie over each other.
  private static func scanPieces(
    _ side: Redactor.Side, _ body: BodyReference, _ reader: CassetteReader,
    _ scan: inout CredentialScan
  ) throws(StoreError) {
    var offset: Int64 = 0
    while offset < body.size {
      let piece = try reader.bytes(of: body, from: offset)
      // One finding is enough to look at it.
      if piece.withUnsafeBytes({ scan.scan(side, piece: $0) }) { return }
      let isLast = offset + Int64(piece.count) >= body.size
      offset += Int64(isLast ? piece.count : piece.count - overlapBytes)
    }
  }

  private static let overlapBytes = 8 << 10
}

/// What `fixtured scan` is asked to look at.
struct ScanOptions: Equatable, Sendable {
  /// At least one.
  var cassettes: [String]
}

extension ScanOptions {
  init(_ arguments: ScannedArguments) {
    self.init(cassettes: arguments.operands)
  }
}

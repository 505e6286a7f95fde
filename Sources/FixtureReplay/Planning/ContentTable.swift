import FixtureCassette
import FixtureHTTP

/// The contents with which the requests of one key were recorded, in recording order: flat arrays,
/// some 90 bytes each, because there can be a hundred thousand.
struct ContentTable: Sendable {
  private(set) var candidates: [Candidates.Candidate] = []
  private var bodies: [Int64] = []
  private var sizes: [Int64] = []
  /// 32 bytes each.
  private var digests: [UInt8] = []
  private var byDigest = HashChains()
  private var forms: [ContentForm] = []
  private var formIndexes: [UInt32] = []
  private var indexesByForm: [ContentForm: UInt32] = [:]
  /// The fields that told the last form; most often the next ones are the same.
  private var lastType: [UInt8]?
  private var lastCoding: [UInt8]?
  /// Whether any is compared other than byte for byte.
  private(set) var hasValues = false
  private(set) var hasCodings = false
  /// Those with placeholders that are otherwise compared byte for byte.
  private(set) var redacted: Set<Int> = []
  /// Whether any may hold placeholders.
  private(set) var isRedacted = false

  var count: Int { candidates.count }

  mutating func append(
    _ candidate: Candidates.Candidate, _ body: RequestRow.Body, _ fields: StoredFields,
    isRedacted: Bool
  ) {
    candidates.append(candidate)
    bodies.append(body.id)
    sizes.append(body.size)
    digests.append(contentsOf: body.digest)
    byDigest.append(Self.hash(body.digest))
    formIndexes.append(formIndex(fields))
    let form = forms[Int(formIndexes[formIndexes.count - 1])]
    hasValues = hasValues || form.kind != .bytes
    hasCodings = hasCodings || !form.codings.isEmpty
    if isRedacted { self.isRedacted = true }
    if isRedacted, form.isPlain { redacted.insert(candidates.count - 1) }
  }

  private mutating func formIndex(_ fields: StoredFields) -> UInt32 {
    let type = fields.first(.contentType)
    let coding = fields.first(.contentEncoding)
    if let last = formIndexes.last, Self.same(type, lastType), Self.same(coding, lastCoding) {
      return last
    }
    lastType = type.map { Array($0) }
    lastCoding = coding.map { Array($0) }
    var form = ContentForm(kind: ContentKind(contentType: lastType?[...]))
    if coding != nil {
      // What a damaged section says of codings does not count.
      let section = (try? FieldSection(stored: Array(fields.bytes))) ?? FieldSection()
      form = ContentForm(section)
    }
    if let known = indexesByForm[form] { return known }
    let index = UInt32(forms.count)
    forms.append(form)
    indexesByForm[form] = index
    return index
  }

  private static func same(_ bytes: UnsafeRawBufferPointer?, _ last: [UInt8]?) -> Bool {
    guard let bytes, let last else { return bytes == nil && last == nil }
    return bytes.elementsEqual(last)
  }

  /// The first word: a digest is a hash already.
  private static func hash(_ digest: UnsafeRawBufferPointer) -> UInt64 {
    digest.count >= 8 ? UInt64(littleEndian: digest.loadUnaligned(as: UInt64.self)) : 0
  }

  /// Those with exactly this content, in ascending order.
  func positions(size: Int64, digest: [UInt8]) -> [Int] {
    let hash = digest.withUnsafeBytes { Self.hash($0) }
    return byDigest.positions(of: hash).filter {
      sizes[$0] == size && self.digest($0).elementsEqual(digest)
    }
  }

  func body(_ position: Int) -> BodyReference {
    BodyReference(
      id: bodies[position], size: sizes[position], digest: Array(digest(position)))
  }

  /// Of the interaction with this id; nil when it is not here.
  func body(of id: Int64) -> BodyReference? {
    position(of: id).map { body($0) }
  }

  func position(of id: Int64) -> Int? {
    guard let first = candidates.first?.id, id >= first else { return nil }
    // Most often nothing else was recorded between them.
    if id - first < candidates.count, candidates[Int(id - first)].id == id {
      return Int(id - first)
    }
    var low = 0
    var high = candidates.count
    while low < high {
      let middle = (low + high) / 2
      if candidates[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < candidates.count && candidates[low].id == id ? low : nil
  }

  func size(_ position: Int) -> Int64 { sizes[position] }
  func bodyID(_ position: Int) -> Int64 { bodies[position] }
  func form(_ position: Int) -> ContentForm { forms[Int(formIndexes[position])] }

  func digest(_ position: Int) -> ArraySlice<UInt8> {
    digests[(position * 32)..<(position * 32 + 32)]
  }

  /// Those that are found by their value, in the order in which their bodies are stored.
  var valuesByBody: [Int] {
    let isPlain = forms.map(\.isPlain)
    let positions = (0..<count).filter {
      (!isPlain[Int(formIndexes[$0])] || redacted.contains($0))
        && sizes[$0] <= Int64(ContentKeys.contentBytesMax)
    }
    let isSorted = zip(positions, positions.dropFirst()).allSatisfy { bodies[$0] <= bodies[$1] }
    return isSorted ? positions : positions.sorted { (bodies[$0], $0) < (bodies[$1], $1) }
  }

  /// Those whose sizes are closest to one, the closest first, among equals the earlier.
  func nearest(toSize size: Int64, count: Int) -> [Int] {
    var best: [(position: Int, distance: UInt64)] = []
    for position in sizes.indices {
      let distance = (sizes[position] - size).magnitude
      if best.count == count, distance >= best[count - 1].distance { continue }
      if best.count == count { best.removeLast() }
      let place = best.firstIndex { $0.distance > distance } ?? best.count
      best.insert((position, distance), at: place)
    }
    return best.map(\.position)
  }

  /// Bytes of memory, roughly, with the values that may be made later.
  var cost: Int {
    let features = min(count * ContentFeatures.max, ContentValues.featuresMax) * 2
    return count * 112 + (hasValues ? count * 25 + features : 0)
  }
}

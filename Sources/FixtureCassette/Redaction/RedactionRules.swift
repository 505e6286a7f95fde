import FixtureHTTP

/// Which places of an interaction hold secrets: the defaults and what was added to them.
///
/// The rules are part of a recording: a place they name is stored as a placeholder, and a request
/// is matched by its presence there. So they are kept in the cassette, as the words that were
/// added. The defaults are not spelled out there: they are those of the first format version, and
/// another list will be named by a word of its own, so that a cassette keeps the list it was
/// recorded with.
package struct RedactionRules: Equatable, Sendable {
  /// Lower case, sorted, without repeats and without those the defaults cover.
  package private(set) var addedFields: [[UInt8]] = []
  /// Decoded, in lower case, sorted, without repeats and without those the defaults cover.
  package private(set) var addedQueryNames: [[UInt8]] = []
  /// Of pairs in forms and parts of multipart contents, as `addedQueryNames`.
  package private(set) var addedFormNames: [[UInt8]] = []
  /// Of members of objects, as `addedQueryNames`.
  package private(set) var addedJSONNames: [[UInt8]] = []
  /// Sorted by their text, without repeats.
  package private(set) var addedJSONPlaces: [JSONPointer] = []
  /// In the order given, without repeats.
  package private(set) var texts: [TextSource] = []
  /// The defaults and what was added.
  private(set) var queryNames = Self.defaultQueryNames
  private(set) var fieldNames = Self.defaultFieldNames
  private var formNames = Self.defaultContentNames
  private var jsonNames = NameSet([])
  /// The places that were added.
  private(set) var jsonPlaces = JSONPointerTree()

  /// The defaults alone.
  package init() {}

  /// The defaults and the rules of `--redact`, the case of names ignored.
  /// - Throws: one case for each kind of rule that can't be followed; none is passed over.
  package init(adding rules: [String]) throws(RedactionRuleError) {
    for rule in rules { add(try RedactionRule(parsing: rule)) }
  }

  /// The rules that a cassette carries. A word that this version doesn't know is passed over: a
  /// format that can't be read without it has another version.
  package init(stored words: [String]) {
    for word in words {
      // The error would only say which word it was.
      if let rule = try? RedactionRule(parsing: word) { add(rule) }
    }
  }

  /// What was added to the defaults, in canonical spelling and order; gives equal rules again.
  package var words: [String] {
    addedFields.map { "header:" + String(decoding: $0, as: UTF8.self) }
      + addedQueryNames.map { "query:" + String(decoding: $0, as: UTF8.self) }
      + addedFormNames.map { "form:" + String(decoding: $0, as: UTF8.self) }
      + addedJSONNames.map { "json:" + String(decoding: $0, as: UTF8.self) }
      + addedJSONPlaces.map { "json:" + String(decoding: $0.text, as: UTF8.self) }
      + texts.map(\.word)
  }

  /// How a field's value is redacted; nil when it is not.
  package func place(ofField name: ArraySlice<UInt8>) -> FieldPlace? {
    guard name.withUnsafeBytes({ fieldNames.contains($0) }) else { return nil }
    let lower = name.map(\.asciiLowercased)
    let place = Self.fieldDefaults[lower]
    if let place, !place.isReference { return place }
    return addedFields.contains(lower) ? .whole : place
  }

  /// Whether a query pair is a place for a secret: stored as a placeholder, matched by presence.
  ///
  /// Name and value are form-decoded; the case of names does not matter. `name[]` and `outer[name]`
  /// count as `name`, but for `code`: `filter[code]=DE` is no authorization code. `key` is a
  /// place only when its value has the shape of a Google API key, or is a placeholder: as a name
  /// it is too common to be matched by presence.
  package func isPlace(
    queryName name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
  ) -> Bool {
    Self.isPlace(queryName: name, value: value, among: queryNames)
  }

  static func isPlace(
    queryName name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, among names: NameSet
  ) -> Bool {
    if names.contains(name) { return true }
    if keyName.contains(name) { return isGoogleKeyOrPlaceholder(value) }
    guard name.last == 0x5D, let inner = bracketedName(name) else { return false }
    return !codeName.contains(inner) && names.contains(inner)
  }

  /// As the other one, for a pair of a form or a part of a multipart content; `code` is none there.
  package func isPlace(
    formName name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
  ) -> Bool {
    if formNames.contains(name) { return true }
    if Self.keyName.contains(name) { return Self.isGoogleKeyOrPlaceholder(value) }
    return Self.bracketedName(name).map { formNames.contains($0) } ?? false
  }

  /// Whether all that a member of this name holds is secret, because somebody asked for it.
  func isAdded(jsonName name: UnsafeRawBufferPointer) -> Bool { jsonNames.contains(name) }

  /// Whether numbers in JSON may be redacted.
  var mayRedactNumbers: Bool { !addedJSONNames.isEmpty || !addedJSONPlaces.isEmpty }

  /// Whether the string of a member of this name is secret.
  func isDefault(contentName name: UnsafeRawBufferPointer) -> Bool {
    Self.defaultContentNames.contains(name)
  }

  /// Whether the shape of the value decides.
  static func isKeyName(_ name: UnsafeRawBufferPointer) -> Bool { keyName.contains(name) }

  static func isGoogleKeyOrPlaceholder(_ value: UnsafeRawBufferPointer) -> Bool {
    isGoogleKey(value) || Placeholder(value) != nil || value.elementsEqual(Placeholder.anonymous)
  }

  private mutating func add(_ rule: RedactionRule) {
    switch rule {
    case .field(let name):
      if let place = Self.fieldDefaults[name], !place.isReference { return }
      Self.insert(name, into: &addedFields)
      fieldNames = NameSet(Self.fieldDefaults.keys + addedFields)
    case .query(let name):
      guard !Self.queryDefaults.contains(name) else { return }
      Self.insert(name, into: &addedQueryNames)
      queryNames = NameSet(Self.queryDefaults + addedQueryNames)
    case .form(let name):
      guard !Self.contentDefaults.contains(name) else { return }
      Self.insert(name, into: &addedFormNames)
      formNames = NameSet(Self.contentDefaults + addedFormNames)
    case .json(let name):
      // One of the defaults too: they leave numbers alone.
      Self.insert(name, into: &addedJSONNames)
      jsonNames = NameSet(addedJSONNames)
    case .jsonPlace(let place):
      guard !addedJSONPlaces.contains(place) else { return }
      addedJSONPlaces.append(place)
      addedJSONPlaces.sort { $0.text.lexicographicallyPrecedes($1.text) }
      jsonPlaces = JSONPointerTree(addedJSONPlaces)
    case .text(let source):
      if !texts.contains(source) { texts.append(source) }
    }
  }

  private static func insert(_ name: [UInt8], into names: inout [[UInt8]]) {
    guard !names.contains(name) else { return }
    names.append(name)
    names.sort { $0.lexicographicallyPrecedes($1) }
  }

  private static let defaultQueryNames = NameSet(queryDefaults)
  private static let defaultFieldNames = NameSet(Array(fieldDefaults.keys))
  private static let defaultContentNames = NameSet(contentDefaults)
  private static let keyName = NameSet([Array("key".utf8)])
  private static let codeName = NameSet([Array("code".utf8)])

  /// The last name of `name[]` or `outer[name]`, as web frameworks nest parameters; nil when it is
  /// neither.
  private static func bracketedName(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    var end = name.count
    if end > 2, name[end - 1] == 0x5D, name[end - 2] == 0x5B { end -= 2 }
    guard end > 2, name[end - 1] == 0x5D,
      let open = name[..<end].lastIndex(of: 0x5B), open > 0
    else {
      return end < name.count ? UnsafeRawBufferPointer(rebasing: name[..<end]) : nil
    }
    return UnsafeRawBufferPointer(rebasing: name[(open + 1)..<(end - 1)])
  }

  /// `AIza` and 35 more letters, digits, `-` and `_`.
  private static func isGoogleKey(_ value: UnsafeRawBufferPointer) -> Bool {
    value.count == 39 && value.starts(with: "AIza".utf8)
      && value.allSatisfy(Base64Text.isURLCharacter)
  }
}

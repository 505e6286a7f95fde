import FixtureHTTP

// Changes of the response's fields, in the order of the rules.

extension Encounter {
  func applyFields(to script: inout Script, _ context: FaultContext) {
    script.changeHead { head in
      for met in met {
        met.fault.apply(to: &head.fields, now: context.date, began: context.began)
        if case .entityTag = met.fault, let tag, (200...299).contains(head.status) {
          head.fields = head.fields.withTag(generation: tag.generation, of: tag.target)
        }
      }
    }
  }
}

extension Fault {
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - began: when the session did.
  fileprivate func apply(to fields: inout FieldSection, now: Int64, began: Int64) {
    func date(_ offset_s: Int64, from base: Int64) -> [UInt8] {
      HTTPDate(secondsSince1970: base.saturatingAdding(offset_s)).imfFixdate
    }
    // What has an age has it from when the answer says that it was made.
    let made = fields.first(.date).flatMap { HTTPDate(parsing: $0) }?.secondsSince1970 ?? now
    switch self {
    case .set(let name, let value): fields.set(name, value)
    case .add(let name, let value): fields.append(name: name, value: value)
    case .remove(let name): fields.remove(name)
    case .retryAfter(.delay(let time)): fields.set("Retry-After", "\(time.wholeSeconds)")
    case .retryAfter(.date(let time)):
      fields.set(Array("Retry-After".utf8), date(time.wholeSeconds, from: now))
    case .age(let time): fields.set("Age", "\(time.wholeSeconds)")
    case .lastModified(ago: let time):
      let base = made == now ? began : made
      fields.set(Array("Last-Modified".utf8), date(-time.wholeSeconds, from: base))
    case .expires(.after(let time)):
      fields.set(Array("Expires".utf8), date(time.wholeSeconds, from: made))
    case .expires(.ago(let time)):
      fields.set(Array("Expires".utf8), date(-time.wholeSeconds, from: made))
    default: break
    }
  }
}

extension FieldSection {
  fileprivate mutating func set(_ name: String, _ value: String) {
    set(Array(name.utf8), Array(value.utf8))
  }
}

/// A field section where it lies, in the stored form that `FieldSection.bytes` has: for looking up
/// a name or two without making a section of it. In damaged bytes nothing may be found.
package struct StoredFields {
  package let bytes: UnsafeRawBufferPointer

  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// The value of the first line with this name.
  package func first(_ name: FieldName) -> UnsafeRawBufferPointer? {
    var start = 0
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != 0x0D { end &+= 1 }
      let nameEnd = start + name.utf8Count
      if nameEnd + 2 <= end, bytes[nameEnd] == 0x3A,
        name.matches(UnsafeRawBufferPointer(rebasing: bytes[start..<nameEnd]))
      {
        return UnsafeRawBufferPointer(rebasing: bytes[(nameEnd + 2)..<end])
      }
      start = end + 2
    }
    return nil
  }
}

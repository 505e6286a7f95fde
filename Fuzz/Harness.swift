import FixtureInvariants

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Which rule the process tests: the environment's `FUZZ_KIND`, one of `InputKind`.
private let kind: InputKind = {
  let name = getenv("FUZZ_KIND").map { String(cString: $0) } ?? ""
  guard let kind = InputKind(rawValue: name) else {
    fatalError("FUZZ_KIND is '\(name)'; use one of \(InputKind.allCases.map(\.rawValue))")
  }
  return kind
}()

/// The function that libFuzzer calls for each input; a violation ends the process, as a crash does.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  if let violation = kind.violation(by: Array(UnsafeBufferPointer(start: start, count: count))) {
    fatalError(violation)
  }
  return 0
}

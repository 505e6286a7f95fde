import FixtureCassette

/// Why an exchange with the upstream ended before its response was whole.
struct UpstreamFailure: Error {
  let outcome: Outcome
  /// In words, with what to do where there is something; stored beside the outcome.
  let detail: String
  /// It was for want of something here, such as descriptors, and says nothing of the upstream.
  var isOurs = false
}

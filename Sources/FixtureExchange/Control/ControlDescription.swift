/// What the control API is, for programs: an OpenAPI 3.1 document.
package enum ControlDescription {
  /// `Resources/openapi.json`, as it is.
  package static var content: [UInt8] { PackageResources.openapi_json }
}

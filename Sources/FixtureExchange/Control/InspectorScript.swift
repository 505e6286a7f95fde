/// The script of the inspector, in parts that belong together.
enum InspectorScript {
  static let all = core + list + details + views + verdict + plots + source + page
}

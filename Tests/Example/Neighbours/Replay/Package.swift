// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Replay",
  products: [.library(name: "Replay", targets: ["Replay"])],
  targets: [.target(name: "Replay")]
)

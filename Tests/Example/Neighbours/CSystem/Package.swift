// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "CSystem",
  products: [.library(name: "CSystem", targets: ["CSystem"])],
  targets: [.target(name: "CSystem")]
)

import Foundation
import TestSupport

/// `natter-bench faults`: long conversations, direct and in a room, through a network that breaks,
/// between programs that are killed, on each server; prints the result, and exits with 1 if any
/// message is lost or duplicated.
func runFaultBenchmark(arguments: [String]) async throws {
  var (messages, faults, seed) = (10_000, 200, UInt64.random(in: 1...99_999))
  var servers: [FaultServerKind] = []
  var scenes: [FaultScene] = []
  var rest = arguments[...]
  while let argument = rest.popFirst() {
    let number = rest.first.flatMap { UInt64($0) }
    switch argument {
    case "--messages": messages = number.map { Int($0) } ?? messages
    case "--faults": faults = number.map { Int($0) } ?? faults
    case "--seed": seed = number ?? seed
    default:
      if let kind = FaultServerKind(rawValue: argument) {
        servers.append(kind)
      } else if let scene = FaultScene(rawValue: argument) {
        scenes.append(scene)
      } else {
        print("natter-bench faults: \(argument)?")
        exit(64)
      }
      continue
    }
    _ = rest.popFirst()
  }
  let plan = FaultPlan(seed: seed, messages: messages, faults: faults)
  var isClean = true
  for kind in servers.isEmpty ? FaultServerKind.allCases : servers {
    for scene in scenes.isEmpty ? FaultScene.allCases : scenes {
      do {
        let report = try await FaultRun(plan, scene, on: kind, log: { print($0) }).run()
        print(report)
        isClean = isClean && report.isClean
      } catch {
        print("\(kind.rawValue), \(scene.rawValue): \(error)")
        isClean = false
      }
    }
  }
  exit(isClean ? 0 : 1)
}

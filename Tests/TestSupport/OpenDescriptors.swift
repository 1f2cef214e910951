import Foundation

/// How many descriptors this process has open.
package func openDescriptors() -> Int {
  (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}

/// Waits until `condition` holds, 20 seconds at most.
package func eventually(_ condition: () -> Bool) async -> Bool {
  let limit = ContinuousClock.now + .seconds(20)
  while !condition() {
    if ContinuousClock.now > limit { return false }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return true
}

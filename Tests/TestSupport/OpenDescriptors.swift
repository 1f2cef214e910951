import Foundation

/// Returns the number of descriptors that this process has open.
package func openDescriptors() -> Int {
  (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}

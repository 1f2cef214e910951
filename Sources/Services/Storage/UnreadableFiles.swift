import Glibc
import Synchronization

/// The files of a spool that cannot be read: each is reported once, and stays for a later try.
final class UnreadableFiles: Sendable {
  private let report: @Sendable (String) -> Void
  private let reported = Mutex<Set<String>>([])

  init(_ report: @escaping @Sendable (String) -> Void) { self.report = report }

  /// Reports a file, unless it is reported already or does not exist any more.
  /// - Parameter reason: follows the path; it contains nothing of the file.
  func found(_ path: String, _ reason: String) {
    // Another instance may take or withdraw a file at any time.
    if access(path, F_OK) != 0, errno == ENOENT { return }
    guard reported.withLock({ $0.insert(path).inserted }) else { return }
    report("\(path) stays where it is: \(reason)")
  }
}

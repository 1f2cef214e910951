import Dispatch
import Glibc

/// Reports when a file is moved into a folder under its final name. It waits for inotify(7) and
/// costs nothing until then.
///
/// `@unchecked Sendable`: its source is created and cancelled once, and works on a queue of its
/// own.
package final class FolderMonitor: @unchecked Sendable {
  /// One element for all arrivals since the last one was taken; a single consumer. Ends with this
  /// object.
  package let arrivals: AsyncStream<Void>
  private let source: any DispatchSourceRead

  /// Returns `nil` where the folder cannot be watched.
  package init?(_ folder: String) {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    guard inotify_add_watch(descriptor, folder, UInt32(IN_MOVED_TO)) >= 0 else {
      close(descriptor)
      return nil
    }
    let (arrivals, continuation) = AsyncStream<Void>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    self.arrivals = arrivals
    source = DispatchSource.makeReadSource(
      fileDescriptor: descriptor, queue: DispatchQueue(label: "natter.folder"))
    source.setEventHandler {
      var block = [UInt8](repeating: 0, count: 4096)
      while read(descriptor, &block, block.count) > 0 {}
      continuation.yield()
    }
    source.setCancelHandler {
      continuation.finish()
      close(descriptor)
    }
    source.resume()
  }

  deinit { source.cancel() }
}

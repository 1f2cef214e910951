import Dispatch
import Glibc
import Synchronization

/// Reports changes in folders: files that are written, created, renamed, deleted, or have other
/// permissions; not those in folders below. It waits for inotify(7), has one descriptor for all of
/// its folders, and costs nothing until something changes.
///
/// `@unchecked Sendable`: its source is created and cancelled once, and works on a queue of its
/// own.
package final class ChangeMonitor: @unchecked Sendable {
  fileprivate struct Watch {
    var folder: String
    var concerns: @Sendable (String) -> Bool
  }

  fileprivate struct State {
    /// By the number that the system gives to a folder.
    var watches: [Int32: [Watch]] = [:]
    var changed: Set<String> = []
  }

  /// One element for all changes since the last one was taken; a single consumer. Ends with this
  /// object.
  package let signals: AsyncStream<Void>
  private let descriptor: Int32
  private let state: Mutex<State>
  private let source: any DispatchSourceRead

  private static let events =
    UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_ATTRIB)
    | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
    | UInt32(IN_ONLYDIR)

  /// Returns `nil` where the system has no watches left.
  package init?() {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    let (signals, continuation) = AsyncStream<Void>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    (self.signals, self.descriptor) = (signals, descriptor)
    state = Mutex(State())
    source = DispatchSource.makeReadSource(
      fileDescriptor: descriptor, queue: DispatchQueue(label: "natter.changes"))
    source.setEventHandler { [weak self] in
      guard let self, readEvents() else { return }
      continuation.yield()
    }
    source.setCancelHandler {
      continuation.finish()
      close(descriptor)
    }
    source.resume()
  }

  deinit { source.cancel() }

  /// Watches a folder. A folder that is replaced by another one has to be watched again.
  /// - Parameter concerns: which names in it count. What concerns the folder itself always does.
  /// - Returns: `false` if it cannot be watched: there is none, for example.
  @discardableResult package func watch(
    _ folder: String, for concerns: @escaping @Sendable (String) -> Bool = { _ in true }
  ) -> Bool {
    state.withLock { state in
      let number = inotify_add_watch(descriptor, folder, Self.events)
      // The path may lead to another folder now.
      state.remove(folder, but: number, descriptor)
      guard number >= 0 else { return false }
      state.watches[number, default: []].append(Watch(folder: folder, concerns: concerns))
      return true
    }
  }

  /// Ends the watch of a folder.
  package func unwatch(_ folder: String) {
    state.withLock { state in
      state.remove(folder, but: -1, descriptor)
      state.changed.remove(folder)
    }
  }

  /// Returns the folders that have changed since the last call.
  package func takeChanged() -> Set<String> {
    state.withLock { state in
      defer { state.changed = [] }
      return state.changed
    }
  }

  /// - Returns: whether a watched folder has changed.
  private func readEvents() -> Bool {
    var block = [UInt8](repeating: 0, count: 16384)
    var hasChanged = false
    while true {
      let count = read(descriptor, &block, block.count)
      guard count > 0 else { return hasChanged }
      let bytes = block[..<count]
      state.withLock { if $0.take(bytes) { hasChanged = true } }
    }
  }
}

extension ChangeMonitor.State {
  /// Removes the watches of a folder, except that with the number `kept`.
  fileprivate mutating func remove(_ folder: String, but kept: Int32, _ descriptor: Int32) {
    for (number, watches) in watches where watches.contains(where: { $0.folder == folder }) {
      let others = watches.filter { $0.folder != folder }
      self.watches[number] = others.isEmpty ? nil : others
      // Fails if the folder is gone, and the watch with it.
      if others.isEmpty, number != kept { _ = inotify_rm_watch(descriptor, number) }
    }
  }

  /// Notes what the events of a read concern.
  /// - Returns: whether a watched folder has changed.
  fileprivate mutating func take(_ bytes: ArraySlice<UInt8>) -> Bool {
    var isNew = false
    bytes.withUnsafeBytes { bytes in
      var offset = 0
      let size = MemoryLayout<inotify_event>.size
      while offset + size <= bytes.count {
        let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
        let name = bytes[(offset + size)..<min(offset + size + Int(event.len), bytes.count)]
        offset += size + Int(event.len)
        let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        if note(event, text.isEmpty ? nil : text) { isNew = true }
      }
    }
    return isNew
  }

  /// - Parameter name: of the entry in the folder; `nil`: the event is about the folder itself.
  private mutating func note(_ event: inotify_event, _ name: String?) -> Bool {
    // The system has dropped events: each folder may have changed.
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
      for watch in watches.values.joined() { changed.insert(watch.folder) }
      return !watches.isEmpty
    }
    guard let concerned = watches[event.wd] else { return false }
    var isNew = false
    for watch in concerned where name.map(watch.concerns) ?? true {
      changed.insert(watch.folder)
      isNew = true
    }
    if event.mask & UInt32(IN_IGNORED) != 0 { watches[event.wd] = nil }
    return isNew
  }
}

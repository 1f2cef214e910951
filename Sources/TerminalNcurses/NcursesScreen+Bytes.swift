import Glibc

// What ncurses has no part in.
extension NcursesScreen {
  /// Sends bytes that ncurses knows nothing of; it has always sent its own before.
  func send(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)[...]
      while let base = rest.baseAddressOfSlice {
        let count = write(output, base, rest.count)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if count == 0 || errno != EINTR {
          return  // The terminal is gone; reading it will say so.
        }
      }
    }
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// The address of the first byte; `nil` if there is none.
  fileprivate var baseAddressOfSlice: UnsafeRawPointer? {
    isEmpty ? nil : base.baseAddress?.advanced(by: startIndex)
  }
}

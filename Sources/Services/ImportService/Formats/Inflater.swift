import CLinux

/// The decompression of gzip data (RFC 1952) in pieces, by the system's libz.
final class Inflater {
  /// The data is damaged.
  struct Damaged: Error {}

  /// The size of the pieces that it returns, in bytes.
  private static let pieceByteCount = 64 << 10

  private let state: OpaquePointer
  private var output = [UInt8](repeating: 0, count: pieceByteCount)
  /// Indicates whether the data came to its end, and its checksum was right.
  private(set) var isAtEnd = false

  /// - Throws: `ImportFailure.missingLibrary`.
  init() throws(ImportFailure) {
    guard let state = natter_inflater_new() else { throw .missingLibrary("libz.so.1") }
    self.state = state
  }

  deinit { natter_inflater_free(state) }

  /// Decompresses the next piece, and calls `take` with what it contains, in pieces. Bytes after
  /// the end of the data are passed over.
  /// - Throws: `Damaged`, and what `take` throws.
  func inflate(_ input: [UInt8], _ take: (ArraySlice<UInt8>) throws -> Void) throws {
    var offset = 0
    while !isAtEnd {
      var (used, written): (CUnsignedInt, CUnsignedInt) = (0, 0)
      let result = input.withUnsafeBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
          natter_inflate(
            state, input.baseAddress.map { $0 + offset }, CUnsignedInt(input.count - offset), &used,
            output.baseAddress, CUnsignedInt(output.count), &written)
        }
      }
      guard result != NATTER_INFLATE_DAMAGED else { throw Damaged() }
      isAtEnd = result == NATTER_INFLATE_ENDED
      offset += Int(used)
      if written > 0 { try take(output[..<Int(written)]) }
      if used == 0, written == 0 { return }
    }
  }
}

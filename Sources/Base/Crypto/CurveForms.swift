/// The big numbers, or the reason why they are missing; looked up a single time.
private let numberBinding = Result { () throws(CryptoError) in try NumberBinding() }

/// The birational map between the curve of Ed25519 and that of X25519 (RFC 7748 §4.1), computed
/// with libcrypto's big numbers. Their time depends on their values: for public keys only.
struct CurveForms {
  private let library: NumberBinding

  init() throws(CryptoError) { library = try numberBinding.get() }

  /// Returns u = (1 + y) / (1 - y); `nil` for the neutral element and for a y that is not below
  /// 2^255 - 19.
  /// - Parameter key: 32 bytes.
  func montgomery(ofEdwards key: [UInt8]) throws(CryptoError) -> [UInt8]? {
    var y = key
    y[31] &= 0x7f
    return try fraction(of: y) { number, one, sum, difference, prime, context in
      library.add(sum, one, number, prime, context) == 1
        && library.subtract(difference, one, number, prime, context) == 1
    }
  }

  /// Returns y = (u - 1) / (u + 1), with the highest bit 0; `nil` for u = -1 and for a u that is
  /// not below 2^255 - 19.
  /// - Parameter key: 32 bytes.
  func edwards(ofMontgomery key: [UInt8]) throws(CryptoError) -> [UInt8]? {
    try fraction(of: key) { number, one, numerator, denominator, prime, context in
      library.subtract(numerator, number, one, prime, context) == 1
        && library.add(denominator, number, one, prime, context) == 1
    }
  }

  /// Returns a fraction modulo 2^255 - 19; `nil` when `bytes` are not below that, or the
  /// denominator is zero.
  /// - Parameter parts: Computes the third number (numerator) and fourth (denominator) from the
  ///   first (`bytes`) and the second (one).
  private func fraction(
    of bytes: [UInt8],
    parts: (
      OpaquePointer, OpaquePointer, OpaquePointer, OpaquePointer, OpaquePointer, OpaquePointer
    ) -> Bool
  ) throws(CryptoError) -> [UInt8]? {
    guard Self.isReduced(bytes) else { return nil }
    guard let context = library.newContext() else { throw .failed(function: "BN_CTX_new") }
    defer { library.freeContext(context) }
    let value = try Number(bytes, in: library)
    let one = try Number([1], in: library)
    let prime = try Number(Self.prime, in: library)
    let numerator = try Number([0], in: library)
    let denominator = try Number([0], in: library)
    guard
      parts(
        value.pointer, one.pointer, numerator.pointer, denominator.pointer, prime.pointer, context)
    else { throw .failed(function: "BN_mod_add") }
    guard try denominator.bytes().contains(where: { $0 != 0 }) else { return nil }
    guard
      library.invert(denominator.pointer, denominator.pointer, prime.pointer, context) != nil
    else { throw .failed(function: "BN_mod_inverse") }
    guard
      library.multiply(
        numerator.pointer, numerator.pointer, denominator.pointer, prime.pointer, context) == 1
    else { throw .failed(function: "BN_mod_mul") }
    return try numerator.bytes()
  }

  /// 2^255 - 19, the lowest byte first.
  private static let prime = [0xed] + [UInt8](repeating: 0xff, count: 30) + [0x7f]

  /// Returns whether 32 bytes are below 2^255 - 19, so that they are the only form of their number.
  static func isReduced(_ bytes: [UInt8]) -> Bool {
    bytes.reversed().lexicographicallyPrecedes(prime.reversed())
  }
}

/// A number of libcrypto, freed at the end of this value.
private struct Number: ~Copyable {
  let pointer: OpaquePointer
  private let library: NumberBinding

  /// - Parameter bytes: The lowest byte first.
  init(_ bytes: [UInt8], in library: NumberBinding) throws(CryptoError) {
    guard let count = CInt(exactly: bytes.count), let pointer = library.read(bytes, count, nil)
    else { throw .failed(function: "BN_lebin2bn") }
    self.pointer = pointer
    self.library = library
  }

  deinit { library.free(pointer) }

  /// Returns the 32 bytes of the number, the lowest first.
  func bytes() throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: NativeKey.byteCount)
    guard library.write(pointer, &bytes, CInt(bytes.count)) == CInt(bytes.count) else {
      throw .failed(function: "BN_bn2lebinpad")
    }
    return bytes
  }
}

/// The functions of libcrypto that compute with numbers of any size.
private struct NumberBinding: Sendable {
  typealias Read =
    @Sendable @convention(c) (UnsafePointer<UInt8>?, CInt, OpaquePointer?) -> OpaquePointer?
  typealias Write =
    @Sendable @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>?, CInt) -> CInt
  typealias Compute =
    @Sendable @convention(c) (
      OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?
    ) -> CInt
  typealias Invert =
    @Sendable @convention(c) (
      OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?
    ) -> OpaquePointer?

  let newContext: Binding.NewContext
  let freeContext: Binding.FreeContext
  let read: Read
  let write: Write
  let free: Binding.FreeContext
  let add: Compute
  let subtract: Compute
  let multiply: Compute
  let invert: Invert

  init() throws(CryptoError) {
    let library = try Binding.libraryHandle()
    newContext = try Binding.function("BN_CTX_new", in: library)
    freeContext = try Binding.function("BN_CTX_free", in: library)
    read = try Binding.function("BN_lebin2bn", in: library)
    write = try Binding.function("BN_bn2lebinpad", in: library)
    free = try Binding.function("BN_free", in: library)
    add = try Binding.function("BN_mod_add", in: library)
    subtract = try Binding.function("BN_mod_sub", in: library)
    multiply = try Binding.function("BN_mod_mul", in: library)
    invert = try Binding.function("BN_mod_inverse", in: library)
  }
}

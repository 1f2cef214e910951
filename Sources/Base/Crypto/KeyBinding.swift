/// The functions for keys, or the reason why they are missing; looked up a single time.
private let keyBinding = Result { () throws(CryptoError) in try KeyBinding() }

/// The functions of libcrypto for agreement on secrets and for signatures. libcrypto has them since
/// version 1.1.1.
struct KeyBinding: Sendable {
  typealias Free = Binding.FreeContext
  typealias NewKey =
    @Sendable @convention(c) (CInt, OpaquePointer?, UnsafePointer<UInt8>?, Int) -> OpaquePointer?
  typealias Produce =
    @Sendable @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?
    ) -> CInt
  typealias NewAgreement =
    @Sendable @convention(c) (OpaquePointer?, OpaquePointer?) -> OpaquePointer?
  typealias BeginAgreement = @Sendable @convention(c) (OpaquePointer?) -> CInt
  typealias SetPeer = @Sendable @convention(c) (OpaquePointer?, OpaquePointer?) -> CInt
  typealias BeginSignature =
    @Sendable @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?, OpaquePointer?, OpaquePointer?,
      OpaquePointer?
    ) -> CInt
  typealias Sign =
    @Sendable @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?,
      UnsafePointer<UInt8>?, Int
    ) -> CInt
  typealias Verify =
    @Sendable @convention(c) (
      OpaquePointer?, UnsafePointer<UInt8>?, Int, UnsafePointer<UInt8>?, Int
    ) -> CInt

  let newPrivateKey: NewKey
  let newPublicKey: NewKey
  let publicKey: Produce
  let freeKey: Free
  let newAgreement: NewAgreement
  let freeAgreement: Free
  let beginAgreement: BeginAgreement
  let setPeer: SetPeer
  let derive: Produce
  let newContext: Binding.NewContext
  let freeContext: Free
  let beginSigning: BeginSignature
  let sign: Sign
  let beginVerifying: BeginSignature
  let verify: Verify

  static func get() throws(CryptoError) -> KeyBinding { try keyBinding.get() }

  fileprivate init() throws(CryptoError) {
    let library = try Binding.libraryHandle()
    func find<Function>(_ name: String) throws(CryptoError) -> Function {
      try Binding.function("EVP_" + name, in: library)
    }
    newPrivateKey = try find("PKEY_new_raw_private_key")
    newPublicKey = try find("PKEY_new_raw_public_key")
    publicKey = try find("PKEY_get_raw_public_key")
    freeKey = try find("PKEY_free")
    newAgreement = try find("PKEY_CTX_new")
    freeAgreement = try find("PKEY_CTX_free")
    beginAgreement = try find("PKEY_derive_init")
    setPeer = try find("PKEY_derive_set_peer")
    derive = try find("PKEY_derive")
    newContext = try find("MD_CTX_new")
    freeContext = try find("MD_CTX_free")
    beginSigning = try find("DigestSignInit")
    sign = try find("DigestSign")
    beginVerifying = try find("DigestVerifyInit")
    verify = try find("DigestVerify")
  }
}

/// A key that libcrypto holds; freed, and wiped when it is private, at the end of this value.
struct NativeKey: ~Copyable {
  /// The length of every key, private or public, in bytes.
  static let byteCount = 32

  /// The algorithms, with their numbers in <openssl/obj_mac.h>.
  enum Algorithm: CInt {
    case x25519 = 1034
    case ed25519 = 1087
  }

  let pointer: OpaquePointer
  let library: KeyBinding

  /// - Throws: `CryptoError`; `.failed` for a key of another length than `byteCount`.
  init(privateKey: [UInt8], for algorithm: Algorithm) throws(CryptoError) {
    let library = try KeyBinding.get()
    guard privateKey.count == Self.byteCount,
      let pointer = library.newPrivateKey(algorithm.rawValue, nil, privateKey, privateKey.count)
    else { throw .failed(function: "EVP_PKEY_new_raw_private_key") }
    self.library = library
    self.pointer = pointer
  }

  /// - Throws: `CryptoError`; `.failed` for a key of another length than `byteCount`.
  init(publicKey: [UInt8], for algorithm: Algorithm) throws(CryptoError) {
    let library = try KeyBinding.get()
    guard publicKey.count == Self.byteCount,
      let pointer = library.newPublicKey(algorithm.rawValue, nil, publicKey, publicKey.count)
    else { throw .failed(function: "EVP_PKEY_new_raw_public_key") }
    self.library = library
    self.pointer = pointer
  }

  deinit { library.freeKey(pointer) }

  /// Returns the public key of this key.
  func publicKey() throws(CryptoError) -> [UInt8] {
    var key = [UInt8](repeating: 0, count: Self.byteCount)
    var count = key.count
    guard library.publicKey(pointer, &key, &count) == 1, count == key.count else {
      throw .failed(function: "EVP_PKEY_get_raw_public_key")
    }
    return key
  }
}
